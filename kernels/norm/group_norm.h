// group_norm without autograd: in one pass, or as its parts, layer_norm of the groups, a product with the weight and a
// sum with the bias. The bits are the same.
#pragma once

#include <ordo/kernels/norm/layer_norm.h>

namespace ordo::kernels {

/// input: [N, C, ...], floating, C being a multiple of `groups`; weight and bias: undefined, or [C] in its dtype or in
/// accumulation dtype.
RowNormResult group_norm(const Tensor& input, int64_t groups, const Tensor& weight, const Tensor& bias, double eps);

/// As of row_norm_backward.
RowNormGradients group_norm_backward(const Tensor& grad, const Tensor& input, int64_t groups, const Tensor& weight,
                                     const RowNormResult& saved, bool for_input, bool for_weight, bool for_bias);

namespace cpu {
/// In one pass. A thread computes whole groups.
RowNormResult group_norm(const Tensor& input, int64_t groups, const Tensor& weight, const Tensor& bias, double eps);
RowNormGradients group_norm_backward(const Tensor& grad, const Tensor& input, int64_t groups, const Tensor& weight,
                                     const RowNormResult& saved, bool for_input, bool for_weight, bool for_bias);
}  // namespace cpu

}  // namespace ordo::kernels

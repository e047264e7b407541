// Normalisation of rows: kernels without autograd. Sums by rule 2 of docs/ordering.md.
#pragma once

#include <ordo/engine/tensor.h>
#include <ordo/kernels/reduce/rows.h>

namespace ordo::kernels {

/// What both operations are: layer_norm subtracts the mean, rms_norm does not.
enum class RowNorm : unsigned char { layer, rms };

struct RowNormResult {
  Tensor out;
  Tensor mean, invstd;  // [rows], in accumulation dtype; mean is 0 for rms_norm
};
/// autograd/ops/normalization.h has the rules. weight and bias: undefined, or of `normalized_shape`.
RowNormResult row_norm(RowNorm kind, const Tensor& input, const Dims& normalized_shape, const Tensor& weight,
                       const Tensor& bias, double eps);

struct RowNormGradients {
  Tensor input, weight, bias;
};
/// Undefined where not wanted; weight's and bias' in accumulation dtype.
RowNormGradients row_norm_backward(RowNorm kind, const Tensor& grad, const Tensor& input, const Tensor& weight,
                                   const RowNormResult& saved, const Dims& normalized_shape, bool for_input,
                                   bool for_weight, bool for_bias);

/// The rows are groups of channels. input: [N, C, ...], floating, C being a multiple of `groups`; weight and bias:
/// undefined, or [C] in its dtype or in accumulation dtype.
RowNormResult group_norm(const Tensor& input, int64_t groups, const Tensor& weight, const Tensor& bias, double eps);
RowNormGradients group_norm_backward(const Tensor& grad, const Tensor& input, int64_t groups, const Tensor& weight,
                                     const RowNormResult& saved, bool for_input, bool for_weight, bool for_bias);

/// Contiguous rows of `inner` values. In groups, each has `parts` of `channels` channels.
struct RowNormShape {
  RowsShape values;
  bool centered = true;
  double eps = 0;
  int64_t channels = 0;  // 0: parameters are of columns

  /// The values of each parameter.
  ReduceShape parameters() const {
    const int64_t inner = values.inner / values.parts;
    if (channels == 0) return reduce_shape({values.rows, inner}, {inner, 1}, 0b01);
    return reduce_shape({values.rows * values.parts / channels, channels, inner}, {channels * inner, inner, 1}, 0b101);
  }
};

namespace cpu {
void row_norm(const RowNormShape& s, const Tensor& input, const Tensor& weight, const Tensor& bias,
              const RowNormResult& r);
void row_norm_backward(const RowNormShape& s, const Tensor& grad, const Tensor& input, const Tensor& weight,
                       const RowNormResult& saved, const RowNormGradients& out);
}  // namespace cpu
namespace cuda {
void row_norm(const RowNormShape& s, const Tensor& input, const Tensor& weight, const Tensor& bias,
              const RowNormResult& r);
void row_norm_backward(const RowNormShape& s, const Tensor& grad, const Tensor& input, const Tensor& weight,
                       const RowNormResult& saved, const RowNormGradients& out);
}  // namespace cuda

}  // namespace ordo::kernels

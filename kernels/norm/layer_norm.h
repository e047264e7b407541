// Normalisation of rows: kernels without autograd. Sums by rule 2 of docs/ordering.md.
#pragma once

#include <ordo/engine/tensor.h>

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

/// Contiguous values [rows, columns].
struct RowNormShape {
  int64_t rows = 1, columns = 1;
  bool centered = true;
  double eps = 0;
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

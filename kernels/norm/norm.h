// Normalisation: kernels without autograd. Sums by rule 2 of docs/ordering.md.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/reduce/reduce_shape.h>

namespace ordo::kernels {

// autograd/ops/functional/normalization.h has the rules. Weights and biases are undefined where there are none, else of
// the input's dtype or of its accumulation dtype.

struct NormResult {
  Tensor out;
  Tensor mean, invstd;  // of each channel or row, in accumulation dtype: what `out` was computed with
};
/// Weight's and bias' in accumulation dtype. Undefined where not wanted.
struct NormGradients {
  Tensor input, weight, bias;
};

/// Running statistics, where there are any, are changed in place when training.
NormResult batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, const Tensor& weight,
                      const Tensor& bias, bool training, double momentum, double eps);
NormGradients batch_norm_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                  const NormResult& saved, bool training);

/// A channel is a row.
struct BatchNormShape {
  RowsShape values;
  bool training = false;
  double momentum = 0, eps = 0;
  int64_t channels() const { return values.rows; }
  int64_t count() const { return values.outer * values.inner; }
};
/// Parameters and statistics are [C] in accumulation dtype, or undefined.
struct BatchNormTensors {
  Tensor running_mean, running_var, weight, bias;
};

/// Contiguous rows of `inner` values. In groups, each has `parts` of `channels` channels.
struct RowNormShape {
  const char* op;
  Dims parameter;  // the sizes of weight and bias
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

/// layer_norm subtracts the mean, rms_norm does not: its mean is 0.
enum class RowNorm : unsigned char { layer, rms };
RowNormShape row_norm_shape(RowNorm kind, const Tensor& input, const Dims& normalized_shape, double eps);
/// The rows are groups of channels. input: [N, C, ...], floating, C being a multiple of `groups`.
RowNormShape group_norm_shape(const Tensor& input, int64_t groups, double eps);

NormResult row_norm(const RowNormShape& s, const Tensor& input, const Tensor& weight, const Tensor& bias);
NormGradients row_norm_backward(const RowNormShape& s, const Tensor& grad, const Tensor& input, const Tensor& weight,
                                const NormResult& saved, bool for_input, bool for_weight, bool for_bias);

ORDO_DEVICES(void, batch_norm, const BatchNormShape& s, const Tensor& input, const BatchNormTensors& p,
             const NormResult& r)
ORDO_DEVICES(void, batch_norm_backward, const BatchNormShape& s, const Tensor& grad, const Tensor& input,
             const Tensor& weight, const NormResult& saved, const NormGradients& out)
ORDO_DEVICES(void, row_norm, const RowNormShape& s, const Tensor& input, const Tensor& weight, const Tensor& bias,
             const NormResult& r)
ORDO_DEVICES(void, row_norm_backward, const RowNormShape& s, const Tensor& grad, const Tensor& input,
             const Tensor& weight, const NormResult& saved, const NormGradients& out)

}  // namespace ordo::kernels

// Batch normalisation: kernels without autograd. Sums by rule 2 of docs/ordering.md.
#pragma once

#include <ordo/engine/tensor.h>
#include <ordo/kernels/reduce/rows.h>

namespace ordo::kernels {

struct BatchNormResult {
  Tensor out;
  Tensor mean, invstd;  // [C], in accumulation dtype: what `out` was computed with
};
/// Undefined tensors where there are no running statistics, weight or bias. Running statistics are changed in place
/// when training.
BatchNormResult batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                           const Tensor& weight, const Tensor& bias, bool training, double momentum, double eps);

struct BatchNormGradients {
  Tensor input, weight, bias;
};
BatchNormGradients batch_norm_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                       const BatchNormResult& saved, bool training);

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

namespace cpu {
void batch_norm(const BatchNormShape& s, const Tensor& input, const BatchNormTensors& p, const BatchNormResult& r);
void batch_norm_backward(const BatchNormShape& s, const Tensor& grad, const Tensor& input, const Tensor& weight,
                         const BatchNormResult& saved, const BatchNormGradients& out);
}  // namespace cpu
namespace cuda {
void batch_norm(const BatchNormShape& s, const Tensor& input, const BatchNormTensors& p, const BatchNormResult& r);
void batch_norm_backward(const BatchNormShape& s, const Tensor& grad, const Tensor& input, const Tensor& weight,
                         const BatchNormResult& saved, const BatchNormGradients& out);
}  // namespace cuda

}  // namespace ordo::kernels

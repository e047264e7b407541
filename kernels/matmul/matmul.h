// Matrix products of tensors, without autograd. Checks are those of the public functions.
#pragma once

#include <ordo/engine/tensor.h>
#include <ordo/kernels/matmul/gemm.h>

namespace ordo::kernels {

/// [..., m, k] x [..., k, n] -> [..., m, n]; the leading sizes broadcast. At least two dimensions each.
Tensor matmul(const Tensor& a, const Tensor& b, const char* op = "matmul");
/// x [..., in], weight [out, in], bias [out] or undefined -> [..., out].
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias);

/// The last two dimensions of `t` as a matrix that gemm takes; `t` is replaced by a copy when its strides do not serve.
MatrixView matrix_view(Tensor& t);

}  // namespace ordo::kernels

// Matrix products.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// The matrix product of the last two dimensions, as PyTorch's: [m, k] x [k, n] -> [m, n]. A vector on the left is a
/// row, one on the right a column, and their dimension is dropped from the result. Leading dimensions are batches and
/// broadcast.
///
/// Numeric dtypes, the same for both. ShapeError for 0-d tensors or sizes that do not fit. Determinism: run_to_run by
/// cuBLAS on CUDA; else, and at device_to_device, by own products in the order of rule 3 (docs/ordering.md).
Tensor matmul(const Tensor& a, const Tensor& b);
/// matmul of exactly two matrices.
Tensor mm(const Tensor& a, const Tensor& b);
/// matmul of exactly two batches, [b, m, k] x [b, k, n] -> [b, m, n], without broadcasting.
Tensor bmm(const Tensor& a, const Tensor& b);
/// y = x weight^T + bias: x [..., in], weight [out, in], bias [out] or none -> [..., out].
///
/// Dtypes, errors and determinism as matmul's; the bias is added last.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

}  // namespace ordo

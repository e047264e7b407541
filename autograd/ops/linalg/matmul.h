// Products of vectors, matrices and batches of them.
#pragma once

#include <utility>
#include <vector>

#include <ordo/engine/tensor/tensor.h>

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

// Products of vectors and matrices beside matmul.h's, made of them; sums of products have their order and determinism.
// Dtypes: numeric, one for all operands (DTypeError). ShapeError where sizes do not fit.

/// The sum of a[i] b[i], 0-d, of vectors of one size: by rule 2 of docs/ordering.md at every level, half types in
/// float.
Tensor dot(const Tensor& a, const Tensor& b);
/// A matrix [m, k] times a vector [k].
Tensor mv(const Tensor& a, const Tensor& b);
/// The matrix of all a[i] b[j] of two vectors. Promotes as arithmetic does.
Tensor outer(const Tensor& a, const Tensor& b);

/// beta input + alpha (a b): a product of matrices, and of batches of matrices; in addbmm the products of the batch are
/// added. input broadcasts to the result. It is not read where beta is 0. The product is rounded to its dtype first,
/// then times alpha, and added. As torch.addmm, baddbmm and addbmm.
Tensor addmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1);
Tensor baddbmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1);
Tensor addbmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1);

/// y[..., o] = sum over i and j of x1[..., i] weight[o, i, j] x2[..., j], plus bias[o]: x1 [..., m], x2 [..., n] with
/// one batch, weight [o, m, n], bias [o] or none. Two products: over i, then over j. As torch.nn.functional.bilinear.
Tensor bilinear(const Tensor& x1, const Tensor& x2, const Tensor& weight, const Tensor& bias = {});

/// Sums the products over dimensions dims.first[i] of a and dims.second[i] of b, which have one size; the others are
/// the result's, those of a first. A number: over so many last dimensions of a and first ones of b. As torch.tensordot.
Tensor tensordot(const Tensor& a, const Tensor& b, const std::pair<Dims, Dims>& dims);
Tensor tensordot(const Tensor& a, const Tensor& b, int64_t dims = 2);

/// The vectors along `dim` (3 elements) of a and b, multiplied as a x b; sizes broadcast. As torch.linalg.cross.
Tensor cross(const Tensor& a, const Tensor& b, int64_t dim = -1);
/// The Kronecker product: element (i d + k, j e + l) is a[i, j] b[k, l] for b of shape [d, e]; likewise in up to
/// kMaxDims / 2 dimensions, those that one has less being of size 1. As torch.kron.
Tensor kron(const Tensor& a, const Tensor& b);

}  // namespace ordo

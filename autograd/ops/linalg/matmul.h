// Products of vectors, matrices and batches of them. ValueError for an undefined tensor.
#pragma once

#include <utility>

#include <ordo/engine/run/matmul_algorithm.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// The matrix product of the last two dimensions, [m, k] x [k, n] -> [m, n].
///
/// Shapes: a vector on the left is a row, one on the right a column, and the result lacks that dimension. Leading
/// dimensions are batches and broadcast.
/// Dtypes: numeric, one for both; integers wrap.
/// Throws: ShapeError when an operand is 0-d or sizes do not fit; DTypeError when dtypes differ or are bool;
/// DeviceError when the tensors are on different devices.
/// Determinism: run_to_run by cuBLAS on CUDA; on the CPU, and at device_to_device, own products by ordering rule 3. By
/// `exact` (set_matmul_algorithm) ordering rule 5, at every level.
/// Gradient: of a, grad b^T; of b, a^T grad; added over broadcast batches.
/// PyTorch: torch.matmul.
Tensor matmul(const Tensor& a, const Tensor& b);
/// matmul of two matrices.
///
/// Shapes: [m, k] and [k, n] -> [m, n].
/// Dtypes, Throws, Determinism, Gradient: as matmul.
/// PyTorch: torch.mm.
Tensor mm(const Tensor& a, const Tensor& b);
/// matmul of two batches.
///
/// Shapes: [b, m, k] and [b, k, n] -> [b, m, n]; batches do not broadcast.
/// Dtypes, Throws, Determinism, Gradient: as matmul.
/// PyTorch: torch.bmm.
Tensor bmm(const Tensor& a, const Tensor& b);
/// input weight^T + bias.
///
/// Shapes: input [..., in], weight [out, in], bias [out] or none -> [..., out].
/// Dtypes, Throws: as matmul, of all three.
/// Determinism: as matmul; the bias is added last, by `exact` as one more product. Its gradient is added by ordering
/// rule 2.
/// Gradient: of input, grad weight; of weight, grad^T input; of bias, the sum of grad's rows.
/// PyTorch: torch.nn.functional.linear.
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});

/// The sum of a[i] b[i].
///
/// Shapes: two vectors of one size -> 0-d.
/// Dtypes: numeric, one for both; integers wrap.
/// Throws: as matmul.
/// Determinism: the same bits on every device at every level; ordering rule 2, half types in float.
/// Gradient: of a, grad b; of b, grad a.
/// PyTorch: torch.dot.
Tensor dot(const Tensor& a, const Tensor& b);
/// The product of a matrix and a vector.
///
/// Shapes: [m, k] and [k] -> [m].
/// Dtypes, Throws, Determinism, Gradient: as matmul.
/// PyTorch: torch.mv.
Tensor mv(const Tensor& a, const Tensor& b);
/// out[i, j] = a[i] b[j].
///
/// Shapes: [m] and [n] -> [m, n].
/// Dtypes: any; they promote as in arithmetic.h.
/// Throws: ShapeError when an operand is not a vector; DeviceError as matmul.
/// Determinism: the same bits on every device at every level; gradients are added by ordering rule 2.
/// Gradient: of a, the sum of grad b over j; of b, the sum of grad a over i.
/// PyTorch: torch.outer.
Tensor outer(const Tensor& a, const Tensor& b);

/// beta input + alpha (a b), of matrices (addmm) or batches of them (baddbmm); addbmm adds up the products of the
/// batch. The product is rounded to its dtype, then times alpha, and added. Where beta is 0, input is not read.
///
/// Shapes: as mm (addmm) and bmm (the others); the result is [b, m, n] of baddbmm, else [m, n]. input broadcasts to it.
/// Dtypes: numeric, one for all three; integers wrap.
/// Throws: as matmul; ShapeError also when input does not broadcast to the result; DTypeError also when alpha is
/// floating and the result is not; ValueError when a number does not fit the dtype.
/// Determinism: as matmul.
/// Gradient: of input, beta grad; of a and b, those of matmul times alpha.
/// PyTorch: torch.addmm, torch.baddbmm, torch.addbmm.
Tensor addmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1);
Tensor baddbmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1);
Tensor addbmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1);

/// y[..., o] = sum over i and j of x1[..., i] weight[o, i, j] x2[..., j], plus bias[o].
///
/// Shapes: x1 [..., m], x2 [..., n] with one batch, weight [o, m, n], bias [o] or none.
/// Dtypes, Throws: as matmul.
/// Determinism: as matmul; two products, over i, then over j.
/// Gradient: that of the products, and of bias the sum of grad by ordering rule 2.
/// PyTorch: torch.nn.functional.bilinear.
Tensor bilinear(const Tensor& x1, const Tensor& x2, const Tensor& weight, const Tensor& bias = {});

/// Sums the products over dimensions dims.first[i] of a and dims.second[i] of b.
///
/// Shapes: summed dimensions have one size; the others are the result's, those of a first.
/// Dtypes: as matmul.
/// Throws: as matmul; ValueError when the lists are not equally long, or one names a dimension twice; IndexError when a
/// dimension is out of range.
/// Determinism, Gradient: as matmul.
/// PyTorch: torch.tensordot.
Tensor tensordot(const Tensor& a, const Tensor& b, const std::pair<Dims, Dims>& dims);
/// Over the last `dims` dimensions of a and the first ones of b; ShapeError when they are not as many.
Tensor tensordot(const Tensor& a, const Tensor& b, int64_t dims = 2);

/// The vectors a x b, of those along `dim`.
///
/// Shapes: as many dimensions, of which `dim` has 3 elements; the others broadcast.
/// Dtypes: any but bool; they promote as in arithmetic.h.
/// Throws: ShapeError when sizes are others; IndexError when there is no dimension `dim`; DTypeError when both are
/// bool; DeviceError as matmul.
/// Determinism: as outer.
/// Gradient: of a, b x grad; of b, grad x a.
/// PyTorch: torch.linalg.cross.
Tensor cross(const Tensor& a, const Tensor& b, int64_t dim = -1);
/// The Kronecker product: element (i d + k, j e + l) is a[i, j] b[k, l] for b of shape [d, e].
///
/// Shapes: up to kMaxDims / 2 dimensions; those that one has less are of size 1 and come first.
/// Dtypes: any; they promote as in arithmetic.h.
/// Throws: ShapeError when there are more dimensions; DeviceError as matmul.
/// Determinism: as outer.
/// Gradient: of a, the sums of grad b over b's elements; of b, those of grad a over a's.
/// PyTorch: torch.kron.
Tensor kron(const Tensor& a, const Tensor& b);

}  // namespace ordo

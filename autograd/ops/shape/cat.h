// Joining tensors, and cutting them into views.
#pragma once

#include <vector>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// The tensors one after the other along `dim`.
///
/// Shapes: one number of dimensions, and one size along all of them but `dim`; 1-d tensors without elements fit
/// everywhere.
/// Dtypes: any; they promote.
/// Throws: ShapeError when sizes do not fit; ValueError when there are no tensors; IndexError when there is no
/// dimension `dim`; DeviceError when the tensors are on different devices.
/// Determinism: the same bits on every device at every level.
/// Gradient: of each tensor, its part of grad.
/// PyTorch: torch.cat.
Tensor cat(const TensorList& tensors, int64_t dim = 0);
/// The tensors along a new dimension `dim`.
///
/// Shapes: tensors of one shape; the result has one dimension more.
/// Dtypes, Throws, Determinism, Gradient: as cat.
/// PyTorch: torch.stack.
Tensor stack(const TensorList& tensors, int64_t dim = 0);
/// cat along columns: dimension 1, or 0 of 1-d tensors (hstack); along rows, vectors being rows (vstack); along
/// dimension 2, a tensor of fewer dimensions being [1, n, 1] or [m, n, 1] (dstack). 0-d tensors count as vectors.
///
/// Shapes, Dtypes, Throws, Determinism, Gradient: as cat.
/// PyTorch: torch.hstack, torch.vstack, torch.dstack.
Tensor hstack(const TensorList& tensors);
Tensor vstack(const TensorList& tensors);
Tensor dstack(const TensorList& tensors);

/// A matrix with the tensors on its diagonal, one behind the other, and zeros elsewhere. Vectors are rows.
///
/// Shapes: at most two dimensions each -> [sum of rows, sum of columns].
/// Dtypes: any; they promote.
/// Throws: ShapeError when a tensor has more dimensions; ValueError when there are no tensors; DeviceError when they
/// are on different devices.
/// Determinism: as cat.
/// Gradient: of each tensor, its block of grad.
/// PyTorch: torch.block_diag.
Tensor block_diag(const TensorList& tensors);

/// The slices input.select(dim, i), for all i: views without that dimension.
///
/// Shapes: size(dim) tensors of t's other sizes.
/// Dtypes: any.
/// Throws: IndexError when input is 0-d or has no dimension `dim`.
/// Determinism: the same bits on every device at every level.
/// Gradient: each slice's to its part of input.
/// PyTorch: torch.unbind.
TensorList unbind(const Tensor& input, int64_t dim = 0);
/// Views along `dim` of `split_size` elements each, of which the last may have fewer.
///
/// Shapes: t's sizes, but along `dim`.
/// Dtypes: any.
/// Throws: ValueError when split_size is negative, or 0 where the dimension is not empty; IndexError as unbind.
/// Determinism, Gradient: as unbind.
/// PyTorch: torch.split.
TensorList split(const Tensor& input, int64_t split_size, int64_t dim = 0);
/// The sizes given, one by one. ShapeError when they do not add up to size(dim).
TensorList split(const Tensor& input, const std::vector<int64_t>& split_sizes, int64_t dim = 0);
/// split into at most `chunks` parts of one size, of which the last may be smaller; into exactly `chunks` empty parts
/// where the dimension is empty.
///
/// Shapes, Dtypes: as split.
/// Throws: ValueError when chunks is not positive; IndexError as unbind.
/// Determinism, Gradient: as unbind.
/// PyTorch: torch.chunk.
TensorList chunk(const Tensor& input, int64_t chunks, int64_t dim = 0);
/// `sections` views whose sizes differ by at most one, the larger first.
///
/// Shapes, Dtypes: as split.
/// Throws: ValueError when sections is not positive; IndexError as unbind.
/// Determinism, Gradient: as unbind.
/// PyTorch: torch.tensor_split.
TensorList tensor_split(const Tensor& input, int64_t sections, int64_t dim = 0);
/// The slices before the first index, between each index and the next, and from the last on, by Python's rules.
TensorList tensor_split(const Tensor& input, const std::vector<int64_t>& indices, int64_t dim = 0);

}  // namespace ordo

// Views by other names than Tensor's methods have, grids of views, and copies of elements in another order. Any dtype;
// differentiable.
#pragma once

#include <optional>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// The dimensions source[i] moved to destination[i]; the others keep their order. A view.
///
/// Shapes: t's sizes, permuted.
/// Dtypes: any.
/// Throws: ValueError when the lists are not equally long, or one names a dimension twice; IndexError when a dimension
/// is out of range.
/// Determinism: the same bits on every device at every level.
/// Gradient: grad, moved back.
/// PyTorch: torch.movedim.
Tensor movedim(const Tensor& input, const Dims& source, const Dims& destination);
/// transpose: a view with two dimensions exchanged.
///
/// Shapes: t's sizes, permuted.
/// Dtypes: any.
/// Throws: IndexError when a dimension is out of range.
/// Determinism, Gradient: as movedim.
/// PyTorch: torch.swapaxes.
Tensor swapaxes(const Tensor& input, int64_t axis0, int64_t axis1);
/// Dimension `dim` as several of `sizes`, one of which may be -1. A view.
///
/// Shapes: t's, with `sizes` in place of `dim`.
/// Dtypes: any.
/// Throws: ShapeError when the product of sizes is not input.size(dim); IndexError when there is no dimension `dim`.
/// Determinism: as movedim.
/// Gradient: grad, flattened again.
/// PyTorch: torch.unflatten.
Tensor unflatten(const Tensor& input, int64_t dim, const Dims& sizes);
/// expand: a view of `sizes` (broadcast_to) or of other's sizes (expand_as) in which dimensions of size 1 are repeated.
///
/// Shapes: input broadcasts to the sizes.
/// Dtypes: any.
/// Throws: ShapeError when it does not.
/// Determinism: as movedim.
/// Gradient: the sum of grad over the repeated dimensions, by ordering rule 2.
/// PyTorch: torch.broadcast_to, Tensor.expand_as.
Tensor broadcast_to(const Tensor& input, const Dims& sizes);
Tensor expand_as(const Tensor& input, const Tensor& other);

/// The tensors as views of the sizes that they broadcast to.
///
/// Shapes: any that broadcast.
/// Dtypes: any.
/// Throws: ShapeError when sizes do not broadcast; ValueError when a tensor is undefined.
/// Determinism, Gradient: as broadcast_to.
/// PyTorch: torch.broadcast_tensors.
TensorList broadcast_tensors(const TensorList& tensors);
/// A view of any elements of t's memory: element (i, j, ...) is element storage_offset + i strides[0] + j strides[1] +
/// ... of the storage. Without storage_offset it begins where input does.
///
/// Shapes: any; the result has `sizes`.
/// Dtypes: any.
/// Throws: ValueError when sizes and strides are not equally many, a stride or the offset is negative, or an element
/// lies outside of the storage; AutogradError when input requires a gradient and is not contiguous, or an element lies
/// outside of input; ShapeError when a size is negative.
/// Determinism: as movedim.
/// Gradient: of each element of input, the sum of grad where the view shows it, by ordering rule 1.
/// PyTorch: torch.as_strided.
Tensor as_strided(const Tensor& input, const Dims& sizes, const Dims& strides,
                  std::optional<int64_t> storage_offset = {});

/// ij: the first tensor of meshgrid runs along dimension 0; xy: along dimension 1.
enum class MeshgridIndexing : unsigned char { ij, xy };
/// Of tensors of sizes n1, n2, ... as many grids; in the k-th, element (i1, i2, ...) is element ik of the k-th tensor.
/// With indexing xy the first two dimensions are exchanged.
///
/// Shapes: 1-d tensors, 0-d ones counting as 1 -> [n1, n2, ...] each.
/// Dtypes: any, one for all.
/// Throws: ShapeError when a tensor has more than one dimension; ValueError when there are no tensors, or `indexing` is
/// no value of MeshgridIndexing; DTypeError, DeviceError when tensors differ.
/// Determinism: as movedim.
/// Gradient: the sum of each grid's over the other dimensions, by ordering rule 2.
/// PyTorch: torch.meshgrid.
TensorList meshgrid(const TensorList& tensors, MeshgridIndexing indexing = MeshgridIndexing::ij);
/// All combinations of elements of the tensors, a row each, the last varying fastest; of one tensor itself.
///
/// Shapes: 1-d tensors -> [n1 n2 ..., tensors].
/// Dtypes, Throws, Determinism, Gradient: as meshgrid.
/// PyTorch: torch.cartesian_prod.
Tensor cartesian_prod(const TensorList& tensors);

/// A tensor of `sizes` that is zero but for `.slice(dim, start, end, step)`, which is grad.
///
/// Shapes: grad has the slice's shape.
/// Dtypes: any.
/// Throws: ShapeError when it has not; IndexError when there is no dimension `dim`; ValueError when step is not
/// positive.
/// Determinism: as movedim.
/// Gradient: the slice.
/// PyTorch: no counterpart.
Tensor slice_backward(const Tensor& grad, const Dims& sizes, int64_t dim, int64_t start, int64_t end, int64_t step);

/// A copy with the elements in reverse order along `dims`.
///
/// Shapes: any, kept.
/// Dtypes: any.
/// Throws: IndexError when a dimension is out of range; ValueError when one is named twice.
/// Determinism: as movedim.
/// Gradient: grad, flipped.
/// PyTorch: torch.flip.
Tensor flip(const Tensor& input, const Dims& dims);
/// A copy in which element i along dims[k] has moved to i + shifts[k], and round the end. Without dims: of the
/// flattened tensor, by one shift.
///
/// Shapes: any, kept.
/// Dtypes: any.
/// Throws: ValueError when there are not as many shifts as dims; IndexError when a dimension is out of range.
/// Determinism: as movedim.
/// Gradient: grad, rolled back.
/// PyTorch: torch.roll.
Tensor roll(const Tensor& input, const Dims& shifts, const Dims& dims = {});
/// Matrices turned k times by a right angle, from dims[0] towards dims[1].
///
/// Shapes: two dimensions or more; for odd k the two sizes are exchanged.
/// Dtypes: any.
/// Throws: ValueError when dims does not name two dimensions; IndexError when one is out of range.
/// Determinism: as movedim.
/// Gradient: grad, turned back.
/// PyTorch: torch.rot90.
Tensor rot90(const Tensor& input, int64_t k = 1, const Dims& dims = {0, 1});

/// Blocks of r r channels become r x r pixels, r = upscale_factor: pixel (h r + u, w r + v) of channel c is x[c r r + u
/// r + v, h, w]. A copy, or the input where r is 1.
///
/// Shapes: [..., C r r, H, W] -> [..., C, H r, W r].
/// Dtypes: any.
/// Throws: ShapeError when input has fewer than three dimensions or channels are no multiple of r r; ValueError when r
/// is below 1.
/// Determinism: as movedim.
/// Gradient: pixel_unshuffle of grad.
/// PyTorch: torch.nn.functional.pixel_shuffle.
Tensor pixel_shuffle(const Tensor& input, int64_t upscale_factor);

/// The inverse of pixel_shuffle, r = downscale_factor.
///
/// Shapes: [..., C, H r, W r] -> [..., C r r, H, W].
/// Dtypes: any.
/// Throws: ShapeError when input has fewer than three dimensions or H, W are no multiples of r; ValueError when r is
/// below 1.
/// Determinism: as movedim.
/// Gradient: pixel_shuffle of grad.
/// PyTorch: torch.nn.functional.pixel_unshuffle.
Tensor pixel_unshuffle(const Tensor& input, int64_t downscale_factor);

}  // namespace ordo

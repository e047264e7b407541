// Views by other names than Tensor's methods have, grids of views, and copies of elements in another order. Any dtype;
// differentiable.
#pragma once

#include <string_view>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// The dimensions source[i] moved to destination[i]; the others keep their order. ValueError unless both name as many
/// dimensions, each once. As torch.movedim.
Tensor movedim(const Tensor& t, const Dims& source, const Dims& destination);
/// transpose. As torch.swapaxes.
Tensor swapaxes(const Tensor& t, int64_t axis0, int64_t axis1);
/// Dimension `dim` as several of `sizes`, one of which may be -1. ShapeError unless their product is its size. As
/// torch.unflatten.
Tensor unflatten(const Tensor& t, int64_t dim, const Dims& sizes);
/// expand. As torch.broadcast_to.
Tensor broadcast_to(const Tensor& t, const Dims& sizes);
Tensor expand_as(const Tensor& t, const Tensor& other);

/// For tensors of sizes n1, n2, ... (0-d ones count as 1) as many grids of shape [n1, n2, ...], in the k-th of which
/// element (i1, i2, ...) is element ik of the k-th tensor. With indexing "xy" the first two dimensions are exchanged.
/// One dtype and device; ShapeError for more than one dimension, ValueError for no tensors or another `indexing`. As
/// torch.meshgrid.
TensorList meshgrid(const TensorList& tensors, std::string_view indexing = "ij");
/// All combinations of elements of 1-d tensors, a row each, the last varying fastest; of one tensor itself. As
/// torch.cartesian_prod.
Tensor cartesian_prod(const TensorList& tensors);

/// A tensor of `sizes` that is zero but for `.slice(dim, start, end, step)`, which is `grad`. Differentiable.
Tensor slice_backward(const Tensor& grad, const Dims& sizes, int64_t dim, int64_t start, int64_t end, int64_t step);

/// The elements in reverse order along `dims`. IndexError for a dimension out of range, ValueError for one named twice.
/// As torch.flip.
Tensor flip(const Tensor& t, const Dims& dims);
/// Element i along dims[k] moves to i + shifts[k], and round the end. Without dims: of the flattened tensor, by one
/// shift. ValueError unless there are as many shifts as dims. As torch.roll.
Tensor roll(const Tensor& t, const Dims& shifts, const Dims& dims = {});
/// Matrices turned k times by a right angle, from dims[0] towards dims[1]. ValueError unless dims names two dimensions.
/// As torch.rot90.
Tensor rot90(const Tensor& t, int64_t k = 1, const Dims& dims = {0, 1});

/// Blocks of r r channels become r x r pixels, r = upscale_factor: [..., C, H r, W r] of an input [..., C r r, H, W];
/// pixel (h r + u, w r + v) of channel c is x[c r r + u r + v, h, w]. Any dtype. Errors: ShapeError, ValueError.
/// A copy, or the input where r is 1; the same at every level. As torch.nn.functional.pixel_shuffle.
Tensor pixel_shuffle(const Tensor& input, int64_t upscale_factor);

/// The inverse: [..., C r r, H, W] of an input [..., C, H r, W r], r = downscale_factor.
Tensor pixel_unshuffle(const Tensor& input, int64_t downscale_factor);

}  // namespace ordo

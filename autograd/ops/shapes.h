// Views by other names than Tensor's methods have, and grids of views. No data is copied; differentiable.
#pragma once

#include <string_view>

#include <ordo/engine/tensor.h>

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

}  // namespace ordo

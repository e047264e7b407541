// Maxima put back to where they were.
#pragma once

#include <ordo/engine/size.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// Zeros, but for each element of the input at the place that `indices` gives: the inverse of
/// max_pool1d_with_indices, 2d and 3d as far as there is one.
/// input and indices: of one shape, [N, C, spatial...] or [C, spatial...]; input floating, indices int64 or int32, flat
/// positions in a channel of the result; negative ones count from its end. output_size: the result's spatial sizes, or
/// all of its sizes; when left out (input - 1) stride - 2 padding + kernel, from which it may differ by less than the
/// stride. stride: the kernel when left out. Of several elements with one place the last one stays, in row-major order.
/// Errors: DTypeError, DeviceError, ShapeError, ValueError; IndexError for an index out of range.
///
/// Determinism: the same bits at every level and on every device. Gradient: of every element the gradient at its place,
/// also of those that did not stay, as in PyTorch. As torch.nn.functional.max_unpool1d, 2d and 3d.
Tensor max_unpool1d(const Tensor& input, const Tensor& indices, Size1 kernel_size, OptionalSize1 stride = {},
                    Size1 padding = 0, const Dims& output_size = {});
Tensor max_unpool2d(const Tensor& input, const Tensor& indices, Size2 kernel_size, OptionalSize2 stride = {},
                    Size2 padding = 0, const Dims& output_size = {});
Tensor max_unpool3d(const Tensor& input, const Tensor& indices, Size3 kernel_size, OptionalSize3 stride = {},
                    Size3 padding = 0, const Dims& output_size = {});

}  // namespace ordo

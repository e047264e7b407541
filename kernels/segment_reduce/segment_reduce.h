// Sums, means, products and extreme values of consecutive slices: kernels without autograd.
#pragma once

#include <optional>

#include <ordo/engine/calls/index_check.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/reduce.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// Where segments begin and end: slice d of an axis is in segment s when offsets[s] <= d < offsets[s + 1]. Each of the
/// `rows`, which are the dimensions before the axis, has offsets of its own.
struct Segments {
  const int64_t* offsets;  // [rows, per_row + 1], in [0, size] and not descending
  int64_t rows, per_row, size;

  int64_t count() const { return rows * per_row; }
  int64_t slices() const { return rows * size; }
};

/// int64 offsets [data's dimensions before `axis`..., segments + 1], contiguous, of the arguments of the public
/// function: checked, or on CUDA under way to be.
Tensor segment_offsets(const Tensor& data, const Tensor& lengths, const Tensor& offsets, int64_t axis, bool unsafe);

/// The reduction of each segment of `axis`. An empty one gives 0, NaN, 1, -inf or inf, or `initial`.
Tensor segment_reduce(const Tensor& data, const Tensor& offsets, int axis, Reduce reduction,
                      std::optional<double> initial);

/// The adjoint of the sum: of `x`, one slice for each segment, `size` slices, each its segment's; 0 in no segment.
Tensor segment_expand(const Tensor& x, const Tensor& offsets, int axis, int64_t size);

struct SegmentArgs {
  Segments segments;
  int64_t columns;
  Reduce reduction;
  std::optional<double> initial;
};

/// What offsets must be besides in [0, size] and not descending: whether the first one of a row is 0, and its last one
/// the size.
struct OffsetRule {
  bool from_zero, to_size;
};

// Tensors are contiguous.
ORDO_DEVICES(void, check_offsets, const Segments& segments, const OffsetRule& rule, const IndexCheck& check,
             Device device)
ORDO_DEVICES(void, segment_reduce, const SegmentArgs& args, const Tensor& data, const Tensor& out)
ORDO_DEVICES(void, segment_expand, const Segments& segments, int64_t columns, const Tensor& x, const Tensor& out)

}  // namespace ordo::kernels

// What computes with segments on a device. Internal.
#pragma once

#include <ordo/engine/calls/index_check.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/kernels/segment_reduce/segment_reduce.h>

namespace ordo::kernels {

struct SegmentArgs {
  Segments segments;
  int64_t columns;
  Reduce reduction;
  bool has_initial;
  double initial;
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

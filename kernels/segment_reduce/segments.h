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

// Tensors are contiguous.
/// `complete`: the last offset of a row is the size.
ORDO_DEVICES(void, check_offsets, const Segments& segments, bool complete, const IndexCheck& check, Device device)
ORDO_DEVICES(void, segment_reduce, const SegmentArgs& args, const Tensor& data, const Tensor& out)
ORDO_DEVICES(void, segment_expand, const Segments& segments, int64_t columns, const Tensor& x, const Tensor& out)

}  // namespace ordo::kernels

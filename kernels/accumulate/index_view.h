// Index tensors in Items functors: int32 or int64, decided at run time to halve the number of kernels.
#pragma once

#include <cstdint>

#include <ordo/engine/calls/index_check.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// A contiguous index tensor whose values must lie in [0, size).
struct IndexView {
  const void* data = nullptr;
  bool wide = true;  // int64
  int64_t size = 0;
  int64_t step = 1;  // element i stands at flat position i * step of the tensor that the user gave
  IndexCheck check = {};

  ORDO_HD int64_t raw(int64_t i) const {
    return wide ? static_cast<const int64_t*>(data)[i] : int64_t(static_cast<const int32_t*>(data)[i]);
  }
  /// `v` = raw(i), or -1 where it is out of range, which is recorded.
  ORDO_HD int64_t checked(int64_t i, int64_t v) const { return check.ok(i * step, v, size) ? v : -1; }
  ORDO_HD int64_t operator[](int64_t i) const { return checked(i, raw(i)); }
  /// raw(i), or -1 where it is out of range; nothing is recorded.
  ORDO_HD int64_t unrecorded(int64_t i) const {
    const int64_t v = raw(i);
    return uint64_t(v) < uint64_t(size) ? v : -1;
  }
};

/// A view of `index`, contiguous int32 or int64.
IndexView index_view(const Tensor& index, int64_t size, const IndexGuard& guard, int64_t step = 1);
/// A view of an index that was checked before, for a dimension of that size, where it matters.
IndexView index_view(const Tensor& index, int64_t size = 0);
/// On the CPU, looks at all `count` indices and throws IndexError for the first that is out of range, so that an
/// in-place operation finds out before it writes to `output`; not where `exact` will look at them before it writes. On
/// CUDA nothing: the kernel skips and records them.
void validate_on_cpu(const IndexView& index, int64_t count, const IndexGuard& guard, const Tensor& output,
                     Algorithm algorithm);

}  // namespace ordo::kernels

// Partial results that are added left to right. Internal.
#pragma once

#include <cstdint>

#include <ordo/engine/tensor/device.h>

namespace ordo::kernels {

/// total[e] = (first ? nothing : total[e]) + parts[e] + parts[size + e] + ... of `count` parts, for e < size.
/// A is float or double.
template <class A>
void add_parts(const A* parts, int64_t count, int64_t size, bool first, A* total, Device device);

namespace cpu {
template <class A>
void add_parts(const A* parts, int64_t count, int64_t size, bool first, A* total, Device device);
}  // namespace cpu
namespace cuda {
template <class A>
void add_parts(const A* parts, int64_t count, int64_t size, bool first, A* total, Device device);
}  // namespace cuda

}  // namespace ordo::kernels

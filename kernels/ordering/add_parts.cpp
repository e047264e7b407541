#include <ordo/kernels/ordering/add_parts.h>

#include <algorithm>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/run/parallel.h>

namespace ordo::kernels {

template <class A>
void cpu::add_parts(const A* parts, int64_t count, int64_t size, bool first, A* total, Device) {
  parallel_for(0, size, 16384, [&](int64_t begin, int64_t end) {
    if (first) std::copy(parts + begin, parts + end, total + begin);
    for (int64_t p = first ? 1 : 0; p < count; ++p)
      for (int64_t e = begin; e < end; ++e) total[e] = total[e] + parts[p * size + e];
  });
}

template <class A>
void add_parts(const A* parts, int64_t count, int64_t size, bool first, A* total, Device device) {
  ORDO_ON_DEVICE(device, add_parts, parts, count, size, first, total, device);
}

template void add_parts(const float*, int64_t, int64_t, bool, float*, Device);
template void add_parts(const double*, int64_t, int64_t, bool, double*, Device);

}  // namespace ordo::kernels

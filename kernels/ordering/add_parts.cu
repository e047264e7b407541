#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/ordering/add_parts.h>

namespace ordo::kernels::cuda {
namespace {

template <class A>
__global__ void add_parts_kernel(const A* parts, int64_t count, int64_t size, bool first, A* total) {
  for (int64_t e = ordo::cuda::thread_index(); e < size; e += ordo::cuda::thread_count()) {
    A sum = first ? parts[e] : total[e];
    for (int64_t p = first ? 1 : 0; p < count; ++p) sum = sum + parts[p * size + e];
    total[e] = sum;
  }
}

}  // namespace

template <class A>
void add_parts(const A* parts, int64_t count, int64_t size, bool first, A* total, Device device) {
  ordo::cuda::launch_over(add_parts_kernel<A>, size, ordo::cuda::current_stream(device), parts, count, size, first,
                          total);
}

template void add_parts(const float*, int64_t, int64_t, bool, float*, Device);
template void add_parts(const double*, int64_t, int64_t, bool, double*, Device);

}  // namespace ordo::kernels::cuda

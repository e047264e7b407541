#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/dispatch_word.h>
#include <ordo/kernels/elementwise/where_loops.h>

namespace ordo::kernels::cuda {
namespace {

template <class T>
__global__ void where_kernel(Layout<4> layout, T* out, const bool* condition, const T* a, T a_bits, const T* b,
                             T b_bits) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < layout.numel; i += ordo::cuda::thread_count()) {
    int64_t at[4];
    offsets_at(layout, i, at);
    out[at[0]] = condition[at[1]] ? (a ? a[at[2]] : a_bits) : (b ? b[at[3]] : b_bits);
  }
}

template <class T>
void where_loop(const WhereArgs& args) {
  ordo::cuda::DeviceScope scope(args.device);
  ordo::cuda::launch_over(where_kernel<T>, args.layout.numel, ordo::cuda::current_stream(args.device), args.layout,
                          static_cast<T*>(args.out), args.condition, static_cast<const T*>(args.a), T(args.a_bits),
                          static_cast<const T*>(args.b), T(args.b_bits));
}

}  // namespace

void where(const WhereArgs& args) {
  dispatch_word(args.element_size, [&]<class T>() { where_loop<T>(args); });
}

}  // namespace ordo::kernels::cuda

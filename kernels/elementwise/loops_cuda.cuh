// CUDA's loop over an elementwise functor, the counterpart of loops_cpu.h. Internal: for *.loops.h.
#pragma once

#include <utility>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/elementwise/convert.h>
#include <ordo/kernels/elementwise/loop.h>

#define ORDO_LOOPS_DEVICE cuda

namespace ordo::kernels::cuda {

/// A tensor's elements, or one number when p is null.
template <class T>
struct Elements {
  const T* p;
  math_t<T> number;
  ORDO_HD math_t<T> operator[](int64_t offset) const { return p ? math_t<T>(p[offset]) : number; }
};

template <class F, class... T, size_t... K>
ORDO_HD auto value_at(const int64_t* offsets, const F& f, std::index_sequence<K...>, const Elements<T>&... in) {
  return f(in[offsets[K + 1]]...);
}

template <class R, class F, class... T>
__global__ void elementwise_kernel(Layout<sizeof...(T) + 1> layout, R* out, F f, Elements<T>... in) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < layout.numel; i += ordo::cuda::thread_count()) {
    if constexpr (sizeof...(T) == 1) {
      out[i] = R(f(in[i]...));
    } else {
      int64_t at[sizeof...(T) + 1];
      offsets_at(layout, i, at);
      out[at[0]] = R(value_at(at, f, std::index_sequence_for<T...>(), in...));
    }
  }
}

/// out = f(in...), R and T being the types of out and in.
template <class R, class... T, class F>
void loop(const LoopArgs<sizeof...(T)>& args, const F& f) {
  ordo::cuda::DeviceScope scope(args.device);
  void (*const kernel)(Layout<sizeof...(T) + 1>, R*, F, Elements<T>...) = elementwise_kernel<R, F, T...>;
  [&]<size_t... K>(std::index_sequence<K...>) {
    ordo::cuda::launch_over(kernel, args.layout.numel, ordo::cuda::current_stream(args.device), args.layout,
                            static_cast<R*>(args.out), f,
                            Elements<T>{static_cast<const T*>(args.in[K].data), scalar_as<T>(args.in[K].number)}...);
  }
  (std::index_sequence_for<T...>());
}

}  // namespace ordo::kernels::cuda

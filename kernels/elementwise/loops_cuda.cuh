// CUDA's loop over an elementwise functor, the counterpart of loops_cpu.h. Internal: for *.loops.h.
#pragma once

#include <algorithm>
#include <cstdint>
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

// -- functions of a few instructions, whose time is that of memory

/// Neighbouring elements that a thread reads, or writes, at once.
template <class T, int V>
struct alignas(V * sizeof(T)) ElementPack {
  T v[V];
};

template <class T, int V>
struct Values {
  math_t<T> v[V];
  ORDO_HD Values(const Elements<T>& from, int64_t i) {
    if (from.p) {
      const auto pack = *reinterpret_cast<const ElementPack<T, V>*>(from.p + i);
      for (int k = 0; k < V; ++k) v[k] = math_t<T>(pack.v[k]);
    } else {
      for (int k = 0; k < V; ++k) v[k] = from.number;
    }
  }
};
template <int V, class R, class F, class... In>
ORDO_HD void store_values(R* out, const F& f, const In&... in) {
  ElementPack<R, V> pack;
  for (int k = 0; k < V; ++k) pack.v[k] = R(f(in.v[k]...));
  *reinterpret_cast<ElementPack<R, V>*>(out) = pack;
}

// With 16 bytes a thread an H200 copies twice as fast as with 4, and almost four times as fast as with 2
// (docs/gpu-model.md).
template <int V, class R, class F, class... T>
__global__ void flat_kernel(int64_t n, R* out, F f, Elements<T>... in) {
  ORDO_NO_UNROLL
  for (int64_t i = V * ordo::cuda::thread_index(); i < n; i += V * ordo::cuda::thread_count()) {
    if (i + V <= n) {
      store_values<V>(out + i, f, Values<T, V>(in, i)...);
    } else {
      ORDO_NO_UNROLL
      for (int64_t k = i; k < n; ++k) out[k] = R(f(in[k]...));
    }
  }
}

template <class R, class... T>
constexpr int kPack = std::min(8, 16 / int(std::max({sizeof(R), sizeof(T)...})));

/// Whether a thread may read, or write, packs of `width` elements. Null pointers stand for numbers.
template <class T>
bool is_aligned(const T* p, int width) {
  return reinterpret_cast<uintptr_t>(p) % (size_t(width) * sizeof(T)) == 0;
}

/// out[i] = f(in[i]...) for i < n. False, and nothing, where memory is not aligned.
template <class R, class... T, class F>
bool flat_loop(int64_t n, R* out, const F& f, Device device, const Elements<T>&... in) {
  constexpr int width = kPack<R, T...>;
  if (!is_aligned(out, width) || !(is_aligned(in.p, width) && ...)) return false;
  const ordo::cuda::DeviceScope scope(device);
  void (*const kernel)(int64_t, R*, F, Elements<T>...) = flat_kernel<width, R, F, T...>;
  ordo::cuda::launch_over(kernel, (n + width - 1) / width, ordo::cuda::current_stream(device), n, out, f, in...);
  return true;
}

/// loop() of such a function.
template <class R, class... T, class F>
void short_loop(const LoopArgs<sizeof...(T)>& args, const F& f) {
  const auto& strides = args.layout.strides;
  bool flat = args.layout.rank == 1 && strides[0][0] == 1;
  for (size_t k = 0; k < sizeof...(T); ++k) flat = flat && (!args.in[k].data || strides[k + 1][0] == 1);
  const bool done = flat&& [&]<size_t... K>(std::index_sequence<K...>) {
    return flat_loop<R, T...>(args.layout.numel, static_cast<R*>(args.out), f, args.device,
                              Elements<T>{static_cast<const T*>(args.in[K].data), scalar_as<T>(args.in[K].number)}...);
  }
  (std::index_sequence_for<T...>());
  if (!done) loop<R, T...>(args, f);
}

}  // namespace ordo::kernels::cuda

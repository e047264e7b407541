// CUDA loops over elementwise functors, the counterpart of loops_cpu.h. Internal: for *.loops.h.
#pragma once

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/dispatch.h>
#include <ordo/kernels/elementwise/binary.h>
#include <ordo/kernels/elementwise/convert.h>
#include <ordo/kernels/elementwise/ternary.h>
#include <ordo/kernels/elementwise/unary.h>

#define ORDO_LOOPS_DEVICE cuda

namespace ordo::kernels::cuda {

/// A tensor's elements, or one number when p is null.
template <class T>
struct Elements {
  const T* p;
  math_t<T> value;
  ORDO_HD math_t<T> operator[](int64_t offset) const { return p ? math_t<T>(p[offset]) : value; }
};

template <class R, class T, class F>
__global__ void unary_kernel(int64_t numel, R* out, const T* in, F f) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < numel; i += ordo::cuda::thread_count())
    out[i] = R(f(math_t<T>(in[i])));
}

template <class R, class T, class F>
__global__ void binary_kernel(Layout<3> layout, R* out, Elements<T> a, Elements<T> b, F f) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < layout.numel; i += ordo::cuda::thread_count()) {
    int64_t at[3];
    offsets_at(layout, i, at);
    out[at[0]] = R(f(a[at[1]], b[at[2]]));
  }
}

template <class T, class F>
__global__ void ternary_kernel(Layout<4> layout, T* out, Elements<T> a, Elements<T> b, Elements<T> c, F f) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < layout.numel; i += ordo::cuda::thread_count()) {
    int64_t at[4];
    offsets_at(layout, i, at);
    out[at[0]] = T(f(a[at[1]], b[at[2]], c[at[3]]));
  }
}

template <class T, class F>
void ternary_loop(const TernaryArgs& args, F f) {
  ordo::cuda::DeviceScope scope(args.device);
  const Elements<T> a{static_cast<const T*>(args.a), math_t<T>(0)}, b{static_cast<const T*>(args.b), math_t<T>(0)};
  const Elements<T> c{static_cast<const T*>(args.c), scalar_as<T>(args.c_value)};
  ordo::cuda::launch_over(ternary_kernel<T, F>, args.layout.numel, ordo::cuda::current_stream(args.device), args.layout,
                          static_cast<T*>(args.out), a, b, c, f);
}

template <class R, class T, class F>
void unary_loop(const UnaryArgs& args, const F& f) {
  ordo::cuda::DeviceScope scope(args.device);
  ordo::cuda::launch_over(unary_kernel<R, T, F>, args.numel, ordo::cuda::current_stream(args.device), args.numel,
                          static_cast<R*>(args.out), static_cast<const T*>(args.in), f);
}

/// Test and g are for CPUs.
template <class T, class F, class Test, class G>
void unary_loop_in_stretches(const UnaryArgs& args, const F& f, const Test&, const G&) {
  unary_loop<T, T>(args, f);
}

template <class R, class T, class F>
void binary_loop(const BinaryArgs& args, const F& f) {
  ordo::cuda::DeviceScope scope(args.device);
  const Elements<T> a{static_cast<const T*>(args.a), scalar_as<T>(args.a_value)};
  const Elements<T> b{static_cast<const T*>(args.b), scalar_as<T>(args.b_value)};
  ordo::cuda::launch_over(binary_kernel<R, T, F>, args.layout.numel, ordo::cuda::current_stream(args.device),
                          args.layout, static_cast<R*>(args.out), a, b, f);
}

template <class R, class T, class F>
void gathering_binary_loop(const BinaryArgs& args, const F& f) {  // a thread has one element of each operand anyway
  binary_loop<R, T>(args, f);
}
template <class R, class T, class F>
void quotient_loop(const BinaryArgs& args, const F& f) {
  binary_loop<R, T>(args, f);
}

}  // namespace ordo::kernels::cuda

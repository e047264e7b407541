// From a DType at run time to a type at compile time.
//   dispatch_floating("relu", t.dtype(), [&]<class T>() { ... t.data<T>() ... });
#pragma once

#include <ordo/engine/calls/check.h>

namespace ordo {

/// Calls f.operator()<T>(), T being the type of t. Throws: DTypeError when t is not floating.
template <class F>
decltype(auto) dispatch_floating(const char* op, DType t, F&& f) {
  switch (t) {
    case DType::float16:
      return f.template operator()<Half>();
    case DType::bfloat16:
      return f.template operator()<BFloat16>();
    case DType::float32:
      return f.template operator()<float>();
    case DType::float64:
      return f.template operator()<double>();
    default:
      detail::fail<DTypeError>(op, "takes floating-point tensors, not {}", t);
  }
}

/// Calls f.operator()<T>(), T being the type of t. Throws: DTypeError when t is bool.
template <class F>
decltype(auto) dispatch_numeric(const char* op, DType t, F&& f) {
  switch (t) {
    case DType::uint8:
      return f.template operator()<uint8_t>();
    case DType::int32:
      return f.template operator()<int32_t>();
    case DType::int64:
      return f.template operator()<int64_t>();
    case DType::boolean:
      detail::fail<DTypeError>(op, "does not take bool tensors");
    default:
      return dispatch_floating(op, t, f);
  }
}

/// Calls f.operator()<T>(), T being the type of t, which may be any.
template <class F>
decltype(auto) dispatch_all(const char* op, DType t, F&& f) {
  if (t == DType::boolean) return f.template operator()<bool>();
  return dispatch_numeric(op, t, f);
}

/// Calls f.operator()<T>(), T being the type of t. Throws: DTypeError when t is floating.
template <class F>
decltype(auto) dispatch_integral(const char* op, DType t, F&& f) {
  switch (t) {
    case DType::boolean:
      return f.template operator()<bool>();
    case DType::uint8:
      return f.template operator()<uint8_t>();
    case DType::int32:
      return f.template operator()<int32_t>();
    case DType::int64:
      return f.template operator()<int64_t>();
    default:
      detail::fail<DTypeError>(op, "takes integers and bool, not {}", t);
  }
}

/// Calls f.operator()<T>(), T being the type of t. Throws: DTypeError when t is neither int32 nor int64.
template <class F>
decltype(auto) dispatch_index(const char* op, DType t, F&& f) {
  switch (t) {
    case DType::int32:
      return f.template operator()<int32_t>();
    case DType::int64:
      return f.template operator()<int64_t>();
    default:
      detail::fail<DTypeError>(op, "takes indices of dtype int32 or int64, not {}", t);
  }
}

}  // namespace ordo

// Calls cpu::f(...) or cuda::f(...), declared side by side in the kernel's header. Without CUDA there are no CUDA
// tensors.
#if ORDO_HAS_CUDA
#define ORDO_ON_DEVICE(device, f, ...) ((device).is_cpu() ? cpu::f(__VA_ARGS__) : cuda::f(__VA_ARGS__))
#else
#define ORDO_ON_DEVICE(device, f, ...) cpu::f(__VA_ARGS__)
#endif

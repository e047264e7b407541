// What unary operations share: checks and the arguments of a device's loop. Internal.
#pragma once

#include <ordo/engine/tensor_impl.h>

namespace ordo::kernels {

/// out[i] = f(in[i]), both contiguous. `dtype` is that of `in`; p, q and r are parameters of some operations.
struct UnaryArgs {
  int64_t numel;
  void* out;
  const void* in;
  Scalar p{0}, q{0}, r{0};
  DType dtype;
  Device device;
};

using UnaryLoop = void (*)(const UnaryArgs&);

/// A unary operation: its name and its loop on either device.
struct UnaryOp {
  const char* name;
  UnaryLoop on_cpu, on_cuda;

  /// A new tensor of dtype `out`, `t` being made contiguous and of dtype `compute` first.
  Tensor operator()(const Tensor& t, DType compute, DType out, Scalar p = 0, Scalar q = 0, Scalar r = 0) const;
};

}  // namespace ordo::kernels

// Declares a loop of either device, in namespace ordo::kernels.
#define ORDO_UNARY_LOOP(name)  \
  namespace cpu {              \
  void name(const UnaryArgs&); \
  }                            \
  namespace cuda {             \
  void name(const UnaryArgs&); \
  }

#if ORDO_HAS_CUDA
#define ORDO_UNARY_OP(label, function) \
  ::ordo::kernels::UnaryOp { label, cpu::function, cuda::function }
#else
#define ORDO_UNARY_OP(label, function) \
  ::ordo::kernels::UnaryOp { label, cpu::function, nullptr }
#endif

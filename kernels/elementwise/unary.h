// What unary operations share: checks and the arguments of a device's loop. Internal.
#pragma once

#include <ordo/kernels/elementwise/layout.h>

namespace ordo::kernels {

/// out = f(in). `dtype` is that of `in`; p and q are parameters of some operations.
struct UnaryArgs {
  Layout<2> layout;
  void* out;
  const void* in;
  Scalar p{0}, q{0};
  DType dtype;
  Device device;
};

using UnaryLoop = void (*)(const UnaryArgs&);

/// A unary operation: its name and its loop on either device.
struct UnaryOp {
  const char* name;
  UnaryLoop on_cpu, on_cuda;

  /// A new tensor of dtype `out`, `t` being converted to `compute` first.
  Tensor operator()(const Tensor& t, DType compute, DType out, Scalar p = 0, Scalar q = 0) const;
};

}  // namespace ordo::kernels

#if ORDO_HAS_CUDA
#define ORDO_UNARY_OP(label, function) \
  ::ordo::kernels::UnaryOp { label, cpu::function, cuda::function }
#else
#define ORDO_UNARY_OP(label, function) \
  ::ordo::kernels::UnaryOp { label, cpu::function, nullptr }
#endif

// What elementwise operations share: the operands of a device's loop, and the tensor that it fills. Internal.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/kernels/elementwise/layout.h>
#include <ordo/kernels/elementwise/operand.h>

namespace ordo::kernels {

/// Numbers that some functions take beside their operands.
struct Numbers {
  Scalar p = 0, q = 0, r = 0;
};

/// out = f(in...), of N operands. A null pointer means the operand is the number beside it. `dtype` is that of the
/// operands. Of one operand, both are contiguous.
template <int N>
struct LoopArgs {
  struct In {
    const void* data = nullptr;
    Scalar number = 0;
  };
  Layout<N + 1> layout;
  void* out;
  In in[N];
  Numbers numbers;
  DType dtype;
  Device device;
};

/// An elementwise operation: its name, for errors, and its loop on either device.
template <int N>
class LoopOp {
 public:
  constexpr LoopOp(const char* op, void (*on_cpu)(const LoopArgs<N>&), void (*on_cuda)(const LoopArgs<N>&) = nullptr)
      : name(op), on_cpu_(on_cpu), on_cuda_(on_cuda) {}

  /// A new tensor of dtype `out`. Operands are converted to `compute` first, and broadcast; numbers must fit it if it
  /// is an integer type. At least one is a tensor.
  Tensor operator()(const Operand (&in)[N], DType compute, DType out, const Numbers& numbers = {}) const;
  /// Fills `out`, to whose sizes the operands broadcast; those that are null are numbers, which args.in has.
  void run(LoopArgs<N>& args, const TensorImpl* out, const TensorImpl* const (&in)[N]) const;

  const char* const name;

 private:
  void (*on_cpu_)(const LoopArgs<N>&);
  void (*on_cuda_)(const LoopArgs<N>&);
};

/// Throws unless the operands are defined, on one device, and at least one is a tensor.
void expect_operands(const char* op, const Operand& a, const Operand& b);

}  // namespace ordo::kernels

#if ORDO_HAS_CUDA
#define ORDO_LOOP_OP(name, function) ::ordo::kernels::LoopOp(name, cpu::function, cuda::function)
#else
#define ORDO_LOOP_OP(name, function) ::ordo::kernels::LoopOp(name, cpu::function)
#endif

// What binary operations share: checks, promotion, broadcasting, and the arguments of a device's loop. Internal.
#pragma once

#include <ordo/kernels/elementwise/layout.h>
#include <ordo/kernels/elementwise/operand.h>

namespace ordo::kernels {

/// out = f(a, b). A null pointer means the operand is the number beside it. `dtype` is that of a and b; alpha and beta
/// are parameters of some operations.
struct BinaryArgs {
  Layout<3> layout;
  void* out;
  const void *a, *b;
  Scalar a_value{0}, b_value{0}, alpha{1}, beta{0};
  DType dtype;
  Device device;
};

using BinaryLoop = void (*)(const BinaryArgs&);

/// A binary operation: its name and its loop on either device.
struct BinaryOp {
  const char* name;
  BinaryLoop on_cpu, on_cuda;

  /// A new tensor of dtype `out`, the operands being converted to `compute` first.
  Tensor operator()(const Operand& a, const Operand& b, DType compute, DType out, Scalar alpha = 1,
                    Scalar beta = 0) const;
  Tensor operator()(const Operand& a, const Operand& b, Scalar alpha = 1) const {
    const DType t = promote_operands(a, b);
    return (*this)(a, b, t, t, alpha);
  }
  /// Writes the result over a; errors name `op`. `compute` must be a's dtype, or is converted on the way.
  const Tensor& in_place(const char* op, const Tensor& a, const Operand& b, DType compute, Scalar alpha = 1) const;
};

/// Throws unless the operands are defined, on one device, and at least one is a tensor.
void expect_operands(const char* op, const Operand& a, const Operand& b);

}  // namespace ordo::kernels

// Declares a loop of either device, in namespace ordo::kernels.
#define ORDO_BINARY_LOOP(name)  \
  namespace cpu {               \
  void name(const BinaryArgs&); \
  }                             \
  namespace cuda {              \
  void name(const BinaryArgs&); \
  }

#if ORDO_HAS_CUDA
#define ORDO_BINARY_OP(label, function) \
  ::ordo::kernels::BinaryOp { label, cpu::function, cuda::function }
#else
#define ORDO_BINARY_OP(label, function) \
  ::ordo::kernels::BinaryOp { label, cpu::function, nullptr }
#endif

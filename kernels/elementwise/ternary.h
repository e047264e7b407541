// Functions of three operands: lerp, addcmul, addcdiv; autograd/ops/where.h has the rules. Plain: no autograd.
#pragma once

#include <ordo/kernels/elementwise/layout.h>
#include <ordo/kernels/elementwise/operand.h>

namespace ordo::kernels {

/// a + weight (b - a)
Tensor lerp(const Tensor& a, const Tensor& b, const Operand& weight);
/// a + value b c
Tensor addcmul(const Tensor& a, const Tensor& b, const Tensor& c, Scalar value);
/// a + value b / c
Tensor addcdiv(const Tensor& a, const Tensor& b, const Tensor& c, Scalar value);

/// out = f(a, b, c), out being contiguous. A null c stands for the number beside it.
struct TernaryArgs {
  Layout<4> layout;
  void* out;
  const void *a, *b, *c;
  Scalar c_value{0}, value{1};
  DType dtype;
  Device device;
};

namespace cpu {
void lerp(const TernaryArgs&);
void addcmul(const TernaryArgs&);
void addcdiv(const TernaryArgs&);
}  // namespace cpu
namespace cuda {
void lerp(const TernaryArgs&);
void addcmul(const TernaryArgs&);
void addcdiv(const TernaryArgs&);
}  // namespace cuda

}  // namespace ordo::kernels

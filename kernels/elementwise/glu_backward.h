// The gradient of glu, both halves in one pass. Plain: no autograd.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/divisor.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/math/math.h>

namespace ordo::kernels {

/// Of a sigmoid(b), a and b being the halves of x along `dim`; grad and x of one floating dtype and device.
Tensor glu_backward(const Tensor& grad, const Tensor& x, int dim);

/// Everything is contiguous: x and out are lines of `half` elements of a, then as many of b.
template <class T>
struct GluBackward {
  using V = accumulate_t<T>;
  const T *grad, *x;
  T* out;
  Divisor half;
  /// From the gradient, a and b.
  ORDO_HD static void gradients(V grad, V a, V b, V& of_a, V& of_b) {
    const V gate = math::sigmoid(b);
    of_a = grad * gate;
    of_b = of_a * (a * (V(1) - gate));
  }
  ORDO_HD void operator()(int64_t i) const {
    const int64_t at = i + half.quotient(i) * half.value;
    V of_a, of_b;
    gradients(V(grad[i]), V(x[at]), V(x[at + half.value]), of_a, of_b);
    out[at] = T(of_a);
    out[at + half.value] = T(of_b);
  }
};

ORDO_DEVICES(void, glu_backward, const Tensor& grad, const Tensor& x, const Tensor& out, int64_t half)

}  // namespace ordo::kernels

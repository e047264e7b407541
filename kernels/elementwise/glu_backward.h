// The gradient of glu, half by half. Plain: no autograd.
#pragma once

#include <ordo/kernels/elementwise/ternary.h>

namespace ordo::kernels {

/// Of a sigmoid(b), a and b being the halves of x along `dim`; grad and x of one floating dtype and device. In memory
/// the halves must be longer than one element: the loops write neighbours.
Tensor glu_backward(const Tensor& grad, const Tensor& x, int dim);

namespace cpu {
void glu_backward_of_a(const TernaryArgs&);
void glu_backward_of_b(const TernaryArgs&);
}  // namespace cpu
namespace cuda {
void glu_backward_of_a(const TernaryArgs&);
void glu_backward_of_b(const TernaryArgs&);
}  // namespace cuda

}  // namespace ordo::kernels

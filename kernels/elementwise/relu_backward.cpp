#include <ordo/kernels/elementwise/relu_backward.h>

#include <ordo/engine/dispatch.h>
#include <ordo/kernels/elementwise/loops_cpu.h>
#include <ordo/kernels/elementwise/relu_functor.h>

namespace ordo::kernels {

namespace cpu {
void relu_backward(const BinaryArgs& args) {
  dispatch_floating("relu", args.dtype, [&]<class T>() { binary_loop<T, T>(args, ReluBackward()); });
}
}  // namespace cpu

#if ORDO_HAS_CUDA
namespace cuda {
void relu_backward(const BinaryArgs& args);
}
#endif

Tensor relu_backward(const Tensor& grad, const Tensor& result) {
  return ORDO_BINARY_OP("relu", relu_backward)(grad, result, result.dtype(), result.dtype());
}

}  // namespace ordo::kernels

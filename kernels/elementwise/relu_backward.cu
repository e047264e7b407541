#include <ordo/kernels/elementwise/relu_functor.h>
#include <ordo/kernels/elementwise/loops_cuda.cuh>

namespace ordo::kernels::cuda {

void relu_backward(const BinaryArgs& args) {
  dispatch_floating("relu", args.dtype, [&]<class T>() { binary_loop<T, T>(args, ReluBackward()); });
}

}  // namespace ordo::kernels::cuda

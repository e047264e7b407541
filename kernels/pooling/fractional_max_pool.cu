#include <ordo/engine/dispatch.h>
#include <ordo/kernels/pooling/fractional_max_pool.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

void fractional_max_pool(const Tensor& input, const Tensor& samples, const Tensor& values, const Tensor& indices,
                         const FractionalWindows& windows) {
  dispatch_floating("fractional_max_pool", input.dtype(), [&]<class T>() {
    each(values.numel(),
         FractionalMaxPoolElement<T>{windows, input.data<T>(), samples.data<T>(), values.data<T>(),
                                     indices.data<int64_t>()},
         input.device());
  });
}

}  // namespace ordo::kernels::cuda

#include <ordo/engine/dispatch.h>
#include <ordo/kernels/norm/batch_norm_functors.h>
#include <ordo/kernels/reduce/each_cuda.cuh>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

namespace ordo::kernels::cuda {

void batch_norm(const BatchNormShape& s, const Tensor& input, const BatchNormTensors& p, const BatchNormResult& r) {
  const Device device = input.device();
  dispatch_floating("batch_norm", input.dtype(), [&]<class T>() {
    const BatchNormStats<accumulate_t<T>> stats(s, p, r);
    if (s.training) {
      const ReduceShape g = channel_reduction(s);
      reduce(BatchNormMean<T>(input.data<T>(), stats), g, device);
      reduce(BatchNormVariance<T>(input.data<T>(), stats), g, device);
    } else {
      each(s.channels, stats, device);
    }
    each(input.numel(), BatchNormApply<T>(s, input, p, r), device);
  });
}

void batch_norm_backward(const BatchNormShape& s, const Tensor& grad, const Tensor& input, const Tensor& weight,
                         const BatchNormResult& saved, const BatchNormGradients& out) {
  const Device device = input.device();
  dispatch_floating("batch_norm", input.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const Scratch<A> sums(2 * s.channels, device);
    const auto b = batch_norm_backward_functor<T>(s, grad, input, weight, saved, out, sums.data());
    const ReduceShape g = channel_reduction(s);
    reduce(BatchNormGradSum<T>(b.grad, sums.data()), g, device);
    reduce(BatchNormGradDot<T>(b.grad, b.x, b.mean, sums.data() + s.channels), g, device);
    each(s.channels, BatchNormParameters<T>{b}, device);
    each(input.numel(), b, device);
  });
}

}  // namespace ordo::kernels::cuda

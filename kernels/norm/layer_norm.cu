#include <ordo/engine/dispatch.h>
#include <ordo/kernels/norm/layer_norm_functors.h>
#include <ordo/kernels/reduce/each_cuda.cuh>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

namespace ordo::kernels::cuda {

void row_norm(const RowNormShape& s, const Tensor& input, const Tensor& weight, const Tensor& bias,
              const RowNormResult& r) {
  const Device device = input.device();
  dispatch_floating("layer_norm", input.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const ReduceShape g = row_reduction(s);
    if (s.centered) reduce(MeanReducer<T, A>(input.data<T>(), r.mean.data<A>(), s.columns), g, device);
    reduce(RowScale<T>(s, input.data<T>(), r), g, device);
    each(input.numel(), RowNormApply<T>(s, input, weight, bias, r), device);
  });
}

void row_norm_backward(const RowNormShape& s, const Tensor& grad, const Tensor& input, const Tensor& weight,
                       const RowNormResult& saved, const RowNormGradients& out) {
  const Device device = input.device();
  dispatch_floating("layer_norm", input.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const Scratch<A> sums(2 * s.rows, device);
    const auto b = row_norm_backward_functor<T>(s, grad, input, weight, saved, out, sums.data());
    if (b.out) {
      const ReduceShape g = row_reduction(s);
      if (s.centered) reduce(RowGradSum<T, false>(b.grad, b.x, b.weight, b.mean, sums.data()), g, device);
      reduce(RowGradSum<T, true>(b.grad, b.x, b.weight, b.mean, sums.data() + s.rows), g, device);
      each(input.numel(), b, device);
    }
    const ReduceShape columns = column_reduction(s);
    if (out.weight.defined())
      reduce(ColumnWeightGrad<T>(b.grad, b.x, b.mean, b.invstd, out.weight.data<A>()), columns, device);
    if (out.bias.defined()) reduce(ColumnBiasGrad<T>(b.grad, out.bias.data<A>()), columns, device);
  });
}

}  // namespace ordo::kernels::cuda

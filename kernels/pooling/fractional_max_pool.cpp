#include <ordo/kernels/pooling/fractional_max_pool.h>

#include <ordo/engine/check.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/windows/rows_cpu.h>

namespace ordo::kernels {

namespace cpu {
void fractional_max_pool(const Tensor& input, const Tensor& samples, const Tensor& values, const Tensor& indices,
                         const FractionalWindows& windows) {
  dispatch_floating("fractional_max_pool", input.dtype(), [&]<class T>() {
    each_of(windows.d.kernel * windows.h.kernel * windows.w.kernel, values.numel(),
            FractionalMaxPoolElement<T>{windows, input.data<T>(), samples.data<T>(), values.data<T>(),
                                        indices.data<int64_t>()});
  });
}
}  // namespace cpu

MaxPoolResult fractional_max_pool(const char* op, const Tensor& input, int rank, const Size3& kernel,
                                  const Size3& output_size, const Tensor& samples) {
  const ordo::detail::OperationName name(op);
  const Dims& sizes = input.sizes();
  const Size3 inputs = in_three(sizes, rank);
  for (int i = 3 - rank; i < 3; ++i)
    ORDO_CHECK(kernel[i] <= inputs[i] && output_size[i] <= inputs[i] - kernel[i] + 1, ShapeError, op,
               "{} {} is too small for {} windows of {}", kAxisNames[i], inputs[i], output_size[i], kernel[i]);
  Dims pooled = sizes;
  for (int i = 1; i <= rank; ++i) pooled[pooled.size() - i] = output_size[3 - i];
  const FractionalWindows windows{{inputs[0], output_size[0], kernel[0]},
                                  {inputs[1], output_size[1], kernel[1]},
                                  {inputs[2], output_size[2], kernel[2]},
                                  rank};
  const MaxPoolResult result{ordo::detail::result(pooled, input.dtype(), input.device()),
                             ordo::detail::result(pooled, DType::int64, input.device())};
  if (result.values.numel() > 0)
    ORDO_ON_DEVICE(input.device(), fractional_max_pool, contiguous(input), contiguous(samples), result.values,
                   result.indices, windows);
  return result;
}

}  // namespace ordo::kernels

#include <ordo/kernels/pooling/fractional_max_pool.h>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {

MaxPoolResult fractional_max_pool(const char* op, const Tensor& input, int rank, const Size3& kernel,
                                  const Size3& output_size, const Tensor& samples) {
  const ordo::detail::OperationName name(op);
  const Dims& sizes = input.sizes();
  const Size3 inputs = in_three(sizes, rank);
  for (int i = 3 - rank; i < 3; ++i)
    ORDO_CHECK(kernel[i] <= inputs[i] && output_size[i] <= inputs[i] - kernel[i] + 1, ShapeError, op,
               "{} {} is too small for {} windows of {}", kAxisNames[i], inputs[i], output_size[i], kernel[i]);
  const Dims pooled = with_last(sizes, rank, output_size);
  const auto axis = [&](int i) { return FractionalAxis{inputs[i], output_size[i], kernel[i]}; };
  const FractionalWindows windows{axis(0), axis(1), axis(2), rank};
  const MaxPoolResult result{ordo::detail::result(pooled, input.dtype(), input.device()),
                             ordo::detail::result(pooled, DType::int64, input.device())};
  if (result.values.numel() > 0)
    ORDO_ON_DEVICE(input.device(), fractional_max_pool, contiguous(input), contiguous(samples), result.values,
                   result.indices, windows);
  return result;
}

}  // namespace ordo::kernels

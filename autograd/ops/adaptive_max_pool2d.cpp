#include <ordo/autograd/ops/adaptive_max_pool2d.h>
#include <ordo/autograd/ops/max_pool_take.h>
#include <ordo/autograd/tape.h>
#include <ordo/kernels/pooling/adaptive_max_pool2d.h>

namespace ordo {
namespace {

Tensor backward(const Tensor& grad, const Saved& indices, const Dims& input_sizes) {
  return record("adaptive_max_pool2d_backward", kernels::adaptive_max_pool2d_backward(grad, indices.get(), input_sizes),
                {grad}, [indices](const Tensor& g) -> TensorList { return {max_pool_take(g, indices.get())}; });
}

MaxPoolResult forward(const char* name, const Tensor& input, Size2 output_size) {
  MaxPoolResult result = kernels::adaptive_max_pool2d_with_indices(input, output_size);
  result.values = record(name, std::move(result.values), {input},
                         [indices = Saved(result.indices), sizes = input.sizes()](const Tensor& grad) -> TensorList {
                           return {backward(grad, indices, sizes)};
                         });
  return result;
}

}  // namespace

Tensor adaptive_max_pool2d(const Tensor& input, Size2 output_size) {
  if (input.defined() && grad_enabled() && input.requires_grad())
    return forward("adaptive_max_pool2d", input, output_size).values;
  return kernels::adaptive_max_pool2d(input, output_size);
}

MaxPoolResult adaptive_max_pool2d_with_indices(const Tensor& input, Size2 output_size) {
  return forward("adaptive_max_pool2d_with_indices", input, output_size);
}

}  // namespace ordo

#include <ordo/autograd/ops/max_pool2d.h>
#include <ordo/autograd/ops/max_pool_take.h>
#include <ordo/autograd/tape.h>

namespace ordo {
namespace {

struct Arguments {
  Size2 kernel;
  OptionalSize2 stride;
  Size2 padding, dilation;
  bool ceil_mode;
};

Tensor backward(const Tensor& grad, const Saved& indices, const Dims& input_sizes, const Arguments& a) {
  return record("max_pool2d_backward",
                kernels::max_pool2d_backward(grad, indices.get(), input_sizes, a.kernel, a.stride, a.padding,
                                             a.dilation, a.ceil_mode),
                {grad}, [indices](const Tensor& g) -> TensorList { return {max_pool_take(g, indices.get())}; });
}

MaxPoolResult forward(const char* name, const Tensor& input, const Arguments& a) {
  MaxPoolResult result =
      kernels::max_pool2d_with_indices(input, a.kernel, a.stride, a.padding, a.dilation, a.ceil_mode);
  result.values = record(name, std::move(result.values), {input},
                         [indices = Saved(result.indices), sizes = input.sizes(), a](const Tensor& grad) -> TensorList {
                           return {backward(grad, indices, sizes, a)};
                         });
  return result;
}

}  // namespace

Tensor max_pool2d(const Tensor& input, Size2 kernel, OptionalSize2 stride, Size2 padding, Size2 dilation,
                  bool ceil_mode) {
  if (input.defined() && grad_enabled() && input.requires_grad())
    return forward("max_pool2d", input, {kernel, stride, padding, dilation, ceil_mode}).values;
  return kernels::max_pool2d(input, kernel, stride, padding, dilation, ceil_mode);
}

MaxPoolResult max_pool2d_with_indices(const Tensor& input, Size2 kernel, OptionalSize2 stride, Size2 padding,
                                      Size2 dilation, bool ceil_mode) {
  return forward("max_pool2d_with_indices", input, {kernel, stride, padding, dilation, ceil_mode});
}

}  // namespace ordo

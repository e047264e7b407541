#include <ordo/autograd/ops/max_pool.h>

#include <ordo/autograd/ops/max_pool_call.h>
#include <ordo/autograd/ops/operation.h>

namespace ordo {

Tensor max_pool1d(const Tensor& input, Size1 kernel, OptionalSize1 stride, Size1 padding, Size1 dilation,
                  bool ceil_mode) {
  return detail::max_pool_call(input, kernels::max_pool_arguments(kernel, stride, padding, dilation, ceil_mode));
}
Tensor max_pool2d(const Tensor& input, Size2 kernel, OptionalSize2 stride, Size2 padding, Size2 dilation,
                  bool ceil_mode) {
  return detail::max_pool_call(input, kernels::max_pool_arguments(kernel, stride, padding, dilation, ceil_mode));
}
Tensor max_pool3d(const Tensor& input, Size3 kernel, OptionalSize3 stride, Size3 padding, Size3 dilation,
                  bool ceil_mode) {
  return detail::max_pool_call(input, kernels::max_pool_arguments(kernel, stride, padding, dilation, ceil_mode));
}

MaxPoolResult max_pool1d_with_indices(const Tensor& input, Size1 kernel, OptionalSize1 stride, Size1 padding,
                                      Size1 dilation, bool ceil_mode) {
  return detail::max_pool_with_indices_call(input,
                                            kernels::max_pool_arguments(kernel, stride, padding, dilation, ceil_mode));
}
MaxPoolResult max_pool2d_with_indices(const Tensor& input, Size2 kernel, OptionalSize2 stride, Size2 padding,
                                      Size2 dilation, bool ceil_mode) {
  return detail::max_pool_with_indices_call(input,
                                            kernels::max_pool_arguments(kernel, stride, padding, dilation, ceil_mode));
}
MaxPoolResult max_pool3d_with_indices(const Tensor& input, Size3 kernel, OptionalSize3 stride, Size3 padding,
                                      Size3 dilation, bool ceil_mode) {
  return detail::max_pool_with_indices_call(input,
                                            kernels::max_pool_arguments(kernel, stride, padding, dilation, ceil_mode));
}

}  // namespace ordo

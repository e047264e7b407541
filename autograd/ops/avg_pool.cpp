#include <ordo/autograd/ops/avg_pool.h>

#include <ordo/autograd/ops/avg_pool_call.h>
#include <ordo/autograd/ops/operation.h>

namespace ordo {

Tensor avg_pool1d(const Tensor& input, Size1 kernel, OptionalSize1 stride, Size1 padding, bool ceil_mode,
                  bool count_include_pad) {
  return detail::avg_pool_call(input,
                               kernels::avg_pool_arguments(kernel, stride, padding, ceil_mode, count_include_pad));
}
Tensor avg_pool2d(const Tensor& input, Size2 kernel, OptionalSize2 stride, Size2 padding, bool ceil_mode,
                  bool count_include_pad, std::optional<int64_t> divisor_override) {
  return detail::avg_pool_call(
      input, kernels::avg_pool_arguments(kernel, stride, padding, ceil_mode, count_include_pad, divisor_override));
}
Tensor avg_pool3d(const Tensor& input, Size3 kernel, OptionalSize3 stride, Size3 padding, bool ceil_mode,
                  bool count_include_pad, std::optional<int64_t> divisor_override) {
  return detail::avg_pool_call(
      input, kernels::avg_pool_arguments(kernel, stride, padding, ceil_mode, count_include_pad, divisor_override));
}

}  // namespace ordo

#include <ordo/autograd/ops/adaptive_avg_pool.h>

#include <ordo/autograd/ops/avg_pool_call.h>
#include <ordo/autograd/ops/operation.h>

namespace ordo {

Tensor adaptive_avg_pool1d(const Tensor& input, Size1 output_size) {
  return detail::avg_pool_call(input, kernels::adaptive_pool_arguments(output_size));
}
Tensor adaptive_avg_pool2d(const Tensor& input, Size2 output_size) {
  return detail::avg_pool_call(input, kernels::adaptive_pool_arguments(output_size));
}
Tensor adaptive_avg_pool3d(const Tensor& input, Size3 output_size) {
  return detail::avg_pool_call(input, kernels::adaptive_pool_arguments(output_size));
}

}  // namespace ordo

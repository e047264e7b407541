#include <ordo/autograd/ops/adaptive_max_pool.h>

#include <ordo/autograd/ops/max_pool_call.h>
#include <ordo/autograd/ops/operation.h>

namespace ordo {

Tensor adaptive_max_pool1d(const Tensor& input, Size1 output_size) {
  return detail::max_pool_call(input, kernels::adaptive_pool_arguments(output_size));
}
Tensor adaptive_max_pool2d(const Tensor& input, Size2 output_size) {
  return detail::max_pool_call(input, kernels::adaptive_pool_arguments(output_size));
}
Tensor adaptive_max_pool3d(const Tensor& input, Size3 output_size) {
  return detail::max_pool_call(input, kernels::adaptive_pool_arguments(output_size));
}

MaxPoolResult adaptive_max_pool1d_with_indices(const Tensor& input, Size1 output_size) {
  return detail::max_pool_with_indices_call(input, kernels::adaptive_pool_arguments(output_size));
}
MaxPoolResult adaptive_max_pool2d_with_indices(const Tensor& input, Size2 output_size) {
  return detail::max_pool_with_indices_call(input, kernels::adaptive_pool_arguments(output_size));
}
MaxPoolResult adaptive_max_pool3d_with_indices(const Tensor& input, Size3 output_size) {
  return detail::max_pool_with_indices_call(input, kernels::adaptive_pool_arguments(output_size));
}

}  // namespace ordo

#include <ordo/autograd/ops/max.h>
#include <ordo/kernels/reduce/max.h>

namespace ordo {

Tensor argmax(const Tensor& input, std::optional<int64_t> dim, bool keepdim) {
  return kernels::argmax(input, dim, keepdim);
}
Tensor argmin(const Tensor& input, std::optional<int64_t> dim, bool keepdim) {
  return kernels::argmin(input, dim, keepdim);
}

}  // namespace ordo

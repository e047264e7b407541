#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/reduce/max.h>

namespace ordo {

Tensor argmax(const Tensor& input, std::optional<int64_t> dim, bool keepdim) {
  const OpCall call("argmax", input, dim, keepdim);
  return call.done(kernels::argmax(input, dim, keepdim));
}
Tensor argmin(const Tensor& input, std::optional<int64_t> dim, bool keepdim) {
  const OpCall call("argmin", input, dim, keepdim);
  return call.done(kernels::argmin(input, dim, keepdim));
}

}  // namespace ordo

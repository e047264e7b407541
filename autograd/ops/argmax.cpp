#include <ordo/autograd/ops/max.h>
#include <ordo/engine/op_call.h>
#include <ordo/kernels/reduce/reduce.h>

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

#include <ordo/autograd/ops/any.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/reduce/any.h>

namespace ordo {

Tensor any(const Tensor& input, const Dims& dims, bool keepdim) {
  const OpCall call("any", input, dims, keepdim);
  return call.done(kernels::any(input, dims, keepdim));
}
Tensor all(const Tensor& input, const Dims& dims, bool keepdim) {
  const OpCall call("all", input, dims, keepdim);
  return call.done(kernels::all(input, dims, keepdim));
}

}  // namespace ordo

#include <ordo/autograd/ops/any.h>

#include <ordo/kernels/reduce/any.h>

namespace ordo {

Tensor any(const Tensor& input, const Dims& dims, bool keepdim) { return kernels::any(input, dims, keepdim); }
Tensor all(const Tensor& input, const Dims& dims, bool keepdim) { return kernels::all(input, dims, keepdim); }

}  // namespace ordo

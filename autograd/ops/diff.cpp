#include <ordo/autograd/ops/diff.h>

#include <ordo/autograd/ops/operation.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "diff", .family = "scan", .dtypes = kAllTypes, .note = "composed"});

Tensor diff(const Tensor& input, int64_t n, int64_t dim, const Tensor& prepend, const Tensor& append) {
  const OpCall call("diff", input, n, dim, prepend, append);
  detail::expect_defined("diff", input, "input");
  ORDO_CHECK(input.dim() > 0, ShapeError, "diff", "input must have a dimension, but is 0-d");
  ORDO_CHECK(n >= 0, ValueError, "diff", "n must not be negative, but is {}", n);
  const int at = wrap_dim("diff", dim, input.dim());
  TensorList parts;
  for (const Tensor& part : {prepend, input, append})
    if (part.defined()) {
      ORDO_CHECK(part.dim() == input.dim(), ShapeError, "diff",
                 "prepend and append must have as many dimensions as input, but have shape {}, and input {}",
                 part.sizes(), input.sizes());
      parts.push_back(part);
    }
  if (n == 0 && parts.size() == 1) return call.done(input.clone());
  Tensor out = parts.size() == 1 ? input : cat(parts, at);
  for (n = std::min(n, out.size(at)); n > 0; --n) {
    const int64_t left = std::max<int64_t>(0, out.size(at) - 1);
    const Tensor after = out.narrow(at, out.size(at) - left, left), before = out.narrow(at, 0, left);
    out = out.dtype() == boolean ? ne(after, before) : after - before;
  }
  return call.done(out);
}

}  // namespace ordo

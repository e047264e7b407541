#include <ordo/autograd/ops/nansum.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/reduce/reduce_shape.h>
#include <ordo/kernels/reduce/sum.h>

namespace ordo {

Tensor nansum(const Tensor& input, const Dims& dims, bool keepdim) {
  if (detail::raises(input)) return nansum(detail::raise(input), dims, keepdim);
  const OpCall call("nansum", input, dims, keepdim);
  return record(call, kernels::nansum(input, dims, keepdim), {input},
                [input = Saved(input), dims](const Tensor& grad) -> TensorList {
                  const Tensor& x = input.get();
                  const unsigned mask = kernels::reduced_mask("nansum", x.dim(), dims);
                  const Tensor kept = grad.reshape(kernels::sizes_after(x.sizes(), mask, true));
                  return {masked_fill(kept.expand(x.sizes()), isnan(x), 0)};
                });
}

Tensor nanmean(const Tensor& input, const Dims& dims, bool keepdim) {
  if (detail::raises(input)) return nanmean(detail::raise(input), dims, keepdim);
  const OpCall call("nanmean", input, dims, keepdim);
  detail::expect_defined("nanmean", input, "input");
  detail::expect_floating("nanmean", input);
  kernels::reduced_mask("nanmean", input.dim(), dims);
  const DType wide = input.dtype() == float64 ? float64 : float32;  // a half type cannot hold every count
  const Tensor nan = isnan(input), total = sum(masked_fill(input, nan, 0).to(wide), dims, keepdim);
  return call.done((total / sum(logical_not(nan), dims, keepdim)).to(input.dtype()));
}

Tensor count_nonzero(const Tensor& input, const Dims& dims) {
  const OpCall call("count_nonzero", input, dims);
  detail::expect_defined("count_nonzero", input, "input");
  kernels::reduced_mask("count_nonzero", input.dim(), dims);
  return call.done(sum(ne(input.detach(), 0), dims));
}

}  // namespace ordo

#include <ordo/autograd/ops/max.h>

#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/comparison.h>
#include <ordo/autograd/ops/scatter_add.h>
#include <ordo/autograd/ops/sum.h>
#include <ordo/autograd/ops/unary.h>
#include <ordo/autograd/tape.h>
#include <ordo/engine/operation_name.h>
#include <ordo/kernels/reduce/max.h>
#include <ordo/kernels/reduce/reduce_shape.h>

namespace ordo {
namespace {

/// Every element equal to the extreme value gets its share of the gradient. With `nan_shares` NaN equals NaN, else an
/// extreme value of NaN gives NaN to all (docs/derivatives.md).
Tensor extreme_value(const char* name, Tensor out, const Tensor& input, const Dims& dims, bool nan_shares) {
  return record(name, std::move(out), {input},
                [input = Saved(input), dims, nan_shares](const Tensor& grad, const Tensor& result) -> TensorList {
                  const Tensor& x = input.get();
                  const unsigned mask = kernels::reduced_mask("amax", x.dim(), dims);
                  const Dims kept = kernels::sizes_after(x.sizes(), mask, true);
                  const Tensor extreme = result.detach().reshape(kept);
                  Tensor equal = eq(x, extreme);
                  if (nan_shares) equal = logical_or(equal, logical_and(isnan(x), isnan(extreme)));
                  const Tensor hit = equal.to(x.dtype());
                  return {hit * (grad.reshape(kept) / sum(hit, dims, true))};
                });
}

MaxResult extreme_index(const char* name, std::pair<Tensor, Tensor> out, const Tensor& input, int64_t dim,
                        bool keepdim) {
  MaxResult r;
  r.indices = out.second;
  r.values = record(name, std::move(out.first), {input},
                    [sizes = input.sizes(), dim, keepdim, indices = r.indices](const Tensor& grad) -> TensorList {
                      const Tensor zero = zeros(sizes, grad.options());
                      if (sizes.empty() || keepdim) return {scatter_add(zero, dim, indices, grad)};
                      return {scatter_add(zero, dim, indices.unsqueeze(dim), grad.unsqueeze(dim))};
                    });
  return r;
}

}  // namespace

Tensor amax(const Tensor& input, const Dims& dims, bool keepdim) {
  return extreme_value("amax", kernels::amax(input, dims, keepdim), input, dims, false);
}
Tensor amin(const Tensor& input, const Dims& dims, bool keepdim) {
  return extreme_value("amin", kernels::amin(input, dims, keepdim), input, dims, false);
}
Tensor max(const Tensor& input) {
  const detail::OperationName name("max");
  return extreme_value("max", kernels::amax(input), input, {}, true);
}
Tensor min(const Tensor& input) {
  const detail::OperationName name("min");
  return extreme_value("min", kernels::amin(input), input, {}, true);
}

MaxResult max(const Tensor& input, int64_t dim, bool keepdim) {
  return extreme_index("max", kernels::max(input, dim, keepdim), input, dim, keepdim);
}
MaxResult min(const Tensor& input, int64_t dim, bool keepdim) {
  return extreme_index("min", kernels::min(input, dim, keepdim), input, dim, keepdim);
}

}  // namespace ordo

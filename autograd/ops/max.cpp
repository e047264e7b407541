#include <ordo/autograd/ops/max.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/scatter_add.h>
#include <ordo/kernels/reduce/max.h>
#include <ordo/kernels/reduce/reduce_shape.h>

namespace ordo {
namespace {

/// Every element equal to the extreme value gets its share of the gradient. With `nan_shares` NaN equals NaN, else an
/// extreme value of NaN gives NaN to all (docs/derivatives.md).
Tensor extreme_value(const OpCall& call, Tensor out, const Tensor& input, const Dims& dims, bool nan_shares) {
  return record(call, std::move(out), {input},
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

MaxResult extreme_index(const OpCall& call, std::pair<Tensor, Tensor> out, const Tensor& input, int64_t dim,
                        bool keepdim) {
  const TensorList both =
      record(call, {out.first, out.second}, {input},
             [sizes = input.sizes(), dim, keepdim, saved = Saved(out.second)](const TensorList& grads) -> TensorList {
               const Tensor& grad = grads[0];
               const Tensor zero = zeros(sizes, grad.options()), &indices = saved.get();
               if (sizes.empty() || keepdim) return {scatter_add(zero, dim, indices, grad)};
               return {scatter_add(zero, dim, indices.unsqueeze(dim), grad.unsqueeze(dim))};
             });
  return {both[0], both[1]};
}

}  // namespace

Tensor amax(const Tensor& input, const Dims& dims, bool keepdim) {
  const OpCall call("amax", input, dims, keepdim);
  return extreme_value(call, kernels::amax(input, dims, keepdim), input, dims, false);
}
Tensor amin(const Tensor& input, const Dims& dims, bool keepdim) {
  const OpCall call("amin", input, dims, keepdim);
  return extreme_value(call, kernels::amin(input, dims, keepdim), input, dims, false);
}
Tensor max(const Tensor& input) {
  const OpCall call("max", input);
  return extreme_value(call, kernels::amax(input), input, {}, true);
}
Tensor min(const Tensor& input) {
  const OpCall call("min", input);
  return extreme_value(call, kernels::amin(input), input, {}, true);
}

MaxResult max(const Tensor& input, int64_t dim, bool keepdim) {
  const OpCall call("max", input, dim, keepdim);
  return extreme_index(call, kernels::max(input, dim, keepdim), input, dim, keepdim);
}
MaxResult min(const Tensor& input, int64_t dim, bool keepdim) {
  const OpCall call("min", input, dim, keepdim);
  return extreme_index(call, kernels::min(input, dim, keepdim), input, dim, keepdim);
}

}  // namespace ordo

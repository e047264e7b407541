#include <ordo/autograd/ops/index/index_add.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/bincount/bincount.h>
#include <ordo/kernels/scatter/scatter.h>

namespace ordo {

static auto index_add_backward(int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha) {
  return [dim, index = Saved(index), sizes = source.sizes(), alpha](const Tensor& grad) -> TensorList {
    Tensor of_source;
    if (needs(1)) {
      of_source = index_select(grad.dim() == 0 ? grad.reshape({1}) : grad, dim, index.get()).reshape(sizes);
      if (alpha.to_double() != 1) of_source = of_source * alpha;
    }
    return {needs(0) ? grad : Tensor(), of_source};
  };
}

Tensor index_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha,
                 Algorithm algorithm) {
  ORDO_AUTOCAST_CALL(raise, index_add, input, dim, index, source, alpha, algorithm);
  Tensor result = kernels::index_add(input, dim, index, source, alpha, algorithm);
  return record(call, std::move(result), {input, source}, index_add_backward(dim, index, source, alpha));
}

Tensor index_add(const Tensor& input, int64_t dim, const IndexPlan& plan, const Tensor& source, Scalar alpha) {
  ORDO_AUTOCAST_CALL(raise, index_add, input, dim, plan, source, alpha);
  return record(call, kernels::index_add(input, dim, plan, source, alpha), {input, source},
                index_add_backward(dim, plan.index(), source, alpha));
}

Tensor& Tensor::index_add_(int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha) {
  const OpCall call("index_add_", *this, dim, index, source, alpha);
  return detail::change_in_place(
      call, *this, source, [&] { kernels::index_add_(*this, dim, index, source, alpha); },
      [&](const Tensor&) { return index_add_backward(dim, index, source, alpha); });
}

Tensor bincount(const Tensor& input, const Tensor& weights, int64_t minlength, Algorithm algorithm) {
  const OpCall call("bincount", input, weights, minlength, algorithm);
  Tensor result = kernels::bincount(input, weights, minlength, algorithm);
  if (!weights.defined() || !is_floating(weights.dtype())) return call.done(std::move(result));
  return record(call, std::move(result), {weights},
                [input = Saved(input), dtype = weights.dtype()](const Tensor& grad) {
                  return index_select(grad, 0, input.get().to(int64)).to(dtype);
                });
}

}  // namespace ordo

#include <ordo/autograd/ops/index_add.h>

#include <ordo/autograd/ops/gather.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/index_add/index_add.h>

namespace ordo {

namespace {
auto index_add_backward(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha) {
  return [dim, index = Saved(index), sizes = source.sizes(), alpha, to_input = input.requires_grad(),
          to_source = source.requires_grad()](const Tensor& grad) -> TensorList {
    Tensor of_source;
    if (to_source) {
      of_source = index_select(grad.dim() == 0 ? grad.reshape({1}) : grad, dim, index.get()).reshape(sizes);
      if (alpha.to_double() != 1) of_source = of_source * alpha;
    }
    return {to_input ? grad : Tensor(), of_source};
  };
}
}  // namespace

Tensor index_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha,
                 Algorithm algorithm) {
  if (detail::raises(input, source))
    return index_add(detail::raise(input), dim, index, detail::raise(source), alpha, algorithm);
  const OpCall call("index_add", input, dim, index, source, alpha, algorithm);
  Tensor result = kernels::index_add(input, dim, index, source, alpha, algorithm);
  return record(call, std::move(result), {input, source}, index_add_backward(input, dim, index, source, alpha));
}

Tensor index_add(const Tensor& input, int64_t dim, const IndexPlan& plan, const Tensor& source, Scalar alpha) {
  if (detail::raises(input, source)) return index_add(detail::raise(input), dim, plan, detail::raise(source), alpha);
  const OpCall call("index_add", input, dim, plan, source, alpha);
  return record(call, kernels::index_add(input, dim, plan, source, alpha), {input, source},
                index_add_backward(input, dim, plan.index(), source, alpha));
}

Tensor& Tensor::index_add_(int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha) {
  const OpCall call("index_add_", *this, dim, index, source, alpha);
  const InPlaceChange change(call, *this, {source});
  const Tensor before = history_of(*this);
  kernels::index_add_(*this, dim, index, source, alpha);
  record_in_place(call, *this, before, {source}, index_add_backward(before, dim, index, source, alpha));
  return *this;
}

}  // namespace ordo

#include <ordo/autograd/ops/take.h>

#include <ordo/autograd/ops/gather.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/scatter_index.h>
#include <ordo/kernels/indexing/take.h>

namespace ordo {

namespace {

auto put_backward(const Tensor& input, const Tensor& index, const Tensor& source, bool accumulate) {
  return [index = Saved(index), accumulate, sizes = source.sizes(), to_input = input.requires_grad(),
          to_source = source.requires_grad()](const Tensor& grad) -> TensorList {
    TensorList grads(2);
    const Tensor& at = index.get();
    if (to_source && !accumulate && grad.is_cpu() && !grad_enabled()) {
      const Tensor rest = kernels::clone(grad);
      grads[1] = kernels::take_out(rest, at).reshape(sizes);
      if (to_input) grads[0] = rest;
      return grads;
    }
    if (to_input) grads[0] = accumulate ? grad : put(grad, at, zeros(at.sizes(), grad.options()));
    if (to_source) {
      Tensor picked;
      if (!accumulate && at.numel() > 1) {
        const int64_t n = grad.numel();
        const Tensor line = at.reshape({-1}), places = where(lt(line, 0), line + n, line), flat = grad.reshape({-1});
        picked = detail::ScatterIndex(kernels::IndexOf::elements, flat, 0, places, {at.numel()}).pick_stayed(flat);
      } else {
        picked = take(grad, at);
      }
      grads[1] = picked.reshape(sizes);
    }
    return grads;
  };
}

}  // namespace

Tensor take(const Tensor& input, const Tensor& index) {
  const OpCall call("take", input, index);
  return record(call, kernels::take(input, index), {input},
                [sizes = input.sizes(), index = Saved(index)](const Tensor& grad) -> TensorList {
                  return {zeros(sizes, grad.options()).put_(index.get(), grad, true)};
                });
}

Tensor put(const Tensor& input, const Tensor& index, const Tensor& source, bool accumulate) {
  const OpCall call("put", input, index, source, accumulate);
  detail::expect_defined("put", input, "input");
  Tensor out = kernels::clone(input);
  kernels::put_("put", out, index, source, accumulate);
  return record(call, std::move(out), {input, source}, put_backward(input, index, source, accumulate));
}

Tensor& Tensor::put_(const Tensor& index, const Tensor& source, bool accumulate) {
  const OpCall call("put_", *this, index, source, accumulate);
  const InPlaceChange change(call, *this, {source});
  const Tensor before = history_of(*this);
  kernels::put_("put_", *this, index, source, accumulate);
  record_in_place(call, *this, before, {source}, put_backward(before, index, source, accumulate));
  return *this;
}

Tensor take_along_dim(const Tensor& input, const Tensor& indices, std::optional<int64_t> dim) {
  const char* op = "take_along_dim";
  const OpCall call("take_along_dim", input, indices, dim);
  detail::expect_defined(op, input, "input");
  detail::expect_defined(op, indices, "indices");
  if (!dim) return call.done(gather(input.reshape({-1}), 0, indices.reshape({-1})));
  ORDO_CHECK(input.dim() == indices.dim(), ShapeError, op,
             "indices must have as many dimensions as input, but their shapes are {} and {}", indices.sizes(),
             input.sizes());
  const int d = wrap_dim(op, *dim, input.dim());
  if (input.dim() == 0) return call.done(gather(input, 0, indices));
  Dims from = input.sizes(), to = indices.sizes();
  from[d] = to[d] = 1;
  const Dims common = broadcast_sizes(op, from, to);
  from = to = common;
  from[d] = input.sizes()[d], to[d] = indices.sizes()[d];
  return call.done(gather(input.expand(from), d, indices.expand(to)));
}

}  // namespace ordo

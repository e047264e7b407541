#include <ordo/autograd/ops/masked_select.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/scatter.h>
#include <ordo/kernels/indexing/take.h>
#include <ordo/kernels/scatter/scatter.h>

namespace ordo {

namespace {

void expect_mask(const char* op, const Tensor& input, const Tensor& mask) {
  detail::expect_defined(op, input, "input");
  detail::expect_defined(op, mask, "mask");
  detail::expect_same_device(op, input, mask);
  ORDO_CHECK(mask.dtype() == boolean, DTypeError, op, "mask must be a bool tensor, not {}", mask.dtype());
}

/// Where the mask is true in a tensor of these sizes.
Tensor places(const char* op, const Tensor& mask, const Dims& sizes) {
  return kernels::nonzero_places(op, views::expand(mask, sizes));
}

/// Writes into `out`, contiguous.
void masked_write(const char* op, const Tensor& out, const Tensor& mask, const Tensor& source) {
  detail::expect_defined(op, source, "source");
  detail::expect_same_device(op, out, source);
  detail::expect_same_dtype(op, out, source);
  const Tensor at = places(op, mask, out.sizes());
  ORDO_CHECK(at.numel() <= source.numel(), ShapeError, op, "the mask has {} true elements, source only {}", at.numel(),
             source.numel());
  if (at.numel() == 0) return;
  const Tensor values = views::narrow(views::view(kernels::contiguous(source), {-1}), 0, 0, at.numel());
  kernels::scatter_(op, kernels::IndexOf::elements, views::view(out, {-1}), 0, at, values);
}

auto masked_scatter_backward(const Tensor& input, const Tensor& mask, const Tensor& source) {
  return [sizes = input.sizes(), from = source.sizes(), elements = source.numel(), mask = Saved(mask),
          to_input = input.requires_grad(), to_source = source.requires_grad()](const Tensor& grad) -> TensorList {
    TensorList grads(2);
    if (to_input) grads[0] = sum_to(masked_fill(grad, mask.get(), 0), sizes);
    if (to_source) {
      const Tensor used = masked_select(grad, mask.get());
      grads[1] = cat({used, zeros({elements - used.numel()}, grad.options())}).reshape(from);
    }
    return grads;
  };
}

}  // namespace

Tensor nonzero(const Tensor& input) {
  const OpCall call("nonzero", input);
  return call.done(kernels::nonzero(input));
}

Tensor masked_select(const Tensor& input, const Tensor& mask) {
  const char* op = "masked_select";
  const OpCall call("masked_select", input, mask);
  expect_mask(op, input, mask);
  const Dims sizes = broadcast_sizes(op, input.sizes(), mask.sizes());
  const Tensor at = places(op, mask, sizes);
  return record(call, kernels::take(views::expand(input, sizes), at), {input},
                [from = input.sizes(), sizes, at = Saved(at)](const Tensor& grad) -> TensorList {
                  const Tensor flat = zeros({sizes.product()}, grad.options());
                  return {sum_to(index_copy(flat, 0, at.get(), grad).reshape(sizes), from)};
                });
}

Tensor masked_scatter(const Tensor& input, const Tensor& mask, const Tensor& source) {
  const char* op = "masked_scatter";
  const OpCall call("masked_scatter", input, mask, source);
  expect_mask(op, input, mask);
  Tensor out = kernels::clone(views::expand(input, broadcast_sizes(op, input.sizes(), mask.sizes())));
  masked_write(op, out, mask, source);
  return record(call, std::move(out), {input, source}, masked_scatter_backward(input, mask, source));
}

Tensor& Tensor::masked_scatter_(const Tensor& mask, const Tensor& source) {
  const char* op = "masked_scatter_";
  const OpCall call("masked_scatter_", *this, mask, source);
  expect_mask(op, *this, mask);
  detail::expect_defined(op, source, "source");
  kernels::expect_writable(op, *this);
  const InPlaceChange change(call, *this, {source});
  const Tensor before = history_of(*this);
  const bool direct = is_contiguous() && source.impl()->storage != impl()->storage;
  const Tensor out = direct ? *this : kernels::clone(*this);
  masked_write(op, out, mask, source);
  if (!direct) kernels::copy_(*this, out);
  record_in_place(call, *this, before, {source}, masked_scatter_backward(before, mask, source));
  return *this;
}

}  // namespace ordo

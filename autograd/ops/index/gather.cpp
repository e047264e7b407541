#include <ordo/autograd/ops/index/gather.h>

#include <ordo/autograd/ops/index/scatter_index.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/indexing/gather.h>
#include <ordo/kernels/indexing/take.h>
#include <ordo/kernels/scatter/scatter.h>

namespace ordo {

Tensor gather(const Tensor& input, int64_t dim, const Tensor& index) {
  const OpCall call("gather", input, dim, index);
  Tensor out = kernels::gather(input, dim, index);
  return record(call, std::move(out), {input}, [sizes = input.sizes(), dim, index = Saved(index)](const Tensor& grad) {
    return zeros(sizes, grad.options()).scatter_add_(dim, index.get(), grad);
  });
}

Tensor index_select(const Tensor& input, int64_t dim, const Tensor& index) {
  const OpCall call("index_select", input, dim, index);
  Tensor out = kernels::index_select(input, dim, index);
  return record(call, std::move(out), {input}, [sizes = input.sizes(), dim, index = Saved(index)](const Tensor& grad) {
    return zeros(sizes, grad.options()).index_add_(dim, index.get().reshape({-1}), grad);
  });
}

Tensor one_hot(const Tensor& target, int64_t num_classes) {
  const OpCall call("one_hot", target, num_classes);
  return call.done(kernels::one_hot(target, num_classes));
}

/// The gradients of input and source, given that of the result.
static TensorList put_gradients(const Tensor& grad, const Tensor& index) {
  const OpCall call("put_backward", grad, index);
  const Tensor rest = kernels::clone(grad), taken = kernels::take_out_("put", rest, index);
  return record(call, TensorList{rest, taken}, {grad},
                [index = Saved(index), sizes = grad.sizes()](const TensorList& grads) -> TensorList {
                  const TensorOptions options = (grads[0].defined() ? grads[0] : grads[1]).options();
                  const auto given = [&](const Tensor& t, const Dims& of) {
                    return t.defined() ? t : zeros(of, options);
                  };
                  return {put(given(grads[0], sizes), index.get(), given(grads[1], index.sizes()))};
                });
}

static auto put_backward(const Tensor& index, const Tensor& source, bool accumulate) {
  return [index = Saved(index), accumulate, sizes = source.sizes()](const Tensor& grad) -> TensorList {
    const Tensor& at = index.get();
    if (accumulate) return {needs(0) ? grad : Tensor(), needs(1) ? take(grad, at).reshape(sizes) : Tensor()};
    if (!needs(1)) return {put(grad, at, zeros(at.sizes(), grad.options())), Tensor()};
    TensorList grads = put_gradients(grad, at);
    grads[1] = grads[1].reshape(sizes);
    return grads;
  };
}

Tensor take(const Tensor& input, const Tensor& index) {
  const OpCall call("take", input, index);
  return record(call, kernels::take(input, index), {input},
                [sizes = input.sizes(), index = Saved(index)](const Tensor& grad) {
                  return zeros(sizes, grad.options()).put_(index.get(), grad, true);
                });
}

Tensor put(const Tensor& input, const Tensor& index, const Tensor& source, bool accumulate) {
  const OpCall call("put", input, index, source, accumulate);
  detail::expect_defined("put", input, "input");
  Tensor out = kernels::clone(input);
  kernels::put_("put", out, index, source, accumulate);
  return record(call, std::move(out), {input, source}, put_backward(index, source, accumulate));
}

Tensor& Tensor::put_(const Tensor& index, const Tensor& source, bool accumulate) {
  const OpCall call("put_", *this, index, source, accumulate);
  return detail::change_in_place(
      call, *this, source, [&] { kernels::put_("put_", *this, index, source, accumulate); },
      [&](const Tensor&) { return put_backward(index, source, accumulate); });
}

Tensor take_along_dim(const Tensor& input, const Tensor& indices, std::optional<int64_t> dim) {
  const char* op = "take_along_dim";
  const OpCall call("take_along_dim", input, indices, dim);
  detail::expect_defined(op, input, "input", indices, "indices");
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

static void expect_mask(const char* op, const Tensor& input, const Tensor& mask) {
  detail::expect_pair(op, input, "input", mask, "mask");
  ORDO_CHECK(mask.dtype() == boolean, DTypeError, op, "mask must be a bool tensor, not {}", mask.dtype());
}

/// Where the mask is true in a tensor of these sizes.
static Tensor places(const char* op, const Tensor& mask, const Dims& sizes) {
  return kernels::nonzero_places(op, views::expand(mask, sizes));
}

/// Writes into `out`, contiguous.
static void masked_write(const char* op, const Tensor& out, const Tensor& mask, const Tensor& source) {
  detail::expect_alike(op, out, source, "source");
  const Tensor at = places(op, mask, out.sizes());
  ORDO_CHECK(at.numel() <= source.numel(), ShapeError, op, "the mask has {} true elements, source only {}", at.numel(),
             source.numel());
  if (at.numel() == 0) return;
  const Tensor values = views::narrow(views::view(kernels::contiguous(source), {-1}), 0, 0, at.numel());
  kernels::scatter_(op, kernels::IndexOf::elements, views::view(out, {-1}), 0, at, values);
}

static auto masked_scatter_backward(const Tensor& input, const Tensor& mask, const Tensor& source) {
  return [sizes = input.sizes(), from = source.sizes(), elements = source.numel(),
          mask = Saved(mask)](const Tensor& grad) -> TensorList {
    TensorList grads(2);
    if (needs(0)) grads[0] = sum_to(masked_fill(grad, mask.get(), 0), sizes);
    if (needs(1)) {
      const Tensor used = masked_select(grad, mask.get());
      grads[1] = cat({used, zeros({elements - used.numel()}, grad.options())}).reshape(from);
    }
    return grads;
  };
}

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
  const Tensor flat = views::view(kernels::contiguous(views::expand(input, sizes)), {sizes.product()});
  return record(call, kernels::index_select(flat, 0, at), {input},
                [from = input.sizes(), sizes, at = Saved(at)](const Tensor& grad) -> TensorList {
                  const Tensor none = zeros({sizes.product()}, grad.options());
                  return {sum_to(index_copy(none, 0, at.get(), grad).reshape(sizes), from)};
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
  const auto write = [&] {
    const bool direct = is_contiguous() && source.impl()->storage != impl()->storage;
    const Tensor out = direct ? *this : kernels::clone(*this);
    masked_write(op, out, mask, source);
    if (!direct) kernels::copy_(*this, out);
  };
  return detail::change_in_place(call, *this, source, write,
                                 [&](const Tensor& before) { return masked_scatter_backward(before, mask, source); });
}

}  // namespace ordo

#include <ordo/autograd/ops/scatter.h>

#include <algorithm>

#include <ordo/autograd/ops/arange.h>
#include <ordo/autograd/ops/gather.h>
#include <ordo/autograd/ops/index_add.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/scatter_add.h>
#include <ordo/autograd/ops/scatter_index.h>
#include <ordo/autograd/ops/scatter_reduce.h>
#include <ordo/kernels/scatter/pick_stayed.h>

namespace ordo {

using kernels::IndexOf;

namespace detail {

static Tensor at_least_1d(const Tensor& t) { return t.dim() == 0 ? t.reshape({1}) : t; }

Tensor scattered_part(const Tensor& index, const Tensor& src) {
  if (!index.defined() || !src.defined() || index.numel() == 0 || index.dim() != src.dim()) return src;
  Tensor part = src;
  for (int d = 0; d < src.dim(); ++d)
    if (index.sizes()[d] < part.sizes()[d]) part = part.narrow(d, 0, index.sizes()[d]);
  return part;
}

Tensor ScatterIndex::pick(const Tensor& t) const {
  const Tensor& index = index_.get();
  if (index.numel() == 0) return zeros(source_, t.options());
  if (slices()) return index_select(at_least_1d(t), dim_, index).reshape(source_);
  return gather(at_least_1d(t), dim_, at_least_1d(index)).reshape(source_);
}

Tensor ScatterIndex::fill(const Tensor& t, Scalar value) const {
  return slices() ? index_fill(t, dim_, index_.get(), value) : scatter(t, dim_, index_.get(), value);
}

Tensor ScatterIndex::add(const Tensor& t, const Tensor& source) const {
  return slices() ? index_add(t, dim_, index_.get(), source) : scatter_add(t, dim_, index_.get(), source);
}

Tensor ScatterIndex::reduce(const Tensor& t, const Tensor& source, std::string_view reduce, bool include_self) const {
  return slices() ? index_reduce(t, dim_, index_.get(), source, reduce, include_self)
                  : scatter_reduce(t, dim_, index_.get(), source, reduce, include_self);
}

Tensor ScatterIndex::touched(Device device) const { return fill(zeros(input_, {boolean, device}), true); }

Tensor ScatterIndex::of_stayed(const Tensor& picked) const {
  const Tensor& given = index_.get();
  if (given.numel() == 0) return picked;
  const Tensor index = at_least_1d(given);
  const int d = slices() ? 0 : wrap_dim("scatter", dim_, index.dim());
  const int64_t items = index.sizes()[d];
  if (items <= 1) return picked;
  Dims line = Dims::filled(index.dim(), 1), places = slices() ? Dims{1} : input_;
  line[d] = items;
  if (slices()) places[0] = input_.empty() ? 1 : input_[wrap_dim("scatter", dim_, input_.size())];
  if (places.empty()) places.push_back(1);
  const Tensor numbers = arange(0, items, 1, TensorOptions{int64, index.device()}).reshape(line).expand(index.sizes());
  const Tensor last =
      gather(scatter(full(places, -1, TensorOptions{int64, index.device()}), d, index, numbers), d, index);
  Tensor stayed = eq(last, numbers);
  if (slices()) {
    if (stayed.is_cpu() && !any(logical_not(stayed)).item<bool>()) return picked;  // a look at few numbers
    Dims sizes = Dims::filled(std::max(1, source_.size()), 1);
    sizes[wrap_dim("scatter", dim_, source_.size())] = items;
    stayed = stayed.reshape(sizes);
  }
  return where(stayed, picked, 0).reshape(source_);
}

Tensor ScatterIndex::pick_stayed(const Tensor& grad) const {
  if (!slices() && grad.is_cpu() && !grad_enabled() && index_.get().numel() > 0)
    return kernels::pick_stayed(grad, dim_, index_.get()).reshape(source_);
  return of_stayed(pick(grad));
}

}  // namespace detail

using detail::ScatterIndex;

namespace {

/// The gradients of input and src where src is written into input.
auto write_backward(IndexOf kind, const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  return [at = ScatterIndex(kind, input, dim, index, src.sizes()), to_input = input.requires_grad(),
          to_src = src.requires_grad()](const Tensor& grad) -> TensorList {
    return {to_input ? at.fill(grad, 0) : Tensor(), to_src ? at.pick_stayed(grad) : Tensor()};
  };
}

/// Those of input where numbers are.
auto fill_backward(IndexOf kind, const Tensor& input, int64_t dim, const Tensor& index) {
  return
      [at = ScatterIndex(kind, input, dim, index, {})](const Tensor& grad) -> TensorList { return {at.fill(grad, 0)}; };
}

Tensor written(const OpCall& call, IndexOf kind, const Tensor& input, int64_t dim, const Tensor& index,
               const Tensor& src) {
  const char* op = call.name();
  detail::expect_defined(op, input, "input");
  Tensor out = kernels::clone(input);
  kernels::scatter_(op, kind, out, dim, index, src);
  return record(call, std::move(out), {input, src}, write_backward(kind, input, dim, index, src));
}

Tensor filled(const OpCall& call, IndexOf kind, const Tensor& input, int64_t dim, const Tensor& index, Scalar value) {
  const char* op = call.name();
  detail::expect_defined(op, input, "input");
  Tensor out = kernels::clone(input);
  kernels::scatter_(op, kind, out, dim, index, value);
  return record(call, std::move(out), {input}, fill_backward(kind, input, dim, index));
}

/// A 0-d tensor as it is written into `input`.
Tensor fill_value(const char* op, const Tensor& input, const Tensor& value) {
  detail::expect_defined(op, input, "input");
  detail::expect_defined(op, value, "value");
  ORDO_CHECK(value.dim() == 0, ShapeError, op, "value must be a number or a 0-d tensor, not one of shape {}",
             value.sizes());
  ORDO_CHECK(is_floating(input.dtype()) || !is_floating(value.dtype()), DTypeError, op,
             "a {} value does not fit a tensor of {}; convert it with to()", value.dtype(), input.dtype());
  if (value.device() != input.device() && !value.is_cpu()) detail::expect_same_device(op, input, value);
  return kernels::to(value, input.device(), input.dtype());
}

/// `value` for every element of the slices at index.
Tensor fill_source(const char* op, const Tensor& input, int64_t dim, const Tensor& index, const Tensor& value) {
  detail::expect_defined(op, index, "index");
  Dims sizes = input.sizes();
  if (sizes.empty()) sizes.push_back(1);
  sizes[wrap_dim(op, dim, input.dim())] = index.numel();
  return views::expand(value, sizes);
}

auto value_backward(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& value) {
  return [at = ScatterIndex(IndexOf::slices, input, dim, index, {}), to_input = input.requires_grad(),
          to_value = value.requires_grad(), device = value.device(),
          dtype = value.dtype()](const Tensor& grad) -> TensorList {
    return {to_input ? at.fill(grad, 0) : Tensor(),
            to_value ? sum(where(at.touched(grad.device()), grad, 0)).to(device, dtype) : Tensor()};
  };
}

}  // namespace

Tensor scatter(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  const OpCall call("scatter", input, dim, index, src);
  return written(call, IndexOf::elements, input, dim, index, detail::scattered_part(index, src));
}

Tensor scatter(const Tensor& input, int64_t dim, const Tensor& index, Scalar value) {
  const OpCall call("scatter", input, dim, index, value);
  return filled(call, IndexOf::elements, input, dim, index, value);
}

Tensor index_copy(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source) {
  const OpCall call("index_copy", input, dim, index, source);
  return written(call, IndexOf::slices, input, dim, index, source);
}

Tensor index_fill(const Tensor& input, int64_t dim, const Tensor& index, Scalar value) {
  const OpCall call("index_fill", input, dim, index, value);
  return filled(call, IndexOf::slices, input, dim, index, value);
}

Tensor index_fill(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& value) {
  const OpCall call("index_fill", input, dim, index, value);
  const Tensor number = fill_value("index_fill", input, value);
  Tensor out = kernels::clone(input);
  kernels::scatter_("index_fill", IndexOf::slices, out, dim, index,
                    fill_source("index_fill", input, dim, index, number));
  return record(call, std::move(out), {input, value}, value_backward(input, dim, index, value));
}

Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, const Tensor& given) {
  const OpCall call("scatter_", *this, dim, index, given);
  const Tensor src = detail::scattered_part(index, given);
  const InPlaceChange change(call, *this, {src});
  const Tensor before = history_of(*this);
  kernels::scatter_("scatter_", IndexOf::elements, *this, dim, index, src);
  record_in_place(call, *this, before, {src}, write_backward(IndexOf::elements, before, dim, index, src));
  return *this;
}

Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, Scalar value) {
  const OpCall call("scatter_", *this, dim, index, value);
  const InPlaceChange change(call, *this);
  const Tensor before = history_of(*this);
  kernels::scatter_("scatter_", IndexOf::elements, *this, dim, index, value);
  record_in_place(call, *this, before, {}, fill_backward(IndexOf::elements, before, dim, index));
  return *this;
}

Tensor& Tensor::index_copy_(int64_t dim, const Tensor& index, const Tensor& source) {
  const OpCall call("index_copy_", *this, dim, index, source);
  const InPlaceChange change(call, *this, {source});
  const Tensor before = history_of(*this);
  kernels::scatter_("index_copy_", IndexOf::slices, *this, dim, index, source);
  record_in_place(call, *this, before, {source}, write_backward(IndexOf::slices, before, dim, index, source));
  return *this;
}

Tensor& Tensor::index_fill_(int64_t dim, const Tensor& index, Scalar value) {
  const OpCall call("index_fill_", *this, dim, index, value);
  const InPlaceChange change(call, *this);
  const Tensor before = history_of(*this);
  kernels::scatter_("index_fill_", IndexOf::slices, *this, dim, index, value);
  record_in_place(call, *this, before, {}, fill_backward(IndexOf::slices, before, dim, index));
  return *this;
}

Tensor& Tensor::index_fill_(int64_t dim, const Tensor& index, const Tensor& value) {
  const OpCall call("index_fill_", *this, dim, index, value);
  const Tensor number = fill_value("index_fill_", *this, value);
  const InPlaceChange change(call, *this, {value});
  const Tensor before = history_of(*this);
  kernels::scatter_("index_fill_", IndexOf::slices, *this, dim, index,
                    fill_source("index_fill_", *this, dim, index, number));
  record_in_place(call, *this, before, {value}, value_backward(before, dim, index, value));
  return *this;
}

}  // namespace ordo

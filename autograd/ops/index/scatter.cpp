#include <ordo/autograd/ops/index/scatter.h>

#include <ordo/autograd/ops/index/scatter_index.h>
#include <ordo/autograd/ops/index/scatter_reduce.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/shape/diagonal.h>
#include <ordo/engine/tensor/at_least_1d.h>
#include <ordo/kernels/scatter/scatter.h>

namespace ordo {

using kernels::IndexOf;

namespace detail {

static Tensor at_least_1d(const Tensor& t) { return t.dim() == 0 ? t.reshape({1}) : t; }

Tensor scattered_part(const Tensor& index, const Tensor& src) {
  if (!index.defined() || !src.defined() || index.numel() == 0) return src;
  const Dims sizes = views::at_least_1d(index).sizes();
  if (sizes.size() != src.sizes().size()) return src;
  Tensor part = src;
  for (int d = 0; d < src.dim(); ++d)
    if (sizes[d] < part.sizes()[d]) part = part.narrow(d, 0, sizes[d]);
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

Tensor ScatterIndex::write(const Tensor& t, const Tensor& source) const {
  return slices() ? index_copy(t, dim_, index_.get(), source) : scatter(t, dim_, index_.get(), source);
}

Tensor ScatterIndex::add(const Tensor& t, const Tensor& source) const {
  return slices() ? index_add(t, dim_, index_.get(), source) : scatter_add(t, dim_, index_.get(), source);
}

Tensor ScatterIndex::reduce(const Tensor& t, const Tensor& source, Reduce reduce, bool include_self) const {
  return slices() ? index_reduce(t, dim_, index_.get(), source, reduce, include_self)
                  : scatter_reduce(t, dim_, index_.get(), source, reduce, include_self);
}

Tensor ScatterIndex::touched(Device device) const { return fill(zeros(input_, {boolean, device}), true); }

TensorList ScatterIndex::take_out(const Tensor& grad) const {
  const OpCall call("scatter_backward", grad, index_.get());
  const Tensor rest = kernels::clone(grad), taken = kernels::take_out_(kind_, rest, dim_, index_.get(), source_);
  return record(call, TensorList{rest, taken}, {grad}, [at = *this](const TensorList& grads) -> TensorList {
    const Tensor rest = grads[0].defined() ? grads[0] : zeros(at.input_, grads[1].options());
    return {grads[1].defined() ? at.write(rest, grads[1]) : at.fill(rest, 0)};
  });
}

}  // namespace detail

using detail::at_least_1d;
using detail::ScatterIndex;

/// The gradients of input and src where src is written into input.
static auto write_backward(IndexOf kind, const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  return [at = ScatterIndex(kind, input, dim, index, src.sizes())](const Tensor& grad) -> TensorList {
    return needs(1) ? at.take_out(grad) : TensorList{at.fill(grad, 0), Tensor()};
  };
}
/// Those of input where numbers are.
static auto write_backward(IndexOf kind, const Tensor& input, int64_t dim, const Tensor& index, Scalar) {
  return [at = ScatterIndex(kind, input, dim, index, {})](const Tensor& grad) { return at.fill(grad, 0); };
}

/// What may have a gradient of its own; undefined for a number.
static Tensor source_of(const Tensor& src) { return src; }
static Tensor source_of(Scalar) { return {}; }

/// `value` is a tensor or a number.
template <class Value>
static Tensor written(const OpCall& call, IndexOf kind, const Tensor& input, int64_t dim, const Tensor& index,
                      const Value& value) {
  detail::expect_defined(call.name(), input, "input");
  Tensor out = kernels::clone(input);
  kernels::scatter_(call.name(), kind, out, dim, index, value);
  const Tensor source = source_of(value);
  return record(call, std::move(out), {input, source}, write_backward(kind, input, dim, index, value));
}

template <class Value>
static Tensor& written_in_place(const OpCall& call, IndexOf kind, Tensor& t, int64_t dim, const Tensor& index,
                                const Value& value) {
  return detail::change_in_place(
      call, t, source_of(value), [&] { kernels::scatter_(call.name(), kind, t, dim, index, value); },
      [&](const Tensor& before) { return write_backward(kind, before, dim, index, value); });
}

/// A 0-d tensor as it is written into `input`.
static Tensor fill_value(const char* op, const Tensor& input, const Tensor& value) {
  detail::expect_defined(op, input, "input", value, "value");
  ORDO_CHECK(value.dim() == 0, ShapeError, op, "value must be a number or a 0-d tensor, not one of shape {}",
             value.sizes());
  ORDO_CHECK(is_floating(input.dtype()) || !is_floating(value.dtype()), DTypeError, op,
             "a {} value does not fit a tensor of {}; convert it with to()", value.dtype(), input.dtype());
  if (value.device() != cpu) detail::expect_same_device(op, input, value);
  return kernels::to(value, input.device(), input.dtype());
}

/// `value` for every element of the slices at index.
static Tensor fill_source(const char* op, const Tensor& input, int64_t dim, const Tensor& index, const Tensor& value) {
  detail::expect_defined(op, index, "index");
  Dims sizes = input.sizes();
  if (sizes.empty()) sizes.push_back(1);
  sizes[wrap_dim(op, dim, input.dim())] = index.numel();
  return views::expand(value, sizes);
}

static auto value_backward(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& value) {
  return [at = ScatterIndex(IndexOf::slices, input, dim, index, {}), device = value.device(),
          dtype = value.dtype()](const Tensor& grad) -> TensorList {
    return {needs(0) ? at.fill(grad, 0) : Tensor(),
            needs(1) ? sum(where(at.touched(grad.device()), grad, 0)).to(device, dtype) : Tensor()};
  };
}

Tensor scatter(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  const OpCall call("scatter", input, dim, index, src);
  return written(call, IndexOf::elements, input, dim, index, detail::scattered_part(index, src));
}

Tensor scatter(const Tensor& input, int64_t dim, const Tensor& index, Scalar value) {
  const OpCall call("scatter", input, dim, index, value);
  return written(call, IndexOf::elements, input, dim, index, value);
}

Tensor index_copy(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source) {
  const OpCall call("index_copy", input, dim, index, source);
  return written(call, IndexOf::slices, input, dim, index, source);
}

Tensor index_fill(const Tensor& input, int64_t dim, const Tensor& index, Scalar value) {
  const OpCall call("index_fill", input, dim, index, value);
  return written(call, IndexOf::slices, input, dim, index, value);
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
  return written_in_place(call, IndexOf::elements, *this, dim, index, src);
}

Tensor& Tensor::scatter_(int64_t dim, const Tensor& index, Scalar value) {
  const OpCall call("scatter_", *this, dim, index, value);
  return written_in_place(call, IndexOf::elements, *this, dim, index, value);
}

Tensor& Tensor::index_copy_(int64_t dim, const Tensor& index, const Tensor& source) {
  const OpCall call("index_copy_", *this, dim, index, source);
  return written_in_place(call, IndexOf::slices, *this, dim, index, source);
}

Tensor& Tensor::index_fill_(int64_t dim, const Tensor& index, Scalar value) {
  const OpCall call("index_fill_", *this, dim, index, value);
  return written_in_place(call, IndexOf::slices, *this, dim, index, value);
}

Tensor& Tensor::index_fill_(int64_t dim, const Tensor& index, const Tensor& value) {
  const OpCall call("index_fill_", *this, dim, index, value);
  const Tensor number = fill_value("index_fill_", *this, value);
  const auto write = [&] {
    kernels::scatter_("index_fill_", IndexOf::slices, *this, dim, index,
                      fill_source("index_fill_", *this, dim, index, number));
  };
  return detail::change_in_place(call, *this, value, write,
                                 [&](const Tensor& before) { return value_backward(before, dim, index, value); });
}

/// `t` with zeros behind it in every dimension, up to `sizes`.
static Tensor pad_to(Tensor t, const Dims& sizes) {
  for (int d = 0; d < sizes.size(); ++d) {
    if (t.sizes()[d] == sizes[d]) continue;
    Dims missing = t.sizes();
    missing[d] = sizes[d] - missing[d];
    t = cat({t, zeros(missing, t.options())}, d);
  }
  return t;
}

static auto scatter_add_backward(int64_t dim, const Tensor& index, const Tensor& src) {
  return [dim, index = Saved(index), sizes = src.sizes()](const Tensor& grad) -> TensorList {
    Tensor of_src;
    if (needs(1)) {
      const Tensor& i = index.get();
      if (i.numel() == 0)
        of_src = zeros(sizes, grad.options());
      else
        of_src = pad_to(gather(at_least_1d(grad), dim, at_least_1d(i)), sizes.empty() ? Dims{1} : sizes).reshape(sizes);
    }
    return {needs(0) ? grad : Tensor(), of_src};
  };
}

Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src, Algorithm algorithm) {
  ORDO_AUTOCAST_CALL(raise, scatter_add, input, dim, index, src, algorithm);
  Tensor result = kernels::scatter_add(input, dim, index, src, algorithm);
  return record(call, std::move(result), {input, src}, scatter_add_backward(dim, index, src));
}

Tensor& Tensor::scatter_add_(int64_t dim, const Tensor& index, const Tensor& src) {
  const OpCall call("scatter_add_", *this, dim, index, src);
  return detail::change_in_place(
      call, *this, src, [&] { kernels::scatter_add_(*this, dim, index, src); },
      [&](const Tensor&) { return scatter_add_backward(dim, index, src); });
}

ORDO_REGISTER_OPS({"select_scatter", "slice_scatter", "diagonal_scatter"}, {.family = "copy", .dtypes = kAllTypes});

/// A copy of input in which `view` of it has become src. The gradients are `put(grad, zeros)` and `get(grad)`.
template <class View, class Put, class Get>
static Tensor with_view(const OpCall& call, const Tensor& input, const Tensor& src, const View& view, Put put,
                        Get get) {
  const char* op = call.name();
  detail::expect_pair(op, input, "input", src, "src");
  const Dims sizes = view(input).sizes();
  ORDO_CHECK(src.sizes() == sizes, ShapeError, op, "src has shape {}, but the view to replace has {}", src.sizes(),
             sizes);
  Tensor out = kernels::clone(input);
  kernels::copy_(view(out), src);
  return record(call, std::move(out), {input, src},
                [put, get, sizes, dtype = src.dtype()](const Tensor& grad) -> TensorList {
                  return {needs(0) ? put(grad, zeros(sizes, grad.options())) : Tensor(),
                          needs(1) ? get(grad).to(dtype) : Tensor()};
                });
}

/// Without a history.
static Tensor diagonal_view(const char* op, const Tensor& t, int64_t offset, int64_t dim1, int64_t dim2) {
  ORDO_CHECK(t.dim() >= 2, ShapeError, op, "input must have 2 dimensions or more, not shape {}", t.sizes());
  const int a = wrap_dim(op, dim1, t.dim()), b = wrap_dim(op, dim2, t.dim());
  ORDO_CHECK(a != b, ValueError, op, "dim1 and dim2 must not be one dimension, but are {} and {}", dim1, dim2);
  const NoGrad guard;
  return diagonal(t, offset, a, b);
}

Tensor select_scatter(const Tensor& input, const Tensor& src, int64_t dim, int64_t index) {
  const OpCall call("select_scatter", input, src, dim, index);
  return with_view(
      call, input, src, [&](const Tensor& t) { return views::select(t, dim, index); },
      [=](const Tensor& grad, const Tensor& zero) { return select_scatter(grad, zero, dim, index); },
      [=](const Tensor& grad) { return grad.select(dim, index); });
}

Tensor slice_scatter(const Tensor& input, const Tensor& src, int64_t dim, std::optional<int64_t> start,
                     std::optional<int64_t> end, int64_t step) {
  const OpCall call("slice_scatter", input, src, dim, start, end, step);
  const int64_t from = start.value_or(0), to = end.value_or(INT64_MAX);
  return with_view(
      call, input, src, [&](const Tensor& t) { return views::slice(t, dim, from, to, step); },
      [=](const Tensor& grad, const Tensor& zero) { return slice_scatter(grad, zero, dim, from, to, step); },
      [=](const Tensor& grad) { return grad.slice(dim, from, to, step); });
}

Tensor diagonal_scatter(const Tensor& input, const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2) {
  const OpCall call("diagonal_scatter", input, src, offset, dim1, dim2);
  return with_view(
      call, input, src, [&](const Tensor& t) { return diagonal_view(call.name(), t, offset, dim1, dim2); },
      [=](const Tensor& grad, const Tensor& zero) { return diagonal_scatter(grad, zero, offset, dim1, dim2); },
      [=](const Tensor& grad) { return diagonal(grad, offset, dim1, dim2); });
}

}  // namespace ordo

#include <ordo/autograd/ops/select_scatter.h>

#include <algorithm>
#include <climits>

#include <ordo/autograd/ops/operation.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "select_scatter", .family = "copy", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "slice_scatter", .family = "copy", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "diagonal_scatter", .family = "copy", .dtypes = kAllTypes});

namespace {

/// A copy of input in which `view` of it has become src.
template <class View>
Tensor with_view(const OpCall& call, const Tensor& input, const Tensor& src, const View& view) {
  const char* op = call.name();
  detail::expect_defined(op, input, "input");
  detail::expect_defined(op, src, "src");
  detail::expect_same_device(op, input, src);
  const Dims sizes = view(input).sizes();
  ORDO_CHECK(src.sizes() == sizes, ShapeError, op, "src has shape {}, but the view to replace has {}", src.sizes(),
             sizes);
  Tensor out = kernels::clone(input);
  kernels::copy_(view(out), src);
  return out;
}

/// The gradients: `put(grad, zeros)` and `get(grad)`.
template <class Put, class Get>
auto view_backward(const Tensor& input, const Tensor& src, Put put, Get get) {
  return [put, get, sizes = src.sizes(), dtype = src.dtype(), to_input = input.requires_grad(),
          to_src = src.requires_grad()](const Tensor& grad) -> TensorList {
    return {to_input ? put(grad, zeros(sizes, grad.options())) : Tensor(), to_src ? get(grad).to(dtype) : Tensor()};
  };
}

Tensor diagonal_view(const char* op, const Tensor& t, int64_t offset, int64_t dim1, int64_t dim2) {
  ORDO_CHECK(t.dim() >= 2, ShapeError, op, "input must have 2 dimensions or more, not shape {}", t.sizes());
  const int a = wrap_dim(op, dim1, t.dim()), b = wrap_dim(op, dim2, t.dim());
  ORDO_CHECK(a != b, ValueError, op, "dim1 and dim2 must not be one dimension, but are {} and {}", dim1, dim2);
  const int64_t rows = t.sizes()[a], columns = t.sizes()[b];
  const int64_t below = offset < 0 ? -std::max(offset, -rows) : 0, right = offset > 0 ? std::min(offset, columns) : 0;
  const int64_t length = std::max<int64_t>(0, std::min(rows - below, columns - right));
  Dims sizes, strides;
  for (int d = 0; d < t.dim(); ++d) {
    if (d == a || d == b) continue;
    sizes.push_back(t.sizes()[d]);
    strides.push_back(t.strides()[d]);
  }
  sizes.push_back(length);
  strides.push_back(t.strides()[a] + t.strides()[b]);
  const int64_t start = length == 0 ? 0 : below * t.strides()[a] + right * t.strides()[b];
  return views::as_strided(t, sizes, strides, t.storage_offset() + start);
}

/// A copy of the diagonal, differentiable.
Tensor diagonal_of(const Tensor& t, int64_t offset, int64_t dim1, int64_t dim2) {
  const OpCall call("diagonal_scatter_backward", t, offset, dim1, dim2);
  return record(call, kernels::clone(diagonal_view("diagonal_scatter", t, offset, dim1, dim2)), {t},
                [=, sizes = t.sizes()](const Tensor& grad) -> TensorList {
                  return {diagonal_scatter(zeros(sizes, grad.options()), grad, offset, dim1, dim2)};
                });
}

}  // namespace

Tensor select_scatter(const Tensor& input, const Tensor& src, int64_t dim, int64_t index) {
  const OpCall call("select_scatter", input, src, dim, index);
  Tensor out = with_view(call, input, src, [&](const Tensor& t) { return views::select(t, dim, index); });
  return record(
      call, std::move(out), {input, src},
      view_backward(
          input, src, [=](const Tensor& grad, const Tensor& zero) { return select_scatter(grad, zero, dim, index); },
          [=](const Tensor& grad) { return grad.select(dim, index); }));
}

Tensor slice_scatter(const Tensor& input, const Tensor& src, int64_t dim, std::optional<int64_t> start,
                     std::optional<int64_t> end, int64_t step) {
  const OpCall call("slice_scatter", input, src, dim, start, end, step);
  const int64_t from = start.value_or(0), to = end.value_or(INT64_MAX);
  Tensor out = with_view(call, input, src, [&](const Tensor& t) { return views::slice(t, dim, from, to, step); });
  return record(
      call, std::move(out), {input, src},
      view_backward(
          input, src,
          [=](const Tensor& grad, const Tensor& zero) { return slice_scatter(grad, zero, dim, from, to, step); },
          [=](const Tensor& grad) { return grad.slice(dim, from, to, step); }));
}

Tensor diagonal_scatter(const Tensor& input, const Tensor& src, int64_t offset, int64_t dim1, int64_t dim2) {
  const char* op = "diagonal_scatter";
  const OpCall call("diagonal_scatter", input, src, offset, dim1, dim2);
  Tensor out = with_view(call, input, src, [&](const Tensor& t) { return diagonal_view(op, t, offset, dim1, dim2); });
  return record(
      call, std::move(out), {input, src},
      view_backward(
          input, src,
          [=](const Tensor& grad, const Tensor& zero) { return diagonal_scatter(grad, zero, offset, dim1, dim2); },
          [=](const Tensor& grad) { return diagonal_of(grad, offset, dim1, dim2); }));
}

}  // namespace ordo

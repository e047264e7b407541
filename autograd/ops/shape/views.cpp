#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/view_history.h>

namespace ordo {

/// The gradient of every view that only relabels: the same elements in the input's shape.
static auto reshape_back(const Tensor& input) {
  return [from = input.sizes()](const Tensor& grad) { return grad.reshape(from); };
}

Tensor Tensor::view(const Dims& sizes) const {
  get();
  const OpCall call("view", *this, sizes);
  return record_view(call, views::view(*this, sizes), *this, reshape_back(*this));
}

Tensor Tensor::reshape(const Dims& sizes) const {
  get();
  const OpCall call("reshape", *this, sizes);
  Tensor out = views::try_view(*this, sizes);
  if (!out.defined())  // memory of its own, so no view
    return record(call, views::view(kernels::contiguous(*this), sizes), {*this}, reshape_back(*this));
  return record_view(call, std::move(out), *this, reshape_back(*this));
}

Tensor Tensor::transpose(int64_t dim0, int64_t dim1) const {
  get();
  const OpCall call("transpose", *this, dim0, dim1);
  return record_view(call, views::transpose(*this, dim0, dim1), *this,
                     [=](const Tensor& grad) { return grad.transpose(dim0, dim1); });
}

Tensor Tensor::t() const {
  ORDO_CHECK(dim() <= 2, ShapeError, "t", "takes a matrix; this tensor has shape {}. Use transpose or permute",
             sizes());
  return dim() == 2 ? transpose(0, 1) : *this;
}

Tensor Tensor::permute(const Dims& dims) const {
  get();
  const OpCall call("permute", *this, dims);
  Tensor out = views::permute(*this, dims);
  Dims inverse = dims;
  for (int i = 0; i < dims.size(); ++i) inverse[wrap_dim("permute", dims[i], dim())] = i;
  return record_view(call, std::move(out), *this, [inverse](const Tensor& grad) { return grad.permute(inverse); });
}

Tensor Tensor::slice(int64_t dim, int64_t start, int64_t end, int64_t step) const {
  get();
  const OpCall call("slice", *this, dim, start, end, step);
  return record_view(call, views::slice(*this, dim, start, end, step), *this, [=, from = sizes()](const Tensor& grad) {
    return slice_backward(grad, from, dim, start, end, step);
  });
}

Tensor Tensor::select(int64_t dim, int64_t index) const {
  get();
  const OpCall call("select", *this, dim, index);
  Tensor out = views::select(*this, dim, index);
  const int d = wrap_dim("select", dim, this->dim());
  const int64_t at = index < 0 ? index + sizes()[d] : index;
  return record_view(call, std::move(out), *this, [=, from = sizes()](const Tensor& grad) {
    return slice_backward(grad.unsqueeze(d), from, d, at, at + 1, 1);
  });
}

Tensor Tensor::narrow(int64_t dim, int64_t start, int64_t length) const {
  get();
  const OpCall call("narrow", *this, dim, start, length);
  Tensor out = views::narrow(*this, dim, start, length);
  const int64_t first = start < 0 ? start + size(dim) : start;
  return record_view(call, std::move(out), *this, [=, from = sizes()](const Tensor& grad) {
    return slice_backward(grad, from, dim, first, first + length, 1);
  });
}

Tensor Tensor::expand(const Dims& sizes) const {
  get();
  const OpCall call("expand", *this, sizes);
  return record_view(call, views::expand(*this, sizes), *this,
                     [from = this->sizes()](const Tensor& grad) { return sum_to(grad, from); });
}

Tensor Tensor::squeeze() const {
  get();
  const OpCall call("squeeze", *this);
  return record_view(call, views::squeeze(*this), *this, reshape_back(*this));
}

Tensor Tensor::squeeze(const Dims& dims) const {
  get();
  const OpCall call("squeeze", *this, dims);
  return record_view(call, views::squeeze(*this, dims), *this, reshape_back(*this));
}

Tensor Tensor::unsqueeze(int64_t dim) const {
  get();
  const OpCall call("unsqueeze", *this, dim);
  return record_view(call, views::unsqueeze(*this, dim), *this, reshape_back(*this));
}

Tensor Tensor::flatten(int64_t start_dim, int64_t end_dim) const {
  const OpCall call("flatten", *this, start_dim, end_dim);
  const int first = wrap_dim("flatten", start_dim, dim()), last = wrap_dim("flatten", end_dim, dim());
  ORDO_CHECK(first <= last, ValueError, "flatten", "start_dim {} comes after end_dim {}", start_dim, end_dim);
  if (dim() == 0) return call.done(reshape({1}));
  Dims sizes;
  int64_t merged = 1;
  for (int i = 0; i < dim(); ++i) {
    if (i >= first && i <= last) merged *= this->sizes()[i];
    if (i < first || i > last)
      sizes.push_back(this->sizes()[i]);
    else if (i == last)
      sizes.push_back(merged);
  }
  return call.done(reshape(sizes));
}

Tensor slice_backward(const Tensor& grad, const Dims& sizes, int64_t dim, int64_t start, int64_t end, int64_t step) {
  const OpCall call("slice_backward", grad, sizes, dim, start, end, step);
  Tensor out = zeros(sizes, grad.options());
  {
    NoGrad guard;
    views::slice(out, dim, start, end, step).copy_(grad);
  }
  return record(call, std::move(out), {grad}, [=](const Tensor& g) { return g.slice(dim, start, end, step); });
}

Tensor sum_to(const Tensor& grad, const Dims& sizes) {
  if (grad.sizes() == sizes) return grad;
  const int added = grad.dim() - sizes.size();
  ORDO_CHECK(added >= 0, ShapeError, "sum_to", "shape {} does not come from broadcasting {}", grad.sizes(), sizes);
  Dims dims;
  for (int i = 0; i < grad.dim(); ++i)
    if (i < added || (sizes[i - added] == 1 && grad.sizes()[i] != 1)) dims.push_back(i);
  return grad.sum(dims, true).reshape(sizes);
}

Tensor Tensor::contiguous() const {
  const OpCall call("contiguous", *this);
  detail::expect_defined("contiguous", *this, "self");
  if (is_contiguous()) return call.done(*this);
  return record(call, kernels::contiguous(*this), {*this}, [](const Tensor& grad) { return grad; });
}

Tensor Tensor::clone() const {
  const OpCall call("clone", *this);
  return record(call, kernels::clone(*this), {*this}, [](const Tensor& grad) { return grad; });
}

Tensor Tensor::to(Device device, DType dtype) const {
  const OpCall call("to", *this, device, dtype);
  detail::expect_defined("to", *this, "self");
  if (this->device() == device && this->dtype() == dtype) return call.done(*this);
  Tensor moved = kernels::to(*this, device, dtype);
  if (!is_floating(dtype)) return call.done(std::move(moved));  // integers have no gradient
  return record(call, std::move(moved), {*this}, [device = this->device(), dtype = this->dtype()](const Tensor& grad) {
    return grad.to(device, dtype);
  });
}

Tensor Tensor::to(DType dtype) const {
  detail::expect_defined("to", *this, "self");
  return to(device(), dtype);
}

Tensor Tensor::to(Device device) const {
  detail::expect_defined("to", *this, "self");
  return to(device, dtype());
}

Tensor& Tensor::fill_(Scalar value) {
  const OpCall call("fill_", *this, value);
  return detail::change_in_place(
      call, *this, {}, [&] { kernels::fill_(*this, value); },
      [](const Tensor&) { return [](const Tensor& grad) { return zeros_like(grad); }; });
}

Tensor& Tensor::copy_(const Tensor& source) {
  const OpCall call("copy_", *this, source);
  detail::expect_defined("copy_", source, "source");
  return detail::change_in_place(
      call, *this, source, [&] { kernels::copy_(*this, source); },
      [&](const Tensor&) {
        return [sizes = source.sizes(), device = source.device(),
                dtype = source.dtype()](const Tensor& grad) -> TensorList {
          return {zeros_like(grad), is_floating(dtype) ? sum_to(grad, sizes).to(device, dtype) : Tensor()};
        };
      });
}

}  // namespace ordo

// The differentiable views of Tensor, and the sum that undoes broadcasting.
#include <ordo/autograd/ops/views.h>
#include <ordo/autograd/tape.h>
#include <ordo/engine/check.h>

namespace ordo {
namespace {

/// The gradient of every view that only relabels: the same elements in the input's shape.
auto reshape_back(const Tensor& input) {
  return [from = input.sizes()](const Tensor& grad) -> TensorList { return {grad.reshape(from)}; };
}

}  // namespace

Tensor Tensor::view(const Dims& sizes) const {
  get();
  return record_view("view", views::view(*this, sizes), *this, reshape_back(*this));
}

Tensor Tensor::reshape(const Dims& sizes) const {
  get();
  Tensor out = views::try_view(*this, sizes);
  if (!out.defined()) return contiguous().view(sizes);
  return record_view("reshape", std::move(out), *this, reshape_back(*this));
}

Tensor Tensor::transpose(int64_t dim0, int64_t dim1) const {
  get();
  return record_view("transpose", views::transpose(*this, dim0, dim1), *this,
                     [=](const Tensor& grad) -> TensorList { return {grad.transpose(dim0, dim1)}; });
}

Tensor Tensor::t() const {
  ORDO_CHECK(dim() <= 2, ShapeError, "t", "takes a matrix; this tensor has shape {}. Use transpose or permute",
             sizes());
  return dim() == 2 ? transpose(0, 1) : *this;
}

Tensor Tensor::permute(const Dims& dims) const {
  get();
  Tensor out = views::permute(*this, dims);
  Dims inverse = dims;
  for (int i = 0; i < dims.size(); ++i) inverse[wrap_dim("permute", dims[i], dim())] = i;
  return record_view("permute", std::move(out), *this,
                     [inverse](const Tensor& grad) -> TensorList { return {grad.permute(inverse)}; });
}

Tensor Tensor::slice(int64_t dim, int64_t start, int64_t end, int64_t step) const {
  get();
  return record_view("slice", views::slice(*this, dim, start, end, step), *this,
                     [=, from = sizes()](const Tensor& grad) -> TensorList {
                       return {slice_backward(grad, from, dim, start, end, step)};
                     });
}

Tensor Tensor::select(int64_t dim, int64_t index) const {
  get();
  Tensor out = views::select(*this, dim, index);
  const int d = wrap_dim("select", dim, this->dim());
  const int64_t at = index < 0 ? index + sizes()[d] : index;
  return record_view("select", std::move(out), *this, [=, from = sizes()](const Tensor& grad) -> TensorList {
    return {slice_backward(grad.unsqueeze(d), from, d, at, at + 1, 1)};
  });
}

Tensor Tensor::narrow(int64_t dim, int64_t start, int64_t length) const {
  get();
  Tensor out = views::narrow(*this, dim, start, length);
  const int64_t first = start < 0 ? start + size(dim) : start;
  return record_view("narrow", std::move(out), *this, [=, from = sizes()](const Tensor& grad) -> TensorList {
    return {slice_backward(grad, from, dim, first, first + length, 1)};
  });
}

Tensor Tensor::expand(const Dims& sizes) const {
  get();
  return record_view("expand", views::expand(*this, sizes), *this,
                     [from = this->sizes()](const Tensor& grad) -> TensorList { return {sum_to(grad, from)}; });
}

Tensor Tensor::squeeze() const {
  get();
  return record_view("squeeze", views::squeeze(*this), *this, reshape_back(*this));
}

Tensor Tensor::squeeze(const Dims& dims) const {
  get();
  return record_view("squeeze", views::squeeze(*this, dims), *this, reshape_back(*this));
}

Tensor Tensor::unsqueeze(int64_t dim) const {
  get();
  return record_view("unsqueeze", views::unsqueeze(*this, dim), *this, reshape_back(*this));
}

Tensor Tensor::flatten(int64_t start_dim, int64_t end_dim) const {
  const int first = wrap_dim("flatten", start_dim, dim()), last = wrap_dim("flatten", end_dim, dim());
  ORDO_CHECK(first <= last, ValueError, "flatten", "start_dim {} comes after end_dim {}", start_dim, end_dim);
  if (dim() == 0) return reshape({1});
  Dims sizes;
  int64_t merged = 1;
  for (int i = 0; i < dim(); ++i) {
    if (i >= first && i <= last) merged *= this->sizes()[i];
    if (i < first || i > last)
      sizes.push_back(this->sizes()[i]);
    else if (i == last)
      sizes.push_back(merged);
  }
  return reshape(sizes);
}

Tensor slice_backward(const Tensor& grad, const Dims& sizes, int64_t dim, int64_t start, int64_t end, int64_t step) {
  Tensor out = zeros(sizes, grad.options());
  {
    NoGrad guard;
    views::slice(out, dim, start, end, step).copy_(grad);
  }
  return record("slice_backward", std::move(out), {grad},
                [=](const Tensor& g) -> TensorList { return {g.slice(dim, start, end, step)}; });
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

}  // namespace ordo

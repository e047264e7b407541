// Tensor's copies and conversions, and fill_ and copy_.
#include <ordo/autograd/ops/gradient.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo {

Tensor Tensor::contiguous() const {
  detail::expect_defined("contiguous", *this, "self");
  if (is_contiguous()) return *this;
  return record("contiguous", kernels::contiguous(*this), {*this},
                [](const Tensor& grad) -> TensorList { return {grad}; });
}

Tensor Tensor::clone() const {
  return record("clone", kernels::clone(*this), {*this}, [](const Tensor& grad) -> TensorList { return {grad}; });
}

Tensor Tensor::to(Device device, DType dtype) const {
  detail::expect_defined("to", *this, "self");
  if (this->device() == device && this->dtype() == dtype) return *this;
  Tensor moved = kernels::to(*this, device, dtype);
  if (!is_floating(dtype)) return moved;  // integers have no gradient
  return record("to", std::move(moved), {*this},
                [device = this->device(), dtype = this->dtype()](const Tensor& grad) -> TensorList {
                  return {grad.to(device, dtype)};
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
  detail::expect_defined("fill_", *this, "self");
  const InPlaceChange change("fill_", *this);
  if (!detail::recorded(*this)) {
    kernels::fill_(*this, value);
    return *this;
  }
  const Tensor before = history_of(*this);
  kernels::fill_(*this, value);
  record_in_place("fill_", *this, before, {}, [](const Tensor& grad) -> TensorList { return {zeros_like(grad)}; });
  return *this;
}

Tensor& Tensor::copy_(const Tensor& source) {
  detail::expect_defined("copy_", *this, "self");
  detail::expect_defined("copy_", source, "source");
  const InPlaceChange change("copy_", *this, {source});
  if (!detail::recorded(*this, source)) {
    kernels::copy_(*this, source);
    return *this;
  }
  const Tensor before = history_of(*this);
  kernels::copy_(*this, source);
  record_in_place(
      "copy_", *this, before, {source.is_same(*this) ? before : source},
      [sizes = source.sizes(), device = source.device(), dtype = source.dtype()](const Tensor& grad) -> TensorList {
        return {zeros_like(grad), is_floating(dtype) ? sum_to(grad, sizes).to(device, dtype) : Tensor()};
      });
  return *this;
}

}  // namespace ordo

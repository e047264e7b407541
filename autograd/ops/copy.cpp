// Tensor's copies and conversions, and fill_ and copy_.
#include <ordo/autograd/ops/operation.h>

namespace ordo {

Tensor Tensor::contiguous() const {
  const OpCall call("contiguous", *this);
  detail::expect_defined("contiguous", *this, "self");
  if (is_contiguous()) return call.done(*this);
  return record(call, kernels::contiguous(*this), {*this}, [](const Tensor& grad) -> TensorList { return {grad}; });
}

Tensor Tensor::clone() const {
  const OpCall call("clone", *this);
  return record(call, kernels::clone(*this), {*this}, [](const Tensor& grad) -> TensorList { return {grad}; });
}

Tensor Tensor::to(Device device, DType dtype) const {
  const OpCall call("to", *this, device, dtype);
  detail::expect_defined("to", *this, "self");
  if (this->device() == device && this->dtype() == dtype) return call.done(*this);
  Tensor moved = kernels::to(*this, device, dtype);
  if (!is_floating(dtype)) return call.done(std::move(moved));  // integers have no gradient
  return record(call, std::move(moved), {*this},
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
  const OpCall call("fill_", *this, value);
  detail::expect_defined("fill_", *this, "self");
  const InPlaceChange change(call, *this);
  if (!detail::recorded(*this)) {
    kernels::fill_(*this, value);
    return *this;
  }
  const Tensor before = history_of(*this);
  kernels::fill_(*this, value);
  record_in_place(call, *this, before, {}, [](const Tensor& grad) -> TensorList { return {zeros_like(grad)}; });
  return *this;
}

Tensor& Tensor::copy_(const Tensor& source) {
  const OpCall call("copy_", *this, source);
  detail::expect_defined("copy_", *this, "self");
  detail::expect_defined("copy_", source, "source");
  const InPlaceChange change(call, *this, {source});
  if (!detail::recorded(*this, source)) {
    kernels::copy_(*this, source);
    return *this;
  }
  const Tensor before = history_of(*this);
  kernels::copy_(*this, source);
  record_in_place(
      call, *this, before, {source.is_same(*this) ? before : source},
      [sizes = source.sizes(), device = source.device(), dtype = source.dtype()](const Tensor& grad) -> TensorList {
        return {zeros_like(grad), is_floating(dtype) ? sum_to(grad, sizes).to(device, dtype) : Tensor()};
      });
  return *this;
}

}  // namespace ordo

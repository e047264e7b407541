#include <ordo/engine/tensor/literal.h>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/tensor/convert.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo {

Dims Literal::sizes() const {
  Dims sizes;
  if (is_list_) sizes.push_back(int64_t(items_.size()));
  if (items_.empty()) return sizes;
  const Dims first = items_[0].sizes();
  for (const Literal& item : items_) {
    const Dims other = item.sizes();
    ORDO_CHECK(other == first, ShapeError, "tensor", "lists of one depth differ: one has shape {}, another {}", first,
               other);
  }
  for (int64_t n : first) sizes.push_back(n);
  return sizes;
}

DType Literal::dtype() const {
  if (!is_list_) return dtype_;
  std::optional<DType> all;
  for (const Literal& item : items_)
    if (!item.is_list_ || !item.items_.empty()) all = all ? promote(*all, item.dtype()) : item.dtype();
  return all.value_or(float32);
}

template <class To>
void Literal::write(To*& to) const {
  if (is_list_)
    for (const Literal& item : items_) item.write(to);
  else
    *to++ = value_.is_floating() ? convert<To>(value_.to_double()) : convert<To>(value_.to_int64());
}

Tensor tensor(const Literal& values, TensorOptions options) {
  const detail::OperationName name("tensor");
  const Tensor host = detail::result(values.sizes(), options.dtype, cpu);
  dispatch_all("tensor", options.dtype, [&]<class To>() {
    To* to = host.data<To>();
    values.write(to);
  });
  Tensor out = host;
  if (options.device.is_cuda()) {
    out = detail::result(host.sizes(), options.dtype, options.device);
    detail::copy_bytes(out.data(), options.device, host.data(), cpu, host.nbytes());
  }
  if (options.requires_grad) out.set_requires_grad();
  return out;
}

}  // namespace ordo

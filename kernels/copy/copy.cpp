#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/fits.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/copy/strided.h>
#include <ordo/kernels/elementwise/convert.h>

#include <algorithm>
#include <cstring>

namespace ordo::kernels {

ORDO_REGISTER_OPS({"copy_", "fill_", "clone", "contiguous", "to", "tril", "triu"},
                  {.family = "copy", .dtypes = kAllTypes});

namespace {

void copy_on_device(const Tensor& to, const Tensor& from) {
  const TensorImpl *t = to.impl(), *f = from.impl();
  if (t->numel == 0) return;
  const bool flat = t->contiguous && f->contiguous && t->numel == f->numel;
  const CopyArgs args{flat ? flat_layout<2>(t->numel) : broadcast_layout<2>(t->sizes, {t, f}),
                      t->data(),
                      f->data(),
                      t->dtype,
                      f->dtype,
                      t->device()};
  ORDO_ON_DEVICE(args.device, copy, args);
}

Tensor converted(const Tensor& t, DType dtype) {
  Tensor r = detail::result(t.sizes(), dtype, t.device());
  copy_on_device(r, t);
  return r;
}

Tensor triangle(const char* op, const Tensor& t, int64_t diagonal, bool lower) {
  const detail::OperationName name(op);
  detail::expect_defined(op, t, "input");
  ORDO_CHECK(t.dim() >= 2, ShapeError, op, "takes matrices, not a tensor of shape {}", t.sizes());
  const Tensor from = contiguous(t);
  Tensor result = detail::result_like(from);
  if (result.numel() == 0) return result;
  const int64_t start = std::clamp(diagonal, -t.size(-2) - 1, t.size(-1) + 1) + (lower ? 1 : 0);
  ORDO_ON_DEVICE(t.device(), triangle, from, result, start, lower);
  return result;
}

}  // namespace

void expect_writable(const char* op, const Tensor& t) {
  const TensorImpl* impl = t.impl();
  impl->storage->use_alone();
  if (impl->contiguous) return;
  // Each stride must reach beyond all elements of the smaller ones: so it is in all views of tensors whose elements
  // share nothing. Other strides come from other libraries.
  const Dims &sizes = impl->sizes, &strides = impl->strides;
  for (int d = 0; d < sizes.size(); ++d) {
    int64_t reach = 0;
    for (int smaller = 0; smaller < sizes.size(); ++smaller)
      if (smaller != d && strides[smaller] <= strides[d]) reach += strides[smaller] * (sizes[smaller] - 1);
    ORDO_CHECK(
        sizes[d] <= 1 || strides[d] > reach, ShapeError, op,
        "cannot write to a tensor of sizes {} and strides {}: elements of dimension {} share memory; clone() it first",
        sizes, strides, d);
  }
}

bool partly_overlap(const Tensor& a, const Tensor& b) {
  const TensorImpl *x = a.impl(), *y = b.impl();
  if (x == y || x->storage != y->storage) return false;
  return !(x->offset == y->offset && x->dtype == y->dtype && x->sizes == y->sizes && x->strides == y->strides);
}

const Tensor& copy_(const Tensor& to, const Tensor& from) {
  const ordo::detail::OperationName name("copy_");
  detail::expect_defined("copy_", to, "self");
  detail::expect_defined("copy_", from, "source");
  expect_writable("copy_", to);
  if (to.sizes() != from.sizes()) {
    ORDO_CHECK(broadcast_sizes("copy_", to.sizes(), from.sizes()) == to.sizes(), ShapeError, "copy_",
               "the source's sizes {} do not broadcast to the target's sizes {}", from.sizes(), to.sizes());
  }
  if (to.numel() == 0) return to;
  if (to.device() == from.device()) {
    copy_on_device(to, partly_overlap(to, from) ? clone(from) : from);
  } else {
    const bool straight = to.is_contiguous() && to.dtype() == from.dtype() && to.sizes() == from.sizes();
    const Tensor source = contiguous(from);
    const Tensor there = straight ? to : detail::result(source.sizes(), source.dtype(), to.device());
    detail::copy_bytes(there.data(), to.device(), source.data(), source.device(), source.nbytes());
    if (!straight) copy_on_device(to, there);
  }
  return to;
}

uint64_t element_bits(Scalar value, DType dtype) {
  return dispatch_all("fill_", dtype, [&]<class T>() {
    const T v = T(scalar_as<T>(value));
    uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof(T));
    return bits;
  });
}

const Tensor& fill_(const Tensor& t, Scalar value) {
  const ordo::detail::OperationName name("fill_");
  detail::expect_defined("fill_", t, "self");
  expect_writable("fill_", t);
  const TensorImpl* impl = t.impl();
  detail::expect_fits("fill_", value, impl->dtype);
  if (impl->numel == 0) return t;
  const FillArgs args{impl->contiguous ? flat_layout<1>(impl->numel) : broadcast_layout<1>(impl->sizes, {impl}),
                      impl->data(), element_bits(value, impl->dtype), size_of(impl->dtype), impl->device()};
  ORDO_ON_DEVICE(args.device, fill, args);
  return t;
}

Tensor clone(const Tensor& t) {
  const ordo::detail::OperationName name("clone");
  detail::expect_defined("clone", t, "self");
  return converted(t, t.dtype());
}

Tensor contiguous(const Tensor& t) {
  const ordo::detail::OperationName name("contiguous");
  detail::expect_defined("contiguous", t, "self");
  return t.impl()->contiguous ? t : converted(t, t.dtype());
}

Tensor cast(const Tensor& t, DType dtype) {
  const ordo::detail::OperationName name("to");
  detail::expect_defined("to", t, "self");
  return t.impl()->dtype == dtype ? t : converted(t, dtype);
}

Tensor to(const Tensor& t, Device device, DType dtype) {
  const ordo::detail::OperationName name("to");
  detail::expect_defined("to", t, "self");
  if (t.device() == device) return cast(t, dtype);
  // Convert on the side where there is less to carry over afterwards.
  const Tensor source = size_of(dtype) < t.element_size() ? cast(t, dtype) : t;
  Tensor moved = detail::result(t.sizes(), source.dtype(), device);
  copy_(moved, source);
  return cast(moved, dtype);
}

Tensor full(const Dims& sizes, Scalar value, DType dtype, Device device) {
  const ordo::detail::OperationName name("full");
  Tensor r = detail::result(sizes, dtype, device);
  fill_(r, value);
  return r;
}

Tensor tril(const Tensor& t, int64_t diagonal) { return triangle("tril", t, diagonal, true); }
Tensor triu(const Tensor& t, int64_t diagonal) { return triangle("triu", t, diagonal, false); }

}  // namespace ordo::kernels

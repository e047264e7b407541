#include <ordo/kernels/segment_reduce/segment_reduce.h>

#include <ordo/engine/calls/checked.h>
#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/reduce/axis_shape.h>
#include <ordo/kernels/scan/scan.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "segment_reduce", .family = "segment_reduce", .dtypes = kFloatingTypes});

namespace {

constexpr const char* kOp = "segment_reduce";

/// `offsets` as segment_offsets makes them.
Segments segments_of(const Tensor& offsets, int axis, int64_t size) {
  return {offsets.data<int64_t>(), axis_shape(offsets.sizes(), axis).outer, offsets.size(axis) - 1, size};
}

Dims with_size(Dims sizes, int axis, int64_t size) {
  sizes[axis] = size;
  return sizes;
}

}  // namespace

Tensor segment_offsets(const Tensor& data, const Tensor& lengths, const Tensor& offsets, int64_t axis, bool unsafe) {
  const ordo::detail::OperationName name(kOp);
  ordo::detail::expect_defined(kOp, data, "data");
  ORDO_CHECK(lengths.defined() != offsets.defined(), ValueError, kOp, "takes either lengths or offsets, {}",
             lengths.defined() ? "not both" : "and has neither");
  const Tensor& given = lengths.defined() ? lengths : offsets;
  const char* const argument = lengths.defined() ? "lengths" : "offsets";
  ordo::detail::expect_same_device(kOp, data, given);
  ordo::detail::expect_floating(kOp, data);
  ordo::detail::expect_index_dtype(kOp, given);
  ORDO_CHECK(data.dim() > 0, ShapeError, kOp, "data must have at least one dimension");
  const int d = wrap_dim(kOp, axis, data.dim());
  bool fits = given.dim() == d + 1;
  for (int k = 0; fits && k < d; ++k) fits = given.sizes()[k] == data.sizes()[k];
  ORDO_CHECK(fits, ShapeError, kOp,
             "{} must have the sizes of data, {}, before axis {}, and one dimension more; they have sizes {}", argument,
             data.sizes(), d, given.sizes());
  ORDO_CHECK(lengths.defined() || offsets.size(d) > 0, ShapeError, kOp, "needs at least one offset");
  Tensor all;
  if (offsets.defined()) {
    all = clone(cast(offsets, int64));  // kept for the gradient, whatever becomes of the caller's
  } else {
    const int64_t segments = lengths.size(d);
    all = ordo::detail::result(with_size(lengths.sizes(), d, checked::add(kOp, segments, 1)), int64, data.device());
    fill_(views::narrow(all, d, 0, 1), 0);
    if (segments > 0) copy_(views::narrow(all, d, 1, segments), cumsum(cast(lengths, int64), d));
  }
  if (all.numel() == 0) return all;
  const IndexGuard guard(kOp,
                         lengths.defined() ? "lengths, added up (none is negative, and all of them make the axis):"
                                           : "offsets (which do not descend)",
                         d, data.size(d), data.device());
  const OffsetRule rule{.from_zero = false, .to_size = lengths.defined() && !unsafe};
  ORDO_ON_DEVICE(data.device(), check_offsets, segments_of(all, d, data.size(d)), rule, guard.check(), data.device());
  guard.finish();
  return all;
}

Tensor segment_reduce(const Tensor& data, const Tensor& offsets, int axis, Reduce reduction,
                      std::optional<double> initial) {
  const ordo::detail::OperationName name(kOp);
  const Segments segments = segments_of(offsets, axis, data.size(axis));
  const Tensor out = ordo::detail::result(with_size(data.sizes(), axis, segments.per_row), data.dtype(), data.device());
  if (out.numel() == 0) return out;
  const SegmentArgs args{segments, axis_shape(data.sizes(), axis).inner, reduction, initial};
  ORDO_ON_DEVICE(data.device(), segment_reduce, args, contiguous(data), out);
  return out;
}

Tensor segment_expand(const Tensor& x, const Tensor& offsets, int axis, int64_t size) {
  const ordo::detail::OperationName name(kOp);
  const Tensor out = ordo::detail::result(with_size(x.sizes(), axis, size), x.dtype(), x.device());
  if (out.numel() > 0)
    ORDO_ON_DEVICE(x.device(), segment_expand, segments_of(offsets, axis, size), axis_shape(x.sizes(), axis).inner,
                   contiguous(x), out);
  return out;
}

}  // namespace ordo::kernels

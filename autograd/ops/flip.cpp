#include <ordo/autograd/ops/flip.h>

#include <algorithm>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/indexing/cat.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "flip", .family = "copy", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "roll", .family = "copy", .dtypes = kAllTypes});

namespace {

/// A copy of `from`, whose strides may walk backwards, in the order in which `like` lies in memory if it is contiguous
/// but for the order of its dimensions.
Tensor copied_as(const Tensor& like, const Tensor& from) {
  Dims order, back = Dims::filled(like.dim(), 0);
  for (int d = 0; d < like.dim(); ++d) order.push_back(d);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return like.strides()[int(a)] > like.strides()[int(b)]; });
  if (!views::permute(like, order).is_contiguous()) return kernels::clone(from);
  for (int i = 0; i < order.size(); ++i) back[int(order[i])] = i;
  return views::permute(kernels::clone(views::permute(from, order)), back);
}

/// A copy through strides that walk backwards.
Tensor flipped(const Tensor& t, const Dims& dims) {
  const detail::OperationName name("flip");
  Dims strides = t.strides();
  int64_t offset = t.storage_offset();
  unsigned seen = 0;
  for (int64_t dim : dims) {
    const int d = wrap_dim("flip", dim, t.dim());
    ORDO_CHECK(!(seen >> d & 1u), ValueError, "flip", "dimension {} appears twice in {}", dim, dims);
    seen |= 1u << d;
    if (t.dim() == 0 || t.numel() == 0) continue;
    offset += (t.sizes()[d] - 1) * strides[d];
    strides[d] = -strides[d];
  }
  return copied_as(t, views::as_strided(t, t.sizes(), strides, offset));
}

Tensor rolled(const Tensor& t, int64_t shift, int dim) {
  const int64_t n = t.sizes()[dim];
  const int64_t by = n == 0 ? 0 : (shift % n + n) % n;
  if (by == 0) return t;
  return kernels::cat({views::narrow(t, dim, n - by, by), views::narrow(t, dim, 0, n - by)}, dim);
}

/// A multiple of the size, for which there is no negative, is no shift.
Dims backwards(const Dims& shifts, const Dims& sizes) {
  Dims back = shifts;
  for (int i = 0; i < back.size(); ++i) back[i] = sizes[i] == 0 ? 0 : -(shifts[i] % sizes[i]);
  return back;
}

}  // namespace

Tensor flip(const Tensor& t, const Dims& dims) {
  const OpCall call("flip", t, dims);
  detail::expect_defined("flip", t, "input");
  return record(call, flipped(t, dims), {t}, [dims](const Tensor& grad) -> TensorList { return {flip(grad, dims)}; });
}

Tensor roll(const Tensor& t, const Dims& shifts, const Dims& dims) {
  const OpCall call("roll", t, shifts, dims);
  detail::expect_defined("roll", t, "input");
  ORDO_CHECK(shifts.size() == dims.size() || (shifts.size() == 1 && dims.empty()), ValueError, "roll",
             "needs a shift for each dimension: shifts are {}, dims {}", shifts, dims);
  Dims sizes;
  Tensor r = t;
  if (dims.empty() && shifts.size() == 1) {
    sizes.push_back(t.numel());
    r = views::view(rolled(views::view(kernels::contiguous(t), {t.numel()}), shifts[0], 0), t.sizes());
  } else {
    for (int i = 0; i < dims.size(); ++i) {
      ORDO_CHECK(t.dim() > 0, IndexError, "roll", "a 0-d tensor has no dimension to roll");
      const int d = wrap_dim("roll", dims[i], t.dim());
      sizes.push_back(t.sizes()[d]);
      r = rolled(r, shifts[i], d);
    }
  }
  if (r.impl()->storage == t.impl()->storage) r = kernels::clone(r);
  return record(call, std::move(r), {t}, [back = backwards(shifts, sizes), dims](const Tensor& grad) -> TensorList {
    return {roll(grad, back, dims)};
  });
}

Tensor rot90(const Tensor& t, int64_t k, const Dims& dims) {
  const OpCall call("rot90", t, k, dims);
  detail::expect_defined("rot90", t, "input");
  ORDO_CHECK(dims.size() == 2 && wrap_dim("rot90", dims[0], t.dim()) != wrap_dim("rot90", dims[1], t.dim()), ValueError,
             "rot90", "turns from one dimension to another; dims are {}", dims);
  switch ((k % 4 + 4) % 4) {
    case 1:
      return call.done(flip(t, dims[1]).transpose(dims[0], dims[1]));
    case 2:
      return call.done(flip(t, dims));
    case 3:
      return call.done(flip(t, dims[0]).transpose(dims[0], dims[1]));
    default:
      return call.done(t.clone());
  }
}

}  // namespace ordo

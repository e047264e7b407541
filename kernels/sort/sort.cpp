#include <ordo/kernels/sort/sort.h>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/indexing/gather.h>
#include <ordo/kernels/reduce/axis_shape.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OPS({"sort", "topk", "kthvalue", "median", "nanmedian", "mode"}, {.family = "sort", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "argsort", .family = "sort", .dtypes = kAllTypes, .differentiable = false});

/// Lines along memory.
struct Lines {
  Tensor t;     // [..., length]
  int dim;      // where they were
  bool scalar;  // 0-d

  int64_t length() const { return t.size(-1); }
  /// Not yet computed: `count` indices of each line.
  Tensor indices(int64_t count) const {
    Dims sizes = t.sizes();
    sizes[sizes.size() - 1] = count;
    return ordo::detail::result(sizes, int64, t.device());
  }
};

Lines lines_along(const char* op, const Tensor& t, int64_t dim) {
  ordo::detail::expect_defined(op, t, "input");
  const int at = wrap_dim(op, dim, t.dim());
  const Tensor from = t.dim() == 0 ? views::view(contiguous(t), {1}) : t;
  return {contiguous(views::transpose(from, at, -1)), at, t.dim() == 0};
}

/// The indices of the selection, [..., count].
Tensor sort_lines(const Lines& l, bool descending, const Selection& selection) {
  const Tensor indices = l.indices(selection.count());
  if (indices.numel() > 0) ORDO_ON_DEVICE(l.t.device(), sort_lines, l.t, descending, selection, indices);
  return indices;
}

/// Values at indices, both where the lines came from.
Sorted result_of(const Lines& l, const Tensor& indices) {
  const Tensor values = gather(l.t, -1, indices);
  if (l.scalar) return {views::view(values, {}), views::view(indices, {})};
  return {contiguous(views::transpose(values, l.dim, -1)), contiguous(views::transpose(indices, l.dim, -1))};
}

}  // namespace

Sorted sort(const char* op, const Tensor& t, int64_t dim, bool descending, Selection selection) {
  const ordo::detail::OperationName name(op);
  const Lines l = lines_along(op, t, dim);
  if (selection.to < 0) selection.to = l.length();
  return result_of(l, sort_lines(l, descending, selection));
}

Sorted mode(const Tensor& t, int64_t dim) {
  const ordo::detail::OperationName name("mode");
  const Lines l = lines_along("mode", t, dim);
  const Tensor order = sort_lines(l, false, {Selection::Kind::range, 0, l.length()}), places = l.indices(1);
  if (places.numel() > 0) ORDO_ON_DEVICE(t.device(), mode_lines, l.t, order, places);
  return result_of(l, places);
}

Tensor put_along(const Tensor& t, const Dims& sizes, int64_t dim, const Tensor& index) {
  // As many as there are places: all of them.
  const Tensor out = t.numel() == sizes.product() ? ordo::detail::result(sizes, t.dtype(), t.device())
                                                  : full(sizes, 0, t.dtype(), t.device());
  if (t.numel() == 0) return out;
  const int at = wrap_dim("put_along", dim, t.dim());
  const int64_t length = t.dim() == 0 ? 1 : sizes[at];
  const AxisShape s = axis_shape(t.sizes(), at);
  ORDO_ON_DEVICE(t.device(), put_along, contiguous(t), contiguous(index), out, s.length, length, s.inner);
  return out;
}

Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right) {
  const Tensor out = ordo::detail::result(values.sizes(), int64, values.device());
  if (values.numel() > 0) ORDO_ON_DEVICE(values.device(), search, contiguous(sorted), contiguous(values), right, out);
  return out;
}

Tensor histc_bins(const Tensor& t, int64_t bins, double least, double greatest) {
  const Tensor out = ordo::detail::result({t.numel()}, int64, t.device());
  if (t.numel() > 0) ORDO_ON_DEVICE(t.device(), find_bins, contiguous(t), bins, least, greatest, out);
  return out;
}

}  // namespace ordo::kernels

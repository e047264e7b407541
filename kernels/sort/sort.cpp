#include <ordo/kernels/sort/sort.h>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/indexing/gather.h>
#include <ordo/kernels/sort/sort_keys.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OP({.name = "sort", .family = "sort", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "argsort", .family = "sort", .dtypes = kAllTypes, .differentiable = false});
ORDO_REGISTER_OP({.name = "topk", .family = "sort", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "kthvalue", .family = "sort", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "median", .family = "sort", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "nanmedian", .family = "sort", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "mode", .family = "sort", .dtypes = kAllTypes});

/// Lines along memory.
struct Lines {
  Tensor t;     // [..., length]
  int dim;      // where they were
  bool scalar;  // 0-d
  SortArgs args;
};

Lines lines_along(const char* op, const Tensor& t, int64_t dim, bool descending) {
  ordo::detail::expect_defined(op, t, "input");
  const int at = wrap_dim(op, dim, t.dim());
  const Tensor from = t.dim() == 0 ? views::view(contiguous(t), {1}) : t;
  const Tensor lines = contiguous(views::transpose(from, at, -1));
  const int64_t length = lines.sizes()[lines.dim() - 1];
  const int64_t count = lines.numel() == 0 ? 0 : lines.numel() / length;
  return {lines, at, t.dim() == 0, {lines.data(), t.dtype(), t.device(), count, length, descending, {}, nullptr}};
}

/// The indices of the selection, [..., count].
Tensor sort_lines(Lines& l, const Selection& selection) {
  Dims sizes = l.t.sizes();
  sizes[sizes.size() - 1] = selection.count();
  Tensor indices = ordo::detail::result(sizes, int64, l.args.device);
  if (indices.numel() == 0) return indices;
  l.args.selection = selection;
  l.args.indices = indices.data<int64_t>();
  ORDO_ON_DEVICE(l.args.device, sort_lines, l.args);
  return indices;
}

/// Values at indices, both where the lines came from.
Sorted result_of(const Lines& l, const Tensor& indices) {
  const Tensor values = gather(l.t, -1, indices);
  if (l.scalar) return {views::view(values, {}), views::view(indices, {})};
  return {contiguous(views::transpose(values, l.dim, -1)), contiguous(views::transpose(indices, l.dim, -1))};
}

}  // namespace

Sorted sort(const char* op, const Tensor& t, int64_t dim, bool descending, const Selection& selection) {
  const ordo::detail::OperationName name(op);
  Lines l = lines_along(op, t, dim, descending);
  return result_of(l, sort_lines(l, selection));
}
Sorted sort(const char* op, const Tensor& t, int64_t dim, bool descending) {
  const ordo::detail::OperationName name(op);
  Lines l = lines_along(op, t, dim, descending);
  return result_of(l, sort_lines(l, {Selection::Kind::range, 0, l.args.length}));
}

Sorted mode(const Tensor& t, int64_t dim) {
  const ordo::detail::OperationName name("mode");
  Lines l = lines_along("mode", t, dim, false);
  const Tensor order = sort_lines(l, {Selection::Kind::range, 0, l.args.length});
  Dims sizes = l.t.sizes();
  sizes[sizes.size() - 1] = 1;
  const Tensor places = ordo::detail::result(sizes, int64, t.device());
  if (places.numel() > 0) ORDO_ON_DEVICE(t.device(), mode_lines, ModeArgs{l.args, places.data<int64_t>()});
  return result_of(l, places);
}

Tensor put_along(const Tensor& t, const Dims& sizes, int64_t dim, const Tensor& index) {
  const Tensor out = full(sizes, 0, t.dtype(), t.device());
  if (t.numel() == 0) return out;
  const Tensor x = contiguous(t), at = contiguous(index);
  PutAlongArgs a{{}, x.data(), at.data<int64_t>(), out.data(), x.numel(), x.element_size(), x.device()};
  a.shape.rank = x.dim();
  a.shape.dim = wrap_dim("put_along", dim, x.dim());
  for (int d = 0; d < x.dim(); ++d) {
    a.shape.sizes[d] = x.sizes()[d];
    a.shape.strides[d] = out.strides()[d];
  }
  ORDO_ON_DEVICE(x.device(), put_along, a);
  return out;
}

}  // namespace ordo::kernels

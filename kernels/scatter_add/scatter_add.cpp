#include <ordo/kernels/scatter_add/scatter_add.h>

#include <ordo/engine/at_least_1d.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/accumulate/accumulate_cpu.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/index_add/index_add.h>
#include <ordo/kernels/scatter/scatter.h>
#include <ordo/kernels/scatter_add/scatter_add_items.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "scatter_add",
                  .family = "scatter_add",
                  .dtypes = kNumericTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::sorted, Determinism::device_to_device},
                                 {Algorithm::exact, Determinism::device_to_device, kExactTypes}}});

namespace cpu {
void scatter_add(const ScatterAddArgs& a, Algorithm algorithm) {
  const ScatterShape shape{a.outer, a.destinations, a.inner, a.items, false, a.items * a.inner, a.inner, 1};
  if (scatter_sum({shape, a.index, a.output, a.source, a.dtype, a.device}, algorithm)) return;
  dispatch_numeric("scatter_add", a.dtype, [&]<class T>() {
    accumulate(scatter_add_items<T>(a), static_cast<T*>(a.output), {a.outer * a.destinations * a.inner, 1, 1},
               algorithm);
  });
}
}  // namespace cpu

void expect_scatter_arguments(const char* op, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  ordo::detail::expect_defined(op, self, "input");
  ordo::detail::expect_defined(op, index, "index");
  ordo::detail::expect_defined(op, src, "src");
  ordo::detail::expect_same_device(op, self, index);
  ordo::detail::expect_same_device(op, self, src);
  ordo::detail::expect_same_dtype(op, self, src);
  ordo::detail::expect_index_dtype(op, index);
  const int d = wrap_dim(op, dim, self.dim());
  const Tensor s = views::at_least_1d(self), i = views::at_least_1d(index), v = views::at_least_1d(src);
  if (index.numel() == 0) return;
  ORDO_CHECK(i.dim() == s.dim() && v.dim() == s.dim(), ShapeError, op,
             "index {} and src {} must have as many dimensions as input {}", index.sizes(), src.sizes(), self.sizes());
  for (int k = 0; k < s.dim(); ++k) {
    ORDO_CHECK(i.sizes()[k] <= v.sizes()[k], ShapeError, op,
               "index has sizes {}, larger than those of src, {}, at dimension {}", index.sizes(), src.sizes(), k);
    ORDO_CHECK(k == d || i.sizes()[k] <= s.sizes()[k], ShapeError, op,
               "index has sizes {}, larger than those of input, {}, at dimension {}, which is not the one scattered "
               "over ({})",
               index.sizes(), self.sizes(), k, d);
  }
}

bool is_expanded(const Tensor& index, int d) {
  for (int k = 0; k < index.dim(); ++k)
    if (k != d && index.sizes()[k] > 1 && index.strides()[k] != 0) return false;
  return true;
}

Tensor leading(Tensor t, const Dims& sizes, int dim) {
  for (int d = 0; d < t.dim(); ++d)
    if (d != dim && t.sizes()[d] != sizes[d]) t = views::narrow(t, d, 0, sizes[d]);
  return t;
}

namespace {

constexpr const char* kOp = "scatter_add";

int64_t product(const Dims& sizes, int first, int last) {
  int64_t p = 1;
  for (int d = first; d < last; ++d) p *= sizes[d];
  return p;
}

void check_arguments(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  expect_scatter_arguments(kOp, self, dim, index, src);
  ordo::detail::expect_not_bool(kOp, self.dtype());
}

/// As for an index_add of rows, whether or not `index` is expanded: the choice must not depend on strides.
AccumulateSize size_of(const Tensor& self, int64_t dim, const Tensor& index) {
  if (index.numel() == 0) return {};
  const int d = wrap_dim(kOp, dim, self.dim());
  const int64_t items = views::at_least_1d(index).size(d);
  return {items, views::at_least_1d(self).size(d), index.numel() / items};
}

// `output` is contiguous with the sizes of `index` but at dimension d; `src` has those of `index`.
void add_into(const Tensor& output, int d, const Tensor& index, const Tensor& src, Algorithm algorithm) {
  const int64_t destinations = output.size(d), items = index.size(d);
  const int64_t outer = product(index.sizes(), 0, d), inner = product(index.sizes(), d + 1, index.dim());
  const IndexGuard guard(kOp, "index", d, destinations, output.device());
  const Tensor values = contiguous(src);
  if (is_expanded(index, d)) {
    const Tensor line = contiguous(views::as_strided(index, {items}, {index.strides()[d]}, index.storage_offset()));
    const IndexView view = index_view(line, destinations, guard, inner);
    validate_on_cpu(view, items, guard, output, algorithm);
    index_add_rows({output.data(), values.data(), output.dtype(), output.device(), destinations, outer, inner, items,
                    items * inner, inner, view, 1},
                   algorithm);
  } else {
    const Tensor flat = contiguous(index);
    const IndexView view = index_view(flat, destinations, guard);
    validate_on_cpu(view, flat.numel(), guard, output, algorithm);
    const ScatterAddArgs args{output.data(), values.data(), output.dtype(), output.device(), destinations, outer, inner,
                              items,         view};
    ORDO_ON_DEVICE(output.device(), scatter_add, args, algorithm);
  }
  guard.finish();
}

// `self` may be anything writable that shares no memory with the others.
void add_into_leading(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Algorithm algorithm) {
  if (index.numel() == 0) return;
  const int d = wrap_dim(kOp, dim, self.dim());
  const Tensor i = views::at_least_1d(index);
  const Tensor values = leading(views::at_least_1d(src), i.sizes(), -1);
  const Tensor target = leading(views::at_least_1d(self), i.sizes(), d);
  if (target.is_contiguous()) return add_into(target, d, i, values, algorithm);
  const Tensor copy = clone(target);
  add_into(copy, d, i, values, algorithm);
  copy_(target, copy);
}

}  // namespace

void scatter_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Algorithm algorithm) {
  const ordo::detail::OperationName name(kOp);
  check_arguments(self, dim, index, src);
  expect_writable(kOp, self);
  algorithm = choose_accumulate(kOp, algorithm, self.dtype(), size_of(self, dim, index));
  const auto safe = [&](const Tensor& t) { return t.impl()->storage == self.impl()->storage ? clone(t) : t; };
  add_into_leading(self, dim, safe(index), safe(src), algorithm);
}

Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src, Algorithm algorithm) {
  const ordo::detail::OperationName name(kOp);
  check_arguments(input, dim, index, src);
  algorithm = choose_accumulate(kOp, algorithm, input.dtype(), size_of(input, dim, index));
  const Tensor result = clone(input);
  add_into_leading(result, dim, index, src, algorithm);
  return result;
}

}  // namespace ordo::kernels

#include <ordo/kernels/index_add/index_add.h>

#include <algorithm>

#include <ordo/engine/at_least_1d.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/fits.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/accumulate/accumulate_cpu.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/index_add/index_add_items.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "index_add",
                  .family = "index_add",
                  .dtypes = kNumericTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::sorted, Determinism::device_to_device},
                                 {Algorithm::exact, Determinism::device_to_device, kExactTypes}}});

namespace cpu {
void index_add(const IndexAddArgs& a, Algorithm algorithm) {
  dispatch_numeric("index_add", a.dtype, [&]<class T>() {
    const auto items = index_add_items<T>(a);
    T* const output = static_cast<T*>(a.output);
    const AccumulateShape shape{a.destinations, a.outer, a.inner};
    if (a.order)
      accumulate(items, output, shape, *a.order);
    else
      accumulate(items, output, shape, algorithm);
  });
}
}  // namespace cpu

void index_add_rows(const IndexAddArgs& args, Algorithm algorithm) {
  ORDO_ON_DEVICE(args.device, index_add, args, algorithm);
}

void expect_slice_arguments(const char* op, const Tensor& self, int64_t dim, const Tensor& index,
                            const Tensor& source) {
  ordo::detail::expect_defined(op, self, "input");
  ordo::detail::expect_defined(op, index, "index");
  ordo::detail::expect_defined(op, source, "source");
  ordo::detail::expect_same_device(op, self, index);
  ordo::detail::expect_same_device(op, self, source);
  ordo::detail::expect_same_dtype(op, self, source);
  ordo::detail::expect_index_dtype(op, index);
  const int d = wrap_dim(op, dim, self.dim());
  ORDO_CHECK(index.dim() <= 1, ShapeError, op, "index must have at most 1 dimension, not sizes {}", index.sizes());
  Dims expected = self.sizes(), given = source.sizes();
  if (expected.empty()) expected.push_back(1);
  if (given.empty()) given.push_back(1);
  expected[d] = index.numel();
  ORDO_CHECK(given == expected, ShapeError, op,
             "source has sizes {}; it must have those of input, {}, with {} (one slice per index) at dimension {}",
             source.sizes(), self.sizes(), index.numel(), d);
}

namespace {

constexpr const char* kOp = "index_add";

int64_t product(const Dims& sizes, int first, int last) {
  int64_t p = 1;
  for (int d = first; d < last; ++d) p *= sizes[d];
  return p;
}

void check_arguments(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha) {
  expect_slice_arguments(kOp, self, dim, index, source);
  ordo::detail::expect_not_bool(kOp, self.dtype());
  ORDO_CHECK(!(is_integral(self.dtype()) && alpha.is_floating()), ValueError, kOp,
             "alpha = {} must be an integer for {} tensors", alpha.to_double(), self.dtype());
  if (is_integral(self.dtype())) ordo::detail::expect_fits(kOp, alpha, self.dtype());
}

AccumulateSize size_of(const Tensor& self, int64_t dim, const Tensor& index) {
  const Tensor s = views::at_least_1d(self);
  const int64_t destinations = s.size(wrap_dim(kOp, dim, s.dim()));
  return {index.numel(), destinations, s.numel() / std::max<int64_t>(1, destinations)};
}

// `output` is contiguous and, like everything else here, checked.
void add_into(const Tensor& output, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha,
              Algorithm algorithm, const IndexOrder* order = nullptr) {
  const Tensor self = views::at_least_1d(output);
  const int d = wrap_dim(kOp, dim, self.dim());
  const int64_t destinations = self.size(d), items = index.numel();
  const int64_t outer = product(self.sizes(), 0, d), inner = product(self.sizes(), d + 1, self.dim());
  const IndexGuard guard(kOp, "index", d, destinations, self.device());
  const Tensor flat_index = contiguous(index);
  const IndexView view = index_view(flat_index, destinations, guard);
  if (!order) validate_on_cpu(view, items, guard, self, algorithm);
  if (items == 0) return;

  Tensor rows = views::try_view(views::at_least_1d(source), {outer, items, inner});
  if (!rows.defined() || (inner > 1 && rows.stride(2) != 1))
    rows = views::view(contiguous(source), {outer, items, inner});
  index_add_rows({output.data(), rows.data(), self.dtype(), self.device(), destinations, outer, inner, items,
                  rows.stride(0), rows.stride(1), view, alpha, order},
                 algorithm);
  guard.finish();
}

}  // namespace

void index_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha,
                Algorithm algorithm) {
  const ordo::detail::OperationName name(kOp);
  check_arguments(self, dim, index, source, alpha);
  expect_writable(kOp, self);
  algorithm = choose_accumulate(kOp, algorithm, self.dtype(), size_of(self, dim, index));
  const auto safe = [&](const Tensor& t) { return t.impl()->storage == self.impl()->storage ? clone(t) : t; };
  if (self.is_contiguous()) return add_into(self, dim, safe(index), safe(source), alpha, algorithm);
  const Tensor copy = clone(self);
  add_into(copy, dim, index, source, alpha, algorithm);
  copy_(self, copy);
}

Tensor index_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha,
                 Algorithm algorithm) {
  const ordo::detail::OperationName name(kOp);
  check_arguments(input, dim, index, source, alpha);
  algorithm = choose_accumulate(kOp, algorithm, input.dtype(), size_of(input, dim, index));
  const Tensor result = clone(input);
  add_into(result, dim, index, source, alpha, algorithm);
  return result;
}

Tensor index_add(const Tensor& input, int64_t dim, const IndexPlan& plan, const Tensor& source, Scalar alpha) {
  const ordo::detail::OperationName name(kOp);
  check_arguments(input, dim, plan.index(), source, alpha);
  const int64_t size = size_of(input, dim, plan.index()).destinations;
  ORDO_CHECK(plan.size() == size, ShapeError, kOp, "the plan is for a dimension of size {}, but dimension {} has {}",
             plan.size(), dim, size);
  const Tensor result = clone(input);
  add_into(result, dim, plan.index(), source, alpha, Algorithm::sorted, &plan.order());
  return result;
}

}  // namespace ordo::kernels

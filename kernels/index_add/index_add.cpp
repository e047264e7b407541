#include <ordo/kernels/index_add/index_add.h>

#include <algorithm>

#include <ordo/engine/at_least_1d.h>
#include <ordo/engine/check.h>
#include <ordo/engine/fits.h>
#include <ordo/engine/op_registry.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/scatter/scatter.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "index_add",
                  .family = "index_add",
                  .dtypes = kNumericTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::sorted, Determinism::device_to_device},
                                 {Algorithm::exact, Determinism::device_to_device, kExactTypes}}});

namespace {

constexpr const char* kOp = "index_add";

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

}  // namespace

void index_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha,
                Algorithm algorithm) {
  const ordo::detail::OperationName name(kOp);
  check_arguments(self, dim, index, source, alpha);
  expect_writable(kOp, self);
  algorithm = choose_accumulate(kOp, algorithm, self.dtype(), size_of(self, dim, index));
  add_at_(kOp, IndexOf::slices, self, dim, index, source, algorithm, alpha);
}

Tensor index_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha,
                 Algorithm algorithm) {
  const ordo::detail::OperationName name(kOp);
  check_arguments(input, dim, index, source, alpha);
  algorithm = choose_accumulate(kOp, algorithm, input.dtype(), size_of(input, dim, index));
  const Tensor result = clone(input);
  add_at_(kOp, IndexOf::slices, result, dim, index, source, algorithm, alpha);
  return result;
}

Tensor index_add(const Tensor& input, int64_t dim, const IndexPlan& plan, const Tensor& source, Scalar alpha) {
  const ordo::detail::OperationName name(kOp);
  check_arguments(input, dim, plan.index(), source, alpha);
  const int64_t size = size_of(input, dim, plan.index()).destinations;
  ORDO_CHECK(plan.size() == size, ShapeError, kOp, "the plan is for a dimension of size {}, but dimension {} has {}",
             plan.size(), dim, size);
  const Tensor result = clone(input);
  add_at_(kOp, IndexOf::slices, result, dim, plan.index(), source, Algorithm::sorted, alpha, &plan.order());
  return result;
}

}  // namespace ordo::kernels

#include <ordo/kernels/scatter_add/scatter_add.h>

#include <ordo/engine/at_least_1d.h>
#include <ordo/engine/check.h>
#include <ordo/engine/op_registry.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/scatter/scatter.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "scatter_add",
                  .family = "scatter_add",
                  .dtypes = kNumericTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::sorted, Determinism::device_to_device},
                                 {Algorithm::exact, Determinism::device_to_device, kExactTypes}}});

namespace {

constexpr const char* kOp = "scatter_add";

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

}  // namespace

void scatter_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Algorithm algorithm) {
  const ordo::detail::OperationName name(kOp);
  check_arguments(self, dim, index, src);
  expect_writable(kOp, self);
  algorithm = choose_accumulate(kOp, algorithm, self.dtype(), size_of(self, dim, index));
  add_at_(kOp, IndexOf::elements, self, dim, index, src, algorithm);
}

Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src, Algorithm algorithm) {
  const ordo::detail::OperationName name(kOp);
  check_arguments(input, dim, index, src);
  algorithm = choose_accumulate(kOp, algorithm, input.dtype(), size_of(input, dim, index));
  const Tensor result = clone(input);
  add_at_(kOp, IndexOf::elements, result, dim, index, src, algorithm);
  return result;
}

}  // namespace ordo::kernels

#include <ordo/autograd/ops/unique.h>

#include <ordo/autograd/ops/arange.h>
#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/cat.h>
#include <ordo/autograd/ops/comparison.h>
#include <ordo/autograd/ops/cumsum.h>
#include <ordo/autograd/ops/diff.h>
#include <ordo/autograd/ops/indexing.h>
#include <ordo/autograd/tape.h>
#include <ordo/kernels/sort/sort.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "unique", .family = "sort", .dtypes = kAllTypes, .differentiable = false});
ORDO_REGISTER_OP({.name = "unique_consecutive", .family = "sort", .dtypes = kAllTypes, .differentiable = false});

namespace {

/// Of `values`, whose element i stands at order[i] in the input; without an order, at i.
UniqueResult runs_of(const Tensor& values, const Tensor& order, const Dims& sizes, bool return_inverse,
                     bool return_counts) {
  const int64_t n = values.numel();
  const Device device = values.device();
  if (n == 0)
    return {values.clone(), return_inverse ? empty(sizes, {int64, device}) : Tensor(),
            return_counts ? empty({0}, {int64, device}) : Tensor()};
  const Tensor begins = cat({ones({1}, {boolean, device}), ne(values.narrow(0, 1, n - 1), values.narrow(0, 0, n - 1))});
  UniqueResult out;
  out.output = values.index({begins});
  if (return_inverse) {
    const Tensor run = cumsum(begins, 0) - 1;
    out.inverse = (order.defined() ? kernels::put_along(run, {n}, 0, order) : run).reshape(sizes);
  }
  if (return_counts) {
    const Tensor first = arange(0, n, 1, {int64, device}).index({begins});
    out.counts = diff(first, 1, 0, {}, full({1}, n, {int64, device}));
  }
  return out;
}

UniqueResult report(const OpCall& call, UniqueResult out) {
  TensorList all = {out.output};
  for (const Tensor& t : {out.inverse, out.counts})
    if (t.defined()) all.push_back(t);
  call.done(std::move(all));
  return out;
}

}  // namespace

UniqueResult unique(const Tensor& input, bool return_inverse, bool return_counts) {
  const OpCall call("unique", input, return_inverse, return_counts);
  detail::expect_defined("unique", input, "input");
  const kernels::Sorted sorted = kernels::sort("unique", input.detach().reshape({-1}), 0, false);
  return report(call, runs_of(sorted.values, sorted.indices, input.sizes(), return_inverse, return_counts));
}

UniqueResult unique_consecutive(const Tensor& input, bool return_inverse, bool return_counts) {
  const OpCall call("unique_consecutive", input, return_inverse, return_counts);
  detail::expect_defined("unique_consecutive", input, "input");
  return report(call, runs_of(input.detach().reshape({-1}), {}, input.sizes(), return_inverse, return_counts));
}

}  // namespace ordo

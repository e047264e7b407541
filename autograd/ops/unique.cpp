#include <ordo/autograd/ops/unique.h>

#include <algorithm>

#include <ordo/autograd/ops/gather.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/scans.h>
#include <ordo/kernels/indexing/take.h>
#include <ordo/kernels/sort/sort.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "unique", .family = "sort", .dtypes = kAllTypes, .differentiable = false});
ORDO_REGISTER_OP({.name = "unique_consecutive", .family = "sort", .dtypes = kAllTypes, .differentiable = false});

namespace {

/// For each element whether it begins a run of equal ones; with more dimensions, of equal rows. At least one.
Tensor begins_of(const Tensor& values) {
  const int64_t n = values.size(0);
  Tensor differs = ne(values.narrow(0, 1, n - 1), values.narrow(0, 0, n - 1));
  if (differs.dim() > 1) differs = any(differs, {1});
  return cat({ones({1}, {boolean, values.device()}), differs});
}

/// The places where the runs begin.
Tensor first_places(const Tensor& begins) { return kernels::nonzero_places("unique", begins); }

/// Whether that is made in one go.
bool only_output(const Tensor& line, bool return_inverse, bool return_counts) {
  return line.is_cpu() && !return_inverse && !return_counts;
}

/// Of n elements in runs, the element at place i being order[i] in the input; without an order, i. The output is left
/// out.
UniqueResult runs_of(const Tensor& begins, const Tensor& order, const Dims& sizes, bool return_inverse,
                     bool return_counts) {
  const int64_t n = begins.numel();
  UniqueResult out;
  if (return_inverse) {
    const Tensor run = cumsum(begins, 0) - 1;
    out.inverse = (order.defined() ? kernels::put_along(run, {n}, 0, order) : run).reshape(sizes);
  }
  if (return_counts) {
    out.counts = diff(first_places(begins), 1, 0, {}, full({1}, n, {int64, begins.device()}));
  }
  return out;
}

UniqueResult none_of(const Tensor& input, const Dims& sizes, bool return_inverse, bool return_counts) {
  const TensorOptions options{int64, input.device()};
  return {input.clone(), return_inverse ? empty(sizes, options) : Tensor(),
          return_counts ? empty({0}, options) : Tensor()};
}

/// Numbers in the order of each column's elements, equal ones for equal elements. [n, m], n and m at least 1.
Tensor ranks_of_columns(const Tensor& t) {
  const kernels::Sorted sorted = kernels::sort("unique", t, 0, false);
  const int64_t n = t.size(0), m = t.size(1);
  const Tensor differs = ne(sorted.values.narrow(0, 1, n - 1), sorted.values.narrow(0, 0, n - 1));
  const Tensor ranks = cumsum(cat({zeros({1, m}, {boolean, t.device()}), differs}), 0);
  return kernels::put_along(ranks, {n, m}, 0, sorted.indices);
}

/// Ranks of rows in lexicographic order: those of neighbouring columns become one, until one column is left.
Tensor ranks_of_rows(const Tensor& t) {
  const int64_t n = t.size(0);
  Tensor ranks = ranks_of_columns(t);
  while (ranks.size(1) > 1) {
    const int64_t m = ranks.size(1), pairs = m / 2;
    const Tensor both = ranks.narrow(1, 0, 2 * pairs).reshape({n, pairs, 2});
    const Tensor joined = ranks_of_columns(both.select(2, 0) * n + both.select(2, 1));
    ranks = m % 2 ? cat({joined, ranks.narrow(1, m - 1, 1)}, 1) : joined;
  }
  return ranks.reshape({n});
}

/// The slices along `dim` as rows.
Tensor rows_of(const char* op, const Tensor& input, int dim) {
  const int64_t n = input.size(dim), m = input.numel() / std::max<int64_t>(1, n);
  ORDO_CHECK(n == 0 || m > 0, ShapeError, op, "the slices of shape {} along dimension {} have no elements",
             input.sizes(), dim);
  return input.movedim(dim, 0).reshape({n, m});
}

UniqueResult report(const OpCall& call, UniqueResult out) {
  TensorList all = {out.output};
  for (const Tensor& t : {out.inverse, out.counts})
    if (t.defined()) all.push_back(t);
  call.done(std::move(all));
  return out;
}

}  // namespace

UniqueResult unique(const Tensor& input, bool return_inverse, bool return_counts, std::optional<int64_t> dim) {
  const OpCall call("unique", input, return_inverse, return_counts, dim);
  detail::expect_defined("unique", input, "input");
  const Tensor x = input.detach();
  if (!dim) {
    if (x.numel() == 0) return report(call, none_of(x.reshape({-1}), x.sizes(), return_inverse, return_counts));
    const kernels::Sorted sorted = kernels::sort("unique", x.reshape({-1}), 0, false);
    if (only_output(x, return_inverse, return_counts))
      return report(call, {kernels::cpu::firsts_of_runs(sorted.values), {}, {}});
    const Tensor begins = begins_of(sorted.values);
    UniqueResult out = runs_of(begins, sorted.indices, x.sizes(), return_inverse, return_counts);
    out.output = kernels::take(sorted.values, first_places(begins));
    return report(call, std::move(out));
  }
  const int d = wrap_dim("unique", *dim, x.dim());
  const Tensor rows = rows_of("unique", x, d);
  if (rows.size(0) == 0) return report(call, none_of(x, {0}, return_inverse, return_counts));
  const kernels::Sorted sorted = kernels::sort("unique", ranks_of_rows(rows), 0, false);
  const Tensor begins = begins_of(sorted.values);
  UniqueResult out = runs_of(begins, sorted.indices, {rows.size(0)}, return_inverse, return_counts);
  out.output = index_select(x, d, kernels::take(sorted.indices, first_places(begins)));
  return report(call, std::move(out));
}

UniqueResult unique_consecutive(const Tensor& input, bool return_inverse, bool return_counts,
                                std::optional<int64_t> dim) {
  const OpCall call("unique_consecutive", input, return_inverse, return_counts, dim);
  detail::expect_defined("unique_consecutive", input, "input");
  const Tensor x = dim ? input.detach() : input.detach().reshape({-1});
  const int d = dim ? wrap_dim("unique_consecutive", *dim, x.dim()) : 0;
  const Tensor rows = dim ? rows_of("unique_consecutive", x, d) : x;
  const Dims sizes = dim ? Dims{rows.size(0)} : input.sizes();
  if (rows.size(0) == 0) return report(call, none_of(x, sizes, return_inverse, return_counts));
  if (!dim && only_output(x, return_inverse, return_counts))
    return report(call, {kernels::cpu::firsts_of_runs(kernels::contiguous(x)), {}, {}});
  const Tensor begins = begins_of(rows);
  UniqueResult out = runs_of(begins, {}, sizes, return_inverse, return_counts);
  const Tensor first = first_places(begins);
  out.output = dim ? index_select(x, d, first) : kernels::take(x, first);
  return report(call, std::move(out));
}

}  // namespace ordo

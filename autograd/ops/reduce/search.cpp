#include <ordo/autograd/ops/reduce/search.h>

#include <algorithm>
#include <cmath>

#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/reduce/sort.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/kernels/indexing/gather.h>
#include <ordo/kernels/indexing/take.h>
#include <ordo/kernels/sort/sort.h>

namespace ordo {

ORDO_REGISTER_OPS({"searchsorted", "bucketize", "isin"},
                  {.family = "sort", .dtypes = kAllTypes, .differentiable = false});
ORDO_REGISTER_OP({.name = "histc",
                  .family = "sort",
                  .dtypes = kFloatingTypes,
                  .differentiable = false,
                  .no_rows = "it counts all elements"});
ORDO_REGISTER_OP({.name = "histogram",
                  .family = "sort",
                  .dtypes = kFloatingTypes,
                  .note = "weights are summed as by bincount",
                  .no_rows = "it counts all elements"});

static Tensor search(const char* op, const Tensor& sorted, const Tensor& values, bool out_int32, bool right) {
  detail::expect_pair(op, sorted, "sorted_sequence", values, "values");
  ORDO_CHECK(sorted.dim() > 0, ShapeError, op, "the sorted sequence must have a dimension, but is 0-d");
  Dims lines = sorted.sizes(), wanted = values.sizes();
  if (sorted.dim() > 1 && sorted.dim() == values.dim()) lines[lines.size() - 1] = wanted[wanted.size() - 1];
  ORDO_CHECK(
      sorted.dim() == 1 || lines == wanted, ShapeError, op,
      "the sorted sequence must be 1-d, or agree with values in all sizes but the last; they have shapes {} and {}",
      sorted.sizes(), values.sizes());
  const DType dtype = promote(sorted.dtype(), values.dtype());
  const Tensor out =
      kernels::searchsorted(kernels::cast(sorted.detach(), dtype), kernels::cast(values.detach(), dtype), right);
  return out_int32 ? kernels::cast(out, int32) : out;
}

/// The range, or that of the elements; never empty.
static std::pair<double, double> range_of(const char* op, const Tensor& input, double least, double greatest) {
  if (least == 0 && greatest == 0 && input.numel() > 0) {
    least = amin(input.detach()).item<double>();
    greatest = amax(input.detach()).item<double>();
  }
  if (least == greatest) least -= 1, greatest += 1;
  ORDO_CHECK(std::isfinite(least) && std::isfinite(greatest) && least < greatest, ValueError, op,
             "the range must be finite and not reversed, but is {} to {}", least, greatest);
  return {least, greatest};
}

static void expect_bins(const char* op, int64_t bins) {
  ORDO_CHECK(bins > 0, ValueError, op, "bins must be positive, but is {}", bins);
  checked::add(op, bins, 1);
}

/// Waits for the device.
static void expect_ascending(const char* op, const Tensor& edges) {
  if (edges.dim() != 1 || edges.numel() < 2) return;  // which is another error
  const int64_t bins = edges.numel() - 1;
  ORDO_CHECK(all(le(edges.narrow(0, 0, bins), edges.narrow(0, 1, bins))).item<bool>(), ValueError, op,
             "the edges must ascend; sort them, and leave no NaN among them");
}

static HistogramResult histogram_of(const Tensor& input, const Tensor& edges, const Tensor& weight, bool density) {
  const char* op = "histogram";
  ORDO_CHECK(edges.dim() == 1 && edges.numel() >= 2, ShapeError, op,
             "needs a 1-d tensor of two edges or more, not shape {}", edges.sizes());
  detail::expect_same_dtype(op, input, edges);
  if (weight.defined()) {
    detail::expect_same_device(op, input, weight);
    detail::expect_same_dtype(op, input, weight);
    ORDO_CHECK(weight.sizes() == input.sizes(), ShapeError, op, "weight has sizes {}, input {}; they must agree",
               weight.sizes(), input.sizes());
  }
  const int64_t bins = edges.numel() - 1;
  const Tensor x = input.detach().reshape({-1}), all = edges.detach();
  const Tensor last = all.narrow(0, bins, 1), behind = search(op, all, x, false, true);
  // Bin 0 is what lies below, bin bins + 1 what lies above; NaN does, too.
  const Tensor bin = where(eq(x, last), bins, behind);
  Tensor hist = weight.defined() ? bincount(bin, weight.reshape({-1}), bins + 2) : bincount(bin, {}, bins + 2);
  hist = hist.narrow(0, 1, bins).to(input.dtype());
  if (density) hist = hist / (sum(hist) * diff(edges));
  return {hist, edges};
}

Tensor isin(const Tensor& elements, const Tensor& test_elements, bool assume_unique, bool invert) {
  const OpCall call("isin", elements, test_elements, assume_unique, invert);
  detail::expect_pair("isin", elements, "elements", test_elements, "test_elements");
  const int64_t n = test_elements.numel();
  if (n == 0) return call.done(full(elements.sizes(), invert, {boolean, elements.device()}));
  const NoGrad guard;
  const DType dtype = promote(elements.dtype(), test_elements.dtype());
  const Tensor x = elements.detach().to(dtype), sorted = sort(test_elements.detach().to(dtype).reshape({-1})).values;
  // The last element stands for places behind it: it equals no value that belongs there.
  const Tensor at = sorted.take(clamp(search("isin", sorted, x, false, false), std::nullopt, n - 1));
  return call.done(invert ? ne(at, x) : eq(at, x));
}

Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values, bool out_int32, bool right,
                    const Tensor& sorter) {
  const OpCall call("searchsorted", sorted_sequence, values, out_int32, right, sorter);
  if (!sorter.defined()) return call.done(search("searchsorted", sorted_sequence, values, out_int32, right));
  detail::expect_defined("searchsorted", sorted_sequence, "sorted_sequence");
  ORDO_CHECK(sorter.sizes() == sorted_sequence.sizes(), ShapeError, "searchsorted",
             "sorter must have the shape of the sequence, {}, but has {}", sorted_sequence.sizes(), sorter.sizes());
  return call.done(search("searchsorted", gather(sorted_sequence.detach(), -1, sorter), values, out_int32, right));
}

Tensor bucketize(const Tensor& input, const Tensor& boundaries, bool out_int32, bool right) {
  const OpCall call("bucketize", input, boundaries, out_int32, right);
  detail::expect_defined("bucketize", boundaries, "boundaries");
  ORDO_CHECK(boundaries.dim() == 1, ShapeError, "bucketize", "boundaries must be 1-d, but have shape {}",
             boundaries.sizes());
  return call.done(search("bucketize", boundaries, input, out_int32, right));
}

Tensor histc(const Tensor& input, int64_t bins, double min, double max) {
  const OpCall call("histc", input, bins, min, max);
  detail::expect_floating("histc", input, "input");
  expect_bins("histc", bins);
  const auto [least, greatest] = range_of("histc", input, min, max);
  const Tensor bin = kernels::histc_bins(input.detach(), bins, least, greatest);
  return call.done(bincount(bin, {}, bins + 1).narrow(0, 0, bins).to(input.dtype()));
}

HistogramResult histogram(const Tensor& input, const Tensor& bins, const Tensor& weight, bool density) {
  const OpCall call("histogram", input, bins, weight, density);
  detail::expect_pair("histogram", input, "input", bins, "bins");
  detail::expect_floating("histogram", input);
  expect_ascending("histogram", bins.detach());
  HistogramResult out = histogram_of(input, bins, weight, density);
  out.bin_edges = bins.clone();
  call.done(TensorList{out.hist, out.bin_edges});
  return out;
}

HistogramResult histogram(const Tensor& input, int64_t bins, std::optional<std::pair<double, double>> range,
                          const Tensor& weight, bool density) {
  const OpCall call("histogram", input, bins, weight, density);
  detail::expect_floating("histogram", input, "input");
  expect_bins("histogram", bins);
  const auto given = range.value_or(std::pair<double, double>(0, 0));
  const auto [least, greatest] = range_of("histogram", input, given.first, given.second);
  const Tensor edges = linspace(least, greatest, bins + 1, {input.dtype(), input.device()});
  const HistogramResult out = histogram_of(input, edges, weight, density);
  call.done(TensorList{out.hist, out.bin_edges});
  return out;
}

ORDO_REGISTER_OPS({"unique", "unique_consecutive"}, {.family = "sort",
                                                     .dtypes = kAllTypes,
                                                     .differentiable = false,
                                                     .no_rows = "it compares all elements"});

/// For each element whether it begins a run of equal ones; with more dimensions, of equal rows. At least one.
static Tensor begins_of(const Tensor& values) {
  const int64_t n = values.size(0);
  Tensor differs = ne(values.narrow(0, 1, n - 1), values.narrow(0, 0, n - 1));
  if (differs.dim() > 1) differs = any(differs, {1});
  return cat({ones({1}, {boolean, values.device()}), differs});
}

/// The places where the runs begin.
static Tensor first_places(const Tensor& begins) { return kernels::nonzero_places("unique", begins); }

/// Of n elements in runs, the element at place i being order[i] in the input; without an order, i. The output is left
/// out.
static UniqueResult runs_of(const Tensor& begins, const Tensor& order, const Dims& sizes, bool return_inverse,
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

static UniqueResult none_of(const Tensor& input, const Dims& sizes, bool return_inverse, bool return_counts) {
  const TensorOptions options{int64, input.device()};
  return {input.clone(), return_inverse ? empty(sizes, options) : Tensor(),
          return_counts ? empty({0}, options) : Tensor()};
}

/// Numbers in the order of each column's elements, equal ones for equal elements. [n, m], n and m at least 1.
static Tensor ranks_of_columns(const Tensor& t) {
  const kernels::Sorted sorted = kernels::sort("unique", t, 0, false);
  const int64_t n = t.size(0), m = t.size(1);
  const Tensor differs = ne(sorted.values.narrow(0, 1, n - 1), sorted.values.narrow(0, 0, n - 1));
  const Tensor ranks = cumsum(cat({zeros({1, m}, {boolean, t.device()}), differs}), 0);
  return kernels::put_along(ranks, {n, m}, 0, sorted.indices);
}

/// Ranks of rows in lexicographic order: those of neighbouring columns become one, until one column is left.
static Tensor ranks_of_rows(const Tensor& t) {
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
static Tensor rows_of(const char* op, const Tensor& input, int dim) {
  const int64_t n = input.size(dim), m = input.numel() / std::max<int64_t>(1, n);
  ORDO_CHECK(n == 0 || m > 0, ShapeError, op, "the slices of shape {} along dimension {} have no elements",
             input.sizes(), dim);
  return input.movedim(dim, 0).reshape({n, m});
}

static UniqueResult report(const OpCall& call, UniqueResult out) {
  TensorList all = {out.output};
  for (const Tensor& t : {out.inverse, out.counts})
    if (t.defined()) all.push_back(t);
  call.done(std::move(all));
  return out;
}

UniqueResult unique(const Tensor& input, bool return_inverse, bool return_counts, std::optional<int64_t> dim) {
  const OpCall call("unique", input, return_inverse, return_counts, dim);
  detail::expect_defined("unique", input, "input");
  const Tensor x = input.detach();
  if (!dim) {
    if (x.numel() == 0) return report(call, none_of(x.reshape({-1}), x.sizes(), return_inverse, return_counts));
    const kernels::Sorted sorted = kernels::sort("unique", x.reshape({-1}), 0, false);
    const Tensor begins = begins_of(sorted.values);
    UniqueResult out = runs_of(begins, sorted.indices, x.sizes(), return_inverse, return_counts);
    out.output = kernels::index_select(sorted.values, 0, first_places(begins));
    return report(call, std::move(out));
  }
  const int d = wrap_dim("unique", *dim, x.dim());
  const Tensor rows = rows_of("unique", x, d);
  if (rows.size(0) == 0) return report(call, none_of(x, {0}, return_inverse, return_counts));
  const kernels::Sorted sorted = kernels::sort("unique", ranks_of_rows(rows), 0, false);
  const Tensor begins = begins_of(sorted.values);
  UniqueResult out = runs_of(begins, sorted.indices, {rows.size(0)}, return_inverse, return_counts);
  out.output = index_select(x, d, kernels::index_select(sorted.indices, 0, first_places(begins)));
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
  const Tensor begins = begins_of(rows);
  UniqueResult out = runs_of(begins, {}, sizes, return_inverse, return_counts);
  out.output = index_select(x, d, first_places(begins));
  return report(call, std::move(out));
}

}  // namespace ordo

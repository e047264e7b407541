#include <ordo/autograd/ops/searchsorted.h>

#include <cmath>

#include <ordo/autograd/ops/arange.h>
#include <ordo/autograd/ops/bincount.h>
#include <ordo/autograd/ops/gather.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/scans.h>
#include <ordo/engine/checked.h>
#include <ordo/kernels/sort/search.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "searchsorted", .family = "sort", .dtypes = kAllTypes, .differentiable = false});
ORDO_REGISTER_OP({.name = "bucketize", .family = "sort", .dtypes = kAllTypes, .differentiable = false});
ORDO_REGISTER_OP({.name = "histc", .family = "sort", .dtypes = kFloatingTypes, .differentiable = false});
ORDO_REGISTER_OP(
    {.name = "histogram", .family = "sort", .dtypes = kFloatingTypes, .note = "weights are summed as by bincount"});

namespace {

Tensor search(const char* op, const Tensor& sorted, const Tensor& values, bool out_int32, bool right) {
  detail::expect_defined(op, sorted, "sorted_sequence");
  detail::expect_defined(op, values, "values");
  detail::expect_same_device(op, sorted, values);
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
std::pair<double, double> range_of(const char* op, const Tensor& input, double least, double greatest) {
  if (least == 0 && greatest == 0 && input.numel() > 0) {
    least = amin(input.detach()).item<double>();
    greatest = amax(input.detach()).item<double>();
  }
  if (least == greatest) least -= 1, greatest += 1;
  ORDO_CHECK(std::isfinite(least) && std::isfinite(greatest) && least < greatest, ValueError, op,
             "the range must be finite and not reversed, but is {} to {}", least, greatest);
  return {least, greatest};
}

void expect_bins(const char* op, int64_t bins) {
  ORDO_CHECK(bins > 0, ValueError, op, "bins must be positive, but is {}", bins);
  checked::add(op, bins, 1);
}

/// Waits for the device.
void expect_ascending(const char* op, const Tensor& edges) {
  if (edges.dim() != 1 || edges.numel() < 2) return;  // which is another error
  const int64_t bins = edges.numel() - 1;
  ORDO_CHECK(all(le(edges.narrow(0, 0, bins), edges.narrow(0, 1, bins))).item<bool>(), ValueError, op,
             "the edges must ascend; sort them, and leave no NaN among them");
}

HistogramResult histogram_of(const Tensor& input, const Tensor& edges, const Tensor& weight, bool density) {
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

}  // namespace

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
  detail::expect_defined("histc", input, "input");
  detail::expect_floating("histc", input);
  expect_bins("histc", bins);
  const auto [least, greatest] = range_of("histc", input, min, max);
  const Tensor bin = kernels::histc_bins(input.detach(), bins, least, greatest);
  return call.done(bincount(bin, {}, bins + 1).narrow(0, 0, bins).to(input.dtype()));
}

HistogramResult histogram(const Tensor& input, const Tensor& bins, const Tensor& weight, bool density) {
  const OpCall call("histogram", input, bins, weight, density);
  detail::expect_defined("histogram", input, "input");
  detail::expect_defined("histogram", bins, "bins");
  detail::expect_same_device("histogram", input, bins);
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
  detail::expect_defined("histogram", input, "input");
  detail::expect_floating("histogram", input);
  expect_bins("histogram", bins);
  const auto given = range.value_or(std::pair<double, double>(0, 0));
  const auto [least, greatest] = range_of("histogram", input, given.first, given.second);
  const Tensor edges = linspace(least, greatest, bins + 1, {input.dtype(), input.device()});
  const HistogramResult out = histogram_of(input, edges, weight, density);
  call.done(TensorList{out.hist, out.bin_edges});
  return out;
}

}  // namespace ordo

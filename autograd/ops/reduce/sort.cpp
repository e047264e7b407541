#include <ordo/autograd/ops/reduce/sort.h>

#include <limits>

#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/kernels/sort/sort.h>

namespace ordo {

using kernels::Selection;
using kernels::Sorted;

/// `squeezed`: without the dimension.
static MaxResult record_sorted(const OpCall& call, const Sorted& out, const Tensor& input, int64_t dim,
                               bool squeezed = false) {
  const auto shown = [&](const Tensor& t) { return squeezed ? views::squeeze(t, {dim}) : t; };
  const TensorList both =
      record(call, {shown(out.values), shown(out.indices)}, {input},
             [sizes = input.sizes(), dim, squeezed, indices = Saved(out.indices)](const TensorList& grads) {
               return sort_backward(squeezed ? grads[0].unsqueeze(dim) : grads[0], sizes, dim, indices.get());
             });
  return {both[0], both[1]};
}

/// One element of each line: `out` still has the dimension.
static MaxResult record_one(const OpCall& call, const Sorted& out, const Tensor& input, int64_t dim, bool keepdim) {
  if (keepdim || input.dim() == 0) return record_sorted(call, out, input, dim);
  return record_sorted(call, out, input, wrap_dim(call.name(), dim, input.dim()), true);
}

static int64_t length_of(const char* op, const Tensor& t, int64_t dim) {
  detail::expect_defined(op, t, "input");
  const int at = wrap_dim(op, dim, t.dim());
  return t.dim() == 0 ? 1 : t.sizes()[at];
}

static void expect_values(const char* op, const Tensor& t, int64_t dim) {
  ORDO_CHECK(length_of(op, t, dim) > 0, ValueError, op, "has no result over no values: the input's shape is {}",
             t.sizes());
}

static MaxResult median_of(const OpCall& call, Selection::Kind kind, const Tensor& input, int64_t dim, bool keepdim) {
  expect_values(call.name(), input, dim);
  return record_one(call, kernels::sort(call.name(), input, dim, false, {kind, 0, 0}), input, dim, keepdim);
}

static Tensor median_of_all(const OpCall& call, Selection::Kind kind, const Tensor& input) {
  const char* op = call.name();
  detail::expect_defined(op, input, "input");
  Tensor out;
  {
    NoGrad guard;
    if (input.numel() > 0) {
      out = views::view(kernels::sort(op, input.detach().reshape({-1}), 0, false, {kind, 0, 0}).values, {});
    } else {
      ORDO_CHECK(is_floating(input.dtype()), ValueError, op, "has no result over no values: the input's shape is {}",
                 input.sizes());
      out = full({}, std::numeric_limits<double>::quiet_NaN(), {input.dtype(), input.device()});
    }
  }
  return record(call, std::move(out), {input}, [input = Saved(input)](const Tensor& grad, const Tensor& result) {
    const Tensor& x = input.get();
    const Tensor middle = result.detach();
    const Tensor equal = logical_or(eq(x, middle), logical_and(isnan(x), isnan(middle)));
    const Tensor hit = equal.to(x.dtype());
    return hit * (grad / sum(hit));
  });
}

Tensor sort_backward(const Tensor& grad, const Dims& sizes, int64_t dim, const Tensor& index) {
  const OpCall call("sort_backward", grad, sizes, dim, index);
  return record(call, kernels::put_along(grad, sizes, dim, index), {grad},
                [dim, index = Saved(index)](const Tensor& g) { return gather(g, dim, index.get()); });
}

MaxResult sort(const Tensor& input, int64_t dim, bool descending) {
  const OpCall call("sort", input, dim, descending);
  return record_sorted(call, kernels::sort("sort", input, dim, descending), input, dim);
}

Tensor argsort(const Tensor& input, int64_t dim, bool descending) {
  const OpCall call("argsort", input, dim, descending);
  return call.done(kernels::sort("argsort", input, dim, descending).indices);
}

MaxResult topk(const Tensor& input, int64_t k, int64_t dim, bool largest) {
  const OpCall call("topk", input, k, dim, largest);
  const int64_t length = length_of("topk", input, dim);
  ORDO_CHECK(k >= 0 && k <= length, ValueError, "topk", "k must be from 0 to {}, the size of dimension {}, but is {}",
             length, dim, k);
  if (input.dim() == 0) return record_sorted(call, kernels::sort("topk", input, dim, largest), input, dim);
  return record_sorted(call, kernels::sort("topk", input, dim, largest, {Selection::Kind::range, 0, k}), input, dim);
}

MaxResult kthvalue(const Tensor& input, int64_t k, int64_t dim, bool keepdim) {
  const OpCall call("kthvalue", input, k, dim, keepdim);
  const int64_t length = length_of("kthvalue", input, dim);
  ORDO_CHECK(k >= 1 && k <= length, ValueError, "kthvalue",
             "k must be from 1 to {}, the size of dimension {}, but is {}", length, dim, k);
  const Sorted out = kernels::sort("kthvalue", input, dim, false, {Selection::Kind::range, k - 1, k});
  return record_one(call, out, input, dim, keepdim);
}

MaxResult median(const Tensor& input, int64_t dim, bool keepdim) {
  const OpCall call("median", input, dim, keepdim);
  return median_of(call, Selection::Kind::median, input, dim, keepdim);
}
MaxResult nanmedian(const Tensor& input, int64_t dim, bool keepdim) {
  const OpCall call("nanmedian", input, dim, keepdim);
  return median_of(call, Selection::Kind::nanmedian, input, dim, keepdim);
}
Tensor median(const Tensor& input) {
  const OpCall call("median", input);
  return median_of_all(call, Selection::Kind::median, input);
}
Tensor nanmedian(const Tensor& input) {
  const OpCall call("nanmedian", input);
  return median_of_all(call, Selection::Kind::nanmedian, input);
}

MaxResult mode(const Tensor& input, int64_t dim, bool keepdim) {
  const OpCall call("mode", input, dim, keepdim);
  expect_values("mode", input, dim);
  return record_one(call, kernels::mode(input, dim), input, dim, keepdim);
}

ORDO_REGISTER_OPS({"quantile", "nanquantile"}, {.family = "sort", .dtypes = {float32, float64}});

/// a + w (b - a), from the nearer end.
static Tensor between(const Tensor& a, const Tensor& b, const Tensor& weight) {
  return where(lt(weight, 0.5), a + weight * (b - a), b - (b - a) * (1 - weight));
}

static Tensor quantile_of(const char* op, const Tensor& input, const Tensor& q, std::optional<int64_t> dim,
                          bool keepdim, Interpolation interpolation, bool ignore_nans) {
  detail::expect_defined(op, input, "input", q, "q");
  detail::expect_enumerator(op, interpolation, Interpolation::nearest,
                            "an interpolation: there are linear, lower, higher, midpoint and nearest");
  ORDO_CHECK(input.dtype() == float32 || input.dtype() == float64, DTypeError, op,
             "takes float32 and float64 tensors, not {}", input.dtype());
  ORDO_CHECK(q.dim() <= 1, ShapeError, op, "q must be 0-d or 1-d, but has shape {}", q.sizes());
  for (double v : q.to_vector<double>())
    ORDO_CHECK(v >= 0 && v <= 1, ValueError, op, "q must be from 0 to 1, but holds {}", v);
  const int at = dim ? wrap_dim(op, *dim, input.dim()) : 0;
  // Lines are last; where they were, size 1 stays.
  const Tensor lines = !dim || input.dim() == 0 ? input.reshape({-1}) : input.unsqueeze(-1).transpose(at, -1);
  const int64_t n = lines.size(-1);
  ORDO_CHECK(n > 0, ValueError, op, "has no result over no values: the input's shape is {}", input.sizes());
  const kernels::Sorted sorted = kernels::sort(op, lines.detach(), -1, false);
  const Tensor places = q.detach().to(input.device(), input.dtype()).reshape({-1});
  Tensor rank;  // [..., q]
  {
    NoGrad guard;
    const Tensor nan = isnan(sorted.values);
    if (ignore_nans) {
      const Tensor most = n - 1 - sum(nan, {-1}, true);
      rank = places * where(lt(most, 0), 0, most).to(input.dtype());
    } else {
      rank = where(nan.narrow(-1, n - 1, 1), n - 1, places * (n - 1));
    }
    if (interpolation == Interpolation::lower) rank = floor(rank);
    if (interpolation == Interpolation::higher) rank = ceil(rank);
    if (interpolation == Interpolation::nearest) rank = round(rank);
  }
  const Tensor below = floor(rank);
  const bool of_two = interpolation == Interpolation::linear || interpolation == Interpolation::midpoint;
  const Tensor wanted = (of_two ? cat({below, ceil(rank)}, -1) : below).to(int64);
  Tensor out = gather(lines, -1, gather(sorted.indices, -1, wanted));  // from the input: few values get a gradient
  if (of_two) {
    const int64_t count = below.size(-1);
    const Tensor weight = interpolation == Interpolation::linear ? rank - below : full_like(rank, 0.5);
    out = between(out.narrow(-1, 0, count), out.narrow(-1, count, count), weight);
  }
  // [..., q] to [q, ...], and the dimensions that are kept.
  Dims order{out.dim() - 1};
  for (int d = 0; d + 1 < out.dim(); ++d) order.push_back(d);
  out = out.permute(order);
  Dims sizes;
  if (q.dim() == 1) sizes.push_back(q.numel());
  for (int d = 0; d < input.dim(); ++d) {
    const bool reduced = !dim || d == at;
    if (!reduced)
      sizes.push_back(input.sizes()[d]);
    else if (keepdim)
      sizes.push_back(1);
  }
  return out.reshape(sizes);
}

Tensor quantile(const Tensor& input, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                Interpolation interpolation) {
  const OpCall call("quantile", input, q, dim, keepdim, interpolation);
  return call.done(quantile_of("quantile", input, q, dim, keepdim, interpolation, false));
}
Tensor nanquantile(const Tensor& input, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                   Interpolation interpolation) {
  const OpCall call("nanquantile", input, q, dim, keepdim, interpolation);
  return call.done(quantile_of("nanquantile", input, q, dim, keepdim, interpolation, true));
}
Tensor quantile(const Tensor& input, double q, std::optional<int64_t> dim, bool keepdim, Interpolation interpolation) {
  return quantile(input, full({}, q, float64), dim, keepdim, interpolation);
}
Tensor nanquantile(const Tensor& input, double q, std::optional<int64_t> dim, bool keepdim,
                   Interpolation interpolation) {
  return nanquantile(input, full({}, q, float64), dim, keepdim, interpolation);
}

}  // namespace ordo

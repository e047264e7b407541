#include <ordo/autograd/ops/quantile.h>

#include <ordo/autograd/ops/gather.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/enumerator.h>
#include <ordo/kernels/sort/sort.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "quantile", .family = "sort", .dtypes = {float32, float64}});
ORDO_REGISTER_OP({.name = "nanquantile", .family = "sort", .dtypes = {float32, float64}});

namespace {

/// a + w (b - a), from the nearer end.
Tensor between(const Tensor& a, const Tensor& b, const Tensor& weight) {
  return where(lt(weight, 0.5), a + weight * (b - a), b - (b - a) * (1 - weight));
}

Tensor quantile_of(const char* op, const Tensor& input, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                   Interpolation interpolation, bool ignore_nans) {
  detail::expect_defined(op, input, "input");
  detail::expect_defined(op, q, "q");
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

}  // namespace

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

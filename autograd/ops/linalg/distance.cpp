#include <ordo/autograd/ops/linalg/distance.h>

#include <algorithm>

#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/kernels/reduce/cdist.h>

namespace ordo {

ORDO_REGISTER_OPS({"normalize", "pairwise_distance", "cosine_similarity", "cdist"},
                  {.family = "reduce", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "pdist", .family = "reduce", .dtypes = kFloatingTypes, .no_rows = "a result is of two rows"});
ORDO_REGISTER_OP({.name = "cov",
                  .family = "reduce",
                  .dtypes = kFloatingTypes,
                  .algorithms = {{Algorithm::library, Determinism::run_to_run},
                                 {Algorithm::direct, Determinism::device_to_device}},
                  .no_rows = "a result is of two rows"});

static void expect_two(const char* op, const Tensor& a, const Tensor& b) {
  detail::expect_pair(op, a, "x1", b, "x2");
  detail::expect_floating(op, a);
  detail::expect_same_dtype(op, a, b);
}

/// x over its norm, which is at least eps.
static Tensor of_length_one(const Tensor& x, double p, int64_t dim, double eps) {
  return x / clamp(norm(x, p, dim, true), eps);
}

Tensor normalize(const Tensor& input, double p, int64_t dim, double eps) {
  ORDO_AUTOCAST_CALL(raise, normalize, input, p, dim, eps);
  detail::expect_floating("normalize", input, "input");
  return call.done(of_length_one(input, p, dim, eps));
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
  ORDO_AUTOCAST_CALL(raise, pairwise_distance, x1, x2, p, eps, keepdim);
  expect_two("pairwise_distance", x1, x2);
  return call.done(norm(x1 - x2 + eps, p, -1, keepdim));
}

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  ORDO_AUTOCAST_CALL(raise, cosine_similarity, x1, x2, dim, eps);
  expect_two("cosine_similarity", x1, x2);
  const Dims sizes = broadcast_sizes("cosine_similarity", x1.sizes(), x2.sizes());
  const int d = wrap_dim("cosine_similarity", dim, sizes.size());
  const Tensor a = of_length_one(x1.expand(sizes), 2, d, eps), b = of_length_one(x2.expand(sizes), 2, d, eps);
  return call.done(sum(a * b, {d}));
}

/// Of the distances between [B, P, M] and [B, R, M], found without writing out the differences.
static Tensor record_euclidean(const OpCall& call, Tensor distances, const Tensor& x1, const Tensor& x2) {
  return record(
      call, std::move(distances), {x1, x2},
      [a = Saved(x1), b = Saved(x2)](const Tensor& grad, const Tensor& result) -> TensorList {
        const Tensor &x = a.get(), &y = b.get();
        const auto weights_by = [&](const Tensor& distances) {
          const Tensor zero = eq(distances, 0);
          return masked_fill(grad / masked_fill(distances, zero, 1), zero, 0);
        };
        if (grad_enabled()) {  // the operations that other devices have recorded, for the same second gradients
          const Tensor differences = x.unsqueeze(-2) - y.unsqueeze(-3);
          const Tensor parts = differences * weights_by(norm(differences, 2, -1)).unsqueeze(-1);
          return {sum(parts, {-2}), sum(neg(parts), {-3})};
        }
        const Tensor weights = weights_by(result);
        const auto of = [](const Tensor& t, const Tensor& others, const Tensor& w) {
          return kernels::weighted_differences(kernels::contiguous(t), kernels::contiguous(others),
                                               kernels::contiguous(w));
        };
        return {of(x, y, weights), of(y, x, weights.transpose(-2, -1))};
      });
}

Tensor cdist(const Tensor& x1, const Tensor& x2, double p) {
  ORDO_AUTOCAST_CALL(raise, cdist, x1, x2, p);
  expect_two("cdist", x1, x2);
  ORDO_CHECK(x1.dim() >= 2 && x2.dim() >= 2, ShapeError, "cdist", "takes rows of vectors, not shapes {} and {}",
             x1.sizes(), x2.sizes());
  ORDO_CHECK(x1.sizes().back() == x2.sizes().back(), ShapeError, "cdist",
             "vectors of {} and of {} elements have no distance", x1.sizes().back(), x2.sizes().back());
  ORDO_CHECK(p >= 0, ValueError, "cdist", "p must be 0 or more, not {}", p);
  const int a = x1.dim() - 2, b = x2.dim() - 2;
  Dims batches = broadcast_sizes("cdist", Dims(x1.sizes().begin(), a), Dims(x2.sizes().begin(), b));
  const auto in_batches = [&](const Tensor& t) {
    Dims sizes = batches;
    for (int64_t size : {t.size(-2), t.size(-1)}) sizes.push_back(size);
    return t.expand(sizes).reshape({batches.product(), t.size(-2), t.size(-1)});
  };
  const Tensor left = in_batches(x1), right = in_batches(x2);
  Tensor all;
  if (p == 2) all = kernels::euclidean_distances(kernels::contiguous(left), kernels::contiguous(right));
  if (all.defined())
    all = record_euclidean(OpCall("cdist", left, right, p), all, left, right);
  else
    all = norm(left.unsqueeze(-2) - right.unsqueeze(-3), p, -1);
  for (int64_t size : {x1.size(-2), x2.size(-2)}) batches.push_back(size);
  return call.done(all.reshape(batches));
}

Tensor pdist(const Tensor& input, double p) {
  ORDO_AUTOCAST_CALL(raise, pdist, input, p);
  detail::expect_floating("pdist", input, "input");
  ORDO_CHECK(input.dim() == 2, ShapeError, "pdist", "takes a matrix, not a tensor of shape {}", input.sizes());
  const int64_t n = input.size(0);
  const Tensor all = cdist(input, input, p).reshape({n * n});
  auto places = checked::vector<int64_t>("pdist", n * (n - 1) / 2);
  size_t next = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j) places[next++] = i * n + j;
  return call.done(index_select(all, 0, from_vector(places, {int64_t(places.size())}).to(input.device())));
}

Tensor cov(const Tensor& input, int64_t correction, const Tensor& fweights, const Tensor& aweights) {
  const OpCall call("cov", input, correction, fweights, aweights);
  detail::expect_floating("cov", input, "input");
  ORDO_CHECK(input.dim() <= 2, ShapeError, "cov", "takes a matrix or a vector, not a tensor of shape {}",
             input.sizes());
  const Tensor x = input.dim() == 2 ? input : input.reshape({1, input.numel()});
  const int64_t n = x.size(1);
  for (const Tensor* w : {&fweights, &aweights}) {
    if (!w->defined()) continue;
    detail::expect_same_device("cov", input, *w);
    ORDO_CHECK(is_floating(w->dtype()) == (w == &aweights) && w->dtype() != boolean, DTypeError, "cov",
               "fweights are integers and aweights floating numbers, but {} are {}",
               w == &fweights ? "fweights" : "aweights", w->dtype());
    ORDO_CHECK(w->sizes() == Dims({n}), ShapeError, "cov", "weights have shape {}, but there are {} columns",
               w->sizes(), n);
  }
  Tensor result;
  if (!fweights.defined() && !aweights.defined()) {
    const Tensor rest = x - mean(x, 1, true);
    result = matmul(rest, rest.t()) / std::max(0.0, double(n) - double(correction));
  } else {
    const Tensor a = aweights.defined() ? aweights.to(x.dtype()) : Tensor();
    Tensor w = fweights.defined() ? fweights.to(x.dtype()) : a;
    if (fweights.defined() && a.defined()) w = w * a;
    const Tensor total = sum(w), rest = x - sum(x * w, 1, true) / total;
    const Tensor lost = a.defined() ? sum(w * a) * double(correction) / total : full_like(total, double(correction));
    result = matmul(rest * w, rest.t()) / clamp(total - lost, 0);
  }
  return call.done(input.dim() == 2 ? result : result.reshape({}));
}

}  // namespace ordo

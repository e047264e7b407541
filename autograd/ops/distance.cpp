#include <ordo/autograd/ops/distance.h>

#include <ordo/autograd/ops/operation.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "normalize", .family = "reduce", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "pairwise_distance", .family = "reduce", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "cosine_similarity", .family = "reduce", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "cdist", .family = "reduce", .dtypes = kFloatingTypes});

static void expect_two(const char* op, const Tensor& a, const Tensor& b) {
  detail::expect_pair(op, a, "x1", b, "x2");
  detail::expect_floating(op, a);
  detail::expect_same_dtype(op, a, b);
}

/// x over its norm, which is at least eps.
static Tensor of_length_one(const Tensor& x, double p, int64_t dim, double eps) {
  return x / clamp(norm(x, p, dim, true), eps);
}

Tensor normalize(const Tensor& x, double p, int64_t dim, double eps) {
  ORDO_AUTOCAST_CALL(raise, normalize, x, p, dim, eps);
  detail::expect_floating("normalize", x, "input");
  return call.done(of_length_one(x, p, dim, eps));
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
  const Tensor all = norm(in_batches(x1).unsqueeze(-2) - in_batches(x2).unsqueeze(-3), p, -1);
  for (int64_t size : {x1.size(-2), x2.size(-2)}) batches.push_back(size);
  return call.done(all.reshape(batches));
}

}  // namespace ordo

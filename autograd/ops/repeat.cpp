#include <ordo/autograd/ops/repeat.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/checked.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "repeat", .family = "copy", .dtypes = kAllTypes});

namespace {

/// Each dimension repeats by an expanded one before it.
Tensor repeated(const Tensor& t, const Dims& repeats) {
  Dims split, expanded, merged;
  for (int d = 0; d < t.dim(); ++d) {
    const int64_t n = t.sizes()[d], times = repeats[d];
    merged.push_back(checked::mul("repeat", n, times));
    if (times != 1 && n != 1) {
      split.push_back(1);
      expanded.push_back(times);
    }
    split.push_back(n);
    expanded.push_back(n == 1 ? times : n);
  }
  (void)merged.product("repeat");
  return t.reshape(split).expand(expanded).clone().view(merged);
}

/// One dimension repeats; those before it and those from it on are taken together.
Tensor repeated_along(const Tensor& t, int d, int64_t times) {
  Dims merged = t.sizes();
  merged[d] = checked::mul("repeat", merged[d], times);
  (void)merged.product("repeat");
  const int64_t outer = Dims(t.sizes().begin(), d).product(),
                inner = Dims(t.sizes().begin() + d, t.dim() - d).product();
  return t.reshape({outer, 1, inner}).expand({outer, times, inner}).clone().view(merged);
}

}  // namespace

Tensor repeat(const Tensor& t, const Dims& repeats) {
  const OpCall call("repeat", t, repeats);
  detail::expect_defined("repeat", t, "input");
  ORDO_CHECK(repeats.size() >= t.dim(), ShapeError, "repeat",
             "{} has fewer repeats than a tensor of shape {} dimensions", repeats, t.sizes());
  Dims sizes = t.sizes();
  while (sizes.size() < repeats.size()) sizes.insert(0, 1);
  int added = 0;
  for (int d = 0; d < repeats.size(); ++d) {
    ORDO_CHECK(repeats[d] >= 0, ValueError, "repeat", "repeats must not be negative, but are {}", repeats);
    added += repeats[d] != 1 && sizes[d] != 1;
  }
  Tensor r = t.reshape(sizes);
  if (r.dim() + added <= kMaxDims) return call.done(repeated(r, repeats));
  for (int d = r.dim() - 1; d >= 0; --d)
    if (repeats[d] != 1) r = repeated_along(r, d, repeats[d]);
  return call.done(std::move(r));
}

Tensor tile(const Tensor& t, const Dims& repeats) {
  const OpCall call("tile", t, repeats);
  detail::expect_defined("tile", t, "input");
  Dims all = repeats;
  while (all.size() < t.dim()) all.insert(0, 1);
  return call.done(repeat(t, all));
}

}  // namespace ordo

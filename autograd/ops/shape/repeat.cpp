#include <ordo/autograd/ops/shape/repeat.h>

#include <algorithm>

#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/calls/checked.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "repeat", .family = "copy", .dtypes = kAllTypes});

/// Each dimension repeats by an expanded one before it.
static Tensor repeated(const Tensor& t, const Dims& repeats) {
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
static Tensor repeated_along(const Tensor& t, int d, int64_t times) {
  Dims merged = t.sizes();
  merged[d] = checked::mul("repeat", merged[d], times);
  (void)merged.product("repeat");
  const int64_t outer = Dims(t.sizes().begin(), d).product(),
                inner = Dims(t.sizes().begin() + d, t.dim() - d).product();
  return t.reshape({outer, 1, inner}).expand({outer, times, inner}).clone().view(merged);
}

Tensor repeat(const Tensor& input, const Dims& repeats) {
  const OpCall call("repeat", input, repeats);
  detail::expect_defined("repeat", input, "input");
  ORDO_CHECK(repeats.size() >= input.dim(), ShapeError, "repeat",
             "{} has fewer repeats than a tensor of shape {} dimensions", repeats, input.sizes());
  Dims sizes = input.sizes();
  while (sizes.size() < repeats.size()) sizes.insert(0, 1);
  int added = 0;
  for (int d = 0; d < repeats.size(); ++d) {
    ORDO_CHECK(repeats[d] >= 0, ValueError, "repeat", "repeats must not be negative, but are {}", repeats);
    added += repeats[d] != 1 && sizes[d] != 1;
  }
  Tensor r = input.reshape(sizes);
  if (r.dim() + added <= kMaxDims) return call.done(repeated(r, repeats));
  for (int d = r.dim() - 1; d >= 0; --d)
    if (repeats[d] != 1) r = repeated_along(r, d, repeats[d]);
  return call.done(std::move(r));
}

Tensor tile(const Tensor& input, const Dims& repeats) {
  const OpCall call("tile", input, repeats);
  detail::expect_defined("tile", input, "input");
  Dims all = repeats;
  while (all.size() < input.dim()) all.insert(0, 1);
  return call.done(repeat(input, all));
}

constexpr const char* kRepeatInterleave = "repeat_interleave";

/// Item i `repeats[i]` times. Made on the host.
static Tensor repeated_index(const Tensor& repeats) {
  detail::expect_index_dtype(kRepeatInterleave, repeats);
  ORDO_CHECK(repeats.dim() <= 1, ShapeError, kRepeatInterleave, "repeats must be 0-d or 1-d, but has shape {}",
             repeats.sizes());
  const auto counts = repeats.to_vector<int64_t>();
  int64_t total = 0;
  for (int64_t n : counts) {
    ORDO_CHECK(n >= 0, ValueError, kRepeatInterleave, "repeats must not be negative, but one is {}", n);
    total = checked::add(kRepeatInterleave, total, n);
  }
  const Tensor index = detail::result({total}, int64, cpu);
  int64_t* to = index.data<int64_t>();
  for (size_t i = 0; i < counts.size(); ++i) to = std::fill_n(to, counts[i], int64_t(i));
  return index.to(repeats.device());
}

Tensor repeat_interleave(const Tensor& input, int64_t repeats, std::optional<int64_t> dim) {
  const OpCall call("repeat_interleave", input, repeats, dim);
  detail::expect_defined(kRepeatInterleave, input, "input");
  ORDO_CHECK(repeats >= 0, ValueError, kRepeatInterleave, "repeats must not be negative, but is {}", repeats);
  const Tensor x = dim && input.dim() > 0 ? input : input.reshape({-1});
  const int d = dim ? wrap_dim(kRepeatInterleave, *dim, input.dim()) : 0;
  Dims wide, sizes = x.sizes();
  for (int k = 0; k < x.dim(); ++k) {
    wide.push_back(sizes[k]);
    if (k == d) wide.push_back(repeats);
  }
  sizes[d] = checked::mul(kRepeatInterleave, sizes[d], repeats);
  return call.done(x.unsqueeze(d + 1).expand(wide).clone().view(sizes));  // a copy, also of one repetition
}

Tensor repeat_interleave(const Tensor& input, const Tensor& repeats, std::optional<int64_t> dim) {
  const OpCall call("repeat_interleave", input, repeats, dim);
  detail::expect_pair(kRepeatInterleave, input, "input", repeats, "repeats");
  detail::expect_index_dtype(kRepeatInterleave, repeats);
  const Tensor x = dim && input.dim() > 0 ? input : input.reshape({-1});
  const int d = dim ? wrap_dim(kRepeatInterleave, *dim, input.dim()) : 0;
  ORDO_CHECK(repeats.dim() <= 1 && (repeats.numel() == 1 || repeats.numel() == x.sizes()[d]), ShapeError,
             kRepeatInterleave, "repeats has shape {}; it must have one number, or one for each of the {} slices",
             repeats.sizes(), x.sizes()[d]);
  if (repeats.numel() == 1) return call.done(repeat_interleave(x, repeats.item<int64_t>(), d));
  const Tensor index = repeated_index(repeats);
  return call.done(x.dim() == 1 ? take(x, index) : index_select(x, d, index));
}

Tensor repeat_interleave(const Tensor& repeats) {
  const OpCall call("repeat_interleave", repeats);
  detail::expect_defined(kRepeatInterleave, repeats, "repeats");
  return call.done(repeated_index(repeats));
}

}  // namespace ordo

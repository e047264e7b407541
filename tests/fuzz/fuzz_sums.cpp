// Random sums by `exact` against ordering rule 5 in plain loops (exact_reference.h), byte for byte: values of every
// spread, that cancel, or that end on a boundary of rounding; with 1, 2 and 3 threads, in every dtype that `exact`
// takes, on the device that is asked for. Finite ones by the arithmetic of CUDA on the host, too.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/fuzz/fuzz.h"
#include "tests/kernels/accumulate/exact_reference.h"
#include "tests/kernels/accumulate/levels.h"
#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

struct Sums {
  Draw draw;
  int center, spread;     // exponents of values
  int special, outliers;  // per cent of zeros, infinities and the like, and of values of any exponent

  float value() {
    const uint32_t sign = uint32_t(draw.bits()) & 0x80000000u;
    if (draw.chance(special)) {
      constexpr float kSpecial[] = {
          0.0f, 0.0f, 0.0f, 1e-45f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()};
      return std::bit_cast<float>(std::bit_cast<uint32_t>(kSpecial[draw.in(0, draw.chance(2) ? 5 : 3)]) | sign);
    }
    const int64_t exponent =
        draw.chance(outliers) ? draw.in(0, 254) : std::clamp<int64_t>(center + draw.in(-spread, spread), 0, 254);
    uint32_t significand = uint32_t(draw.bits()) & 0x7fffffu;
    if (draw.chance(30)) significand &= ~0u << draw.in(8, 22);  // short ones meet on boundaries
    return std::bit_cast<float>(sign | uint32_t(exponent) << 23 | significand);
  }
};

/// `otherwise` where there are infinities or NaNs.
template <class T>
T sum_by_levels(T old, const std::vector<float>& values, T otherwise) {
  Levels levels(std::max<int64_t>(1, int64_t(values.size())));
  bool finite = std::isfinite(float(old));
  for (float v : values) {
    finite = finite && std::isfinite(v);
    if (finite) levels.add(double(v));
  }
  return finite ? levels.result(old) : otherwise;
}

template <class T>
std::string compare(uint64_t seed, Draw draw, Device device) {
  constexpr int kSpreads[] = {0, 2, 10, 30, 60, 255};
  const int center = int(draw.in(0, 254)), spread = kSpreads[draw.in(0, 5)];
  Sums sums{draw, center, spread, int(draw.in(0, 20)), int(draw.in(0, 2))};
  const int64_t items = draw.chance(10) ? draw.in(1, 100) : draw.chance(3) ? draw.in(30000, 60000) : draw.in(500, 8000);
  const int64_t places = draw.in(1, draw.chance(30) ? 8 : items);
  std::vector<T> old(size_t(places), T(0.0f)), values(static_cast<size_t>(items), T(0.0f));
  std::vector<int64_t> index(static_cast<size_t>(items));
  const bool has_old = draw.chance(60);
  if (has_old)
    for (T& v : old) v = T(sums.value());
  for (size_t i = 0; i < values.size(); ++i) {
    index[i] = sums.draw.in(0, places - 1);
    values[i] = T(sums.value());
    if (i > 0 && sums.draw.chance(25)) {  // cancels another, or nearly; or half of the old content's last place
      const size_t other = size_t(sums.draw.in(0, int64_t(i) - 1));
      index[i] = index[other];
      values[i] = T(-float(values[other]));
      if (sums.draw.chance(20)) values[i] = T(std::ldexp(float(old[size_t(index[i])]), -24));
    }
  }
  std::vector<std::vector<float>> runs(old.size());
  for (size_t i = 0; i < values.size(); ++i) runs[size_t(index[i])].push_back(float(values[i]));
  std::vector<T> want(old.size());
  for (size_t p = 0; p < old.size(); ++p) {
    want[p] = rule5(old[p], runs[p]);
    if (const T by_levels = sum_by_levels(old[p], runs[p], want[p]); std::memcmp(&by_levels, &want[p], sizeof(T)) != 0)
      return fmt::format("seed {}: by levels, place {} is {} and must be {}; old {}", seed, p, float(by_levels),
                         float(want[p]), float(old[p]));
  }
  const Tensor input = from_vector(old, {places}), to = from_vector(index, {items}),
               source = from_vector(values, {items});
  const auto bytes = bytes_of(from_vector(want, {places}));
  const int before = num_threads();
  set_num_threads(int(draw.in(1, 3)));
  const Tensor got =
      index_add(input.to(device), 0, to.to(device), source.to(device), 1, Algorithm::exact).to(Device("cpu"));
  set_num_threads(before);
  if (bytes_of(got) == bytes) return "";
  const auto have = got.to_vector<T>();
  size_t p = 0;
  while (p + 1 < have.size() && std::memcmp(&have[p], &want[p], sizeof(T)) == 0) ++p;
  return fmt::format("seed {}: {} items to {} places of {}, exponents {} +- {}: place {} is {} and must be {}; old {}",
                     seed, items, places, name(input.dtype()), sums.center, sums.spread, p, float(have[p]),
                     float(want[p]), float(old[p]));
}

}  // namespace

FuzzResult fuzz_sums(uint64_t seed, Device device) {
  Draw draw(seed);
  const int64_t kind = draw.in(0, 3);
  return {kind == 0   ? compare<Half>(seed, draw, device)
          : kind == 1 ? compare<BFloat16>(seed, draw, device)
                      : compare<float>(seed, draw, device)};
}

}  // namespace ordo::test

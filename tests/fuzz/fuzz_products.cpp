// Random products of matrices by `exact` against ordering rule 5 in integers (exact_reference.h), byte for byte: factors
// of every spread, sums that cancel or end on a boundary of rounding; with 1, 2 and 3 threads, and with k in another
// order, in every dtype that `exact` takes, on the device that is asked for.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/fuzz/fuzz.h"
#include "tests/kernels/accumulate/exact_reference.h"
#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

template <class T>
std::string compare(uint64_t seed, Draw draw, Device device) {
  constexpr int kSpreads[] = {0, 0, 2, 6, 40, 120};
  const int spread = kSpreads[draw.in(0, std::is_same_v<T, Half> ? 3 : 5)];
  const int center = std::is_same_v<T, Half> ? int(draw.in(-6, 2)) : draw.chance(20) ? int(draw.in(-110, 40)) : 0;
  const int zeros = draw.chance(30) ? int(draw.in(1, 60)) : 0;
  const bool special = draw.chance(3), short_ones = draw.chance(50);
  const auto value = [&] {
    if (special && draw.chance(2)) return T(draw.chance(50) ? kInf : draw.chance(50) ? -kInf : kNan);
    const float sign = draw.chance(50) ? -1 : 1;
    if (draw.chance(zeros)) return T(sign * 0.0f);
    // Short ones have sums in the middle between two numbers.
    const int64_t significand = short_ones ? draw.in(1, 15) : draw.in(1 << 23, (1 << 24) - 1);
    const float v = std::ldexp(float(significand), center + int(draw.in(-spread, spread)) - (short_ones ? 0 : 23));
    return T(sign * v);
  };
  const bool wide = draw.chance(1);  // enough for several threads
  const int64_t m = wide ? draw.in(300, 500) : draw.in(1, 6), n = wide ? draw.in(60, 90) : draw.in(1, 6);
  const int64_t k = wide ? draw.in(1, 8) : draw.chance(20) ? draw.in(200, 1200) : draw.in(1, 60);
  std::vector<T> a(size_t(m * k), T(0.0f)), b(size_t(k * n), T(0.0f)), bias(size_t(n), T(0.0f));
  for (T& v : a) v = value();
  for (T& v : b) v = value();
  for (T& v : bias) v = value();
  for (int64_t p = 1; p < k; ++p)
    if (draw.chance(40)) {  // cancels another product, or nearly
      const int64_t other = draw.in(0, p - 1);
      for (int64_t i = 0; i < m; ++i) a[size_t(i * k + p)] = T(-float(a[size_t(i * k + other)]));
      for (int64_t j = 0; j < n; ++j) b[size_t(p * n + j)] = b[size_t(other * n + j)];
      if (draw.chance(30)) b[size_t(p * n + draw.in(0, n - 1))] = value();
    }
  std::vector<T> want, want_bias;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      std::vector<float> x, y;
      for (int64_t p = 0; p < k; ++p)
        x.push_back(float(a[size_t(i * k + p)])), y.push_back(float(b[size_t(p * n + j)]));
      want.push_back(rule5_of_products<T>(x, y));
      x.push_back(float(bias[size_t(j)])), y.push_back(1);
      want_bias.push_back(rule5_of_products<T>(x, y));
    }
  std::vector<int64_t> order(static_cast<size_t>(k));
  for (size_t p = 0; p < order.size(); ++p) order[p] = int64_t(p);
  for (size_t p = order.size(); p > 1; --p) std::swap(order[p - 1], order[size_t(draw.in(0, int64_t(p) - 1))]);
  const Tensor x = from_vector(a, {m, k}).to(device), y = from_vector(b, {k, n}).to(device),
               offset = from_vector(bias, {n}).to(device), permuted = from_vector(order, {k}).to(device);
  const MatmulAlgorithmGuard guard(Algorithm::exact);
  const int before = num_threads();
  set_num_threads(int(draw.in(1, 3)));
  const Tensor got = matmul(x, y).to(cpu), got_bias = linear(x, y.t(), offset).to(cpu),
               other = matmul(index_select(x, 1, permuted), index_select(y, 0, permuted)).to(cpu);
  set_num_threads(before);
  // A NaN's bits are no part of the rule.
  const auto different = [](const Tensor& have, const std::vector<T>& must) {
    const auto values = have.to_vector<T>();
    for (size_t e = 0; e < must.size(); ++e)
      if (bits(values[e]) != bits(must[e]) && !(std::isnan(float(values[e])) && std::isnan(float(must[e]))))
        return fmt::format("element {} is {} and must be {}", e, float(values[e]), float(must[e]));
    return std::string();
  };
  for (const auto& [what, problem] : {std::pair{"matmul", different(got, want)},
                                      {"linear", different(got_bias, want_bias)},
                                      {"matmul in another order", different(other, want)}})
    if (!problem.empty())
      return fmt::format("seed {}: {} of {}x{}x{} of {}, exponents +- {}: {}", seed, what, m, n, k, name(x.dtype()),
                         spread, problem);
  return "";
}

}  // namespace

FuzzResult fuzz_products(uint64_t seed, Device device) {
  Draw draw(seed);
  const int64_t kind = draw.in(0, 2);
  return {kind == 0   ? compare<Half>(seed, draw, device)
          : kind == 1 ? compare<BFloat16>(seed, draw, device)
                      : compare<float>(seed, draw, device)};
}

}  // namespace ordo::test

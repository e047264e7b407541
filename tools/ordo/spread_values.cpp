#include "tools/ordo/spread_values.h"

#include <ordo/engine/run/philox.h>

#include <cmath>
#include <cstdint>

using namespace ordo;

std::vector<double> spread_values(int count, DType dtype) {
  // Numbers of 24 bits in [0, 1), those of rand({3, count}) by Generator(7).
  const auto random = [](int64_t i) { return double(philox(7, 0, uint64_t(i) / 4).v[i % 4] >> 8) * 0x1p-24; };
  std::vector<double> values;
  for (int i = 0; i < count; ++i) {
    const auto part = [&](int k) { return random(int64_t(k) * count + i); };
    if (dtype == int64) {
      values.push_back(std::floor(part(0) * 2001) - 1000);
      continue;
    }
    const int exponent = int(part(1) * 16) - 8;
    // float64 takes its lower digits from another number.
    const double fraction = dtype == float64 ? part(0) + part(2) * 0x1p-24 : part(0);
    const double digits = std::floor((1 + fraction) * (dtype == float64 ? 0x1p52 : 0x1p23));
    const double size = std::ldexp(digits, exponent - (dtype == float64 ? 52 : 23));
    values.push_back(part(2) < 0.5 ? -size : size);
  }
  return values;
}

double error_in_ulps(double sum, const std::vector<double>& values, DType dtype) {
  if (!std::isfinite(sum)) return INFINITY;
  using Wide = __int128;
  const auto wide = [](double v) { return static_cast<Wide>(std::ldexp(v, 60)); };
  Wide exact = 0;
  for (double v : values) exact += wide(v);
  const double size = std::abs(double(exact));
  if (size == 0) return wide(sum) == exact ? 0 : INFINITY;
  const double ulp = dtype == int64 ? 0x1p60 : std::ldexp(1.0, std::ilogb(size) - (dtype == float64 ? 52 : 23));
  const Wide difference = wide(sum) - exact;
  return std::abs(double(difference)) / ulp;
}

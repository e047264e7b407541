#include "bench/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "bench/built_in_tables.h"

namespace ordo::bench {

Tensor Setting::destinations(const std::string& distribution, int64_t count, int64_t n) const {
  std::mt19937_64 random(1);
  std::vector<int64_t> d(static_cast<size_t>(count), n / 2);
  std::uniform_int_distribution<int64_t> any(0, n - 1);
  if (distribution == "uniform") {
    for (int64_t& v : d) v = any(random);
  } else if (distribution == "half") {
    for (int64_t& v : d)
      if (random() & 1) v = any(random);
  } else if (distribution == "zipf") {
    std::vector<double> below(static_cast<size_t>(n));  // cumulated weights
    double sum = 0;
    for (int64_t r = 0; r < n; ++r) below[size_t(r)] = sum += std::pow(double(r + 1), -1.1);
    std::uniform_real_distribution<double> weight(0, sum);
    for (int64_t& v : d) {
      const int64_t rank = std::upper_bound(below.begin(), below.end(), weight(random)) - below.begin();
      v = std::min(rank, n - 1) * 7919 % n;
    }
  } else if (distribution != "one") {
    throw ValueError(fmt::format("[bench] there is no distribution '{}' of destinations", distribution));
  }
  return from_vector(d, {count}).to(device);
}

/// Values as large as the gradients of trainings (gradients/gradients.json), of any significand.
static Tensor drawn_gradients(const Dims& sizes) {
  const auto recorded = nlohmann::json::parse(kRecordedGradients);
  std::vector<int> exponents;
  std::vector<double> weights;
  for (const auto& [exponent, count] : recorded.at("exponents").items()) {
    exponents.push_back(std::stoi(exponent));
    weights.push_back(count.get<double>());
  }
  const double values = recorded.at("values").get<double>();
  std::mt19937_64 random(1);
  std::discrete_distribution<size_t> exponent(weights.begin(), weights.end());
  std::uniform_real_distribution<double> unit;
  std::vector<float> drawn(static_cast<size_t>(sizes.product()));
  for (float& v : drawn) {
    const double which = unit(random) * values - recorded.at("zeros").get<double>();
    const double magnitude = std::ldexp(1 + unit(random), exponents[exponent(random)]);
    v = which < 0 ? 0 : float(which < recorded.at("negative").get<double>() ? -magnitude : magnitude);
  }
  return from_vector(drawn, sizes);
}

Tensor Setting::drawn(const Dims& sizes) const {
  if (kind == "gradients") return drawn_gradients(sizes);
  if (kind == "uniform") return rand(sizes);
  if (kind == "normal") return randn(sizes);
  if (kind == "exp3") return exp(randn(sizes) * 3);
  if (kind == "exp8") return exp(randn(sizes) * 8);
  if (kind == "zeros") return where(rand(sizes) < 0.5, 0, rand(sizes));
  if (kind == "signs") {
    const int64_t count = sizes.product();
    const Tensor half = rand({(count + 1) / 2, 1});
    return cat({half, -half}, 1).flatten().narrow(0, 0, count).reshape(sizes);
  }
  if (kind == "boundaries")
    return where(rand(sizes) < 1.0 / 3, 1, where(rand(sizes) < 0.5, full(sizes, 0x1p-24), 0x1p-100));
  throw ValueError(fmt::format("[bench] there are no values '{}'", kind));
}

Case pure_case(TensorList inputs, std::function<Tensor(Algorithm)> compute) {
  const auto result = std::make_shared<Tensor>();
  return {[=](const Path& path) { *result = compute(path.algorithm); }, [=] { return TensorList{*result}; }, [] {},
          std::move(inputs)};
}

Case prepare(const Row& row, Device device, bool reference) {
  const std::pair<const char*, Case (*)(const Row&, const Setting&)> families[] = {
      {"index_add", prepare_scatter},       {"scatter_add", prepare_scatter}, {"bincount", prepare_bincount},
      {"embedding", prepare_embedding},     {"pooling", prepare_pooling},     {"unary", prepare_unary},
      {"binary", prepare_binary},           {"reduction", prepare_reduction}, {"matmul", prepare_matmul},
      {"convolution", prepare_convolution}, {"training", prepare_training},   {"call", prepare_call}};
  manual_seed(1);
  const Setting setting{reference ? cpu : device, row.dtype(), reference ? float64 : row.dtype(),
                        row.has("values") ? row.text("values") : "uniform"};
  for (const auto& [family, prepare_row] : families)
    if (row.text("family") == family) return prepare_row(row, setting);
  throw ValueError(fmt::format("[bench] there is no family '{}'", row.text("family")));
}

}  // namespace ordo::bench

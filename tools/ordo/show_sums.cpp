#include "tools/ordo/show_sums.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace ordo;

namespace {

Tensor values_of(const std::vector<double>& values, DType dtype, Device device) {
  return from_vector(values, {int64_t(values.size())}, {.dtype = dtype}).to(device);
}

}  // namespace

double ShownSum::mass() const { return dtype == float64 ? 0x1p1000 : dtype == float32 ? 0x1p100 : 0x1p40; }

double ShownSum::operator()(const std::vector<double>& values) const {
  const DeterminismGuard guard(level);
  if (op == "index_add") {
    const Tensor old = values_of({values.back()}, dtype, device);
    const Tensor source = values_of({values.begin(), values.end() - 1}, dtype, device);
    const Tensor index = zeros({size}, {.dtype = int64, .device = device});
    return index_add(old, 0, index, source, 1, algorithm).item<double>();
  }
  const Tensor row = values_of(values, dtype, device);
  if (op == "sum") return sum(row).item<double>();
  if (op == "mean") return mean(row).item<double>() * size;
  if (op == "cumsum") return cumsum(row, 0).select(0, size - 1).item<double>();
  return sum_of_products(values, std::vector<double>(values.size(), 1.0));
}

double ShownSum::sum_of_products(const std::vector<double>& a, const std::vector<double>& b) const {
  const DeterminismGuard guard(level);
  const Tensor row = values_of(a, dtype, device), column = values_of(b, dtype, device);
  return matmul(row.view({1, size}), column.view({size, 1})).item<double>();
}

bool ShownSum::fused() const {
  if (op != "matmul" || dtype == int64 || size < 2) return false;
  return audit::adds_unrounded_products(
      size, [&](const auto& a, const auto& b) { return sum_of_products(a, b); }, dtype == float64 ? 53 : 24);
}

Algorithm ShownSum::chosen() const {
  Algorithm found = Algorithm::automatic;
  const OpListener listener([&](const OpEvent& event) {
    if (event.name == op) found = event.algorithm;
  });
  (*this)(std::vector<double>(size_t(count()), 1.0));
  return found;
}

const std::vector<std::string>& shown_operations() {
  static const std::vector<std::string> names{"sum", "mean", "cumsum", "index_add", "matmul"};
  return names;
}

std::vector<ShownSum> ways_of(const ShownSum& settings, bool one_level) {
  if (settings.dtype != float32 && settings.dtype != float64 && settings.dtype != int64)
    throw ValueError(
        fmt::format("[show] looks at sums of float32, float64 and int64, not of {}", name(settings.dtype)));
  if (one_level) return {settings};
  std::vector<ShownSum> ways;
  const OpInfo* row = nullptr;
  for (const OpInfo& info : ops())
    if (info.name == settings.op) row = &info;
  if (row && settings.op == "index_add") {
    for (const AlgorithmLevel& a : row->algorithms) {
      if (!a.dtypes.has(settings.dtype)) continue;
      ways.push_back(settings);
      ways.back().algorithm = a.algorithm;
    }
    return ways;
  }
  for (Determinism level : {Determinism::not_guaranteed, Determinism::run_to_run, Determinism::device_to_device}) {
    ways.push_back(settings);
    ways.back().level = level;
  }
  return ways;
}

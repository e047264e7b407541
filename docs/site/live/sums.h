// The sums that the site's page on orders looks at, by the library's kernels for CUDA, and what is found of them. Shared
// by the page (sums.cpp) and by the test that compares them with the operations.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ordo/engine/run/determinism.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/nn/audit/sum_tree.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>
#include <ordo/kernels/reduce/reduce_cuda.cuh>
#include "docs/site/live/on_device.h"
#include "tools/ordo/spread_values.h"

namespace ordo::site {

inline constexpr int kRowColumns = 64;
inline constexpr int kScheduleSeeds = 20;

/// index_add of rows, of which one column is looked at, and of numbers, to one place; a sum; one element of a product,
/// whose second factors are 1.
enum class SumOp { rows, index_add, sum, matmul };
/// Whether the last value is what the place holds before.
inline bool has_old(SumOp op) { return op == SumOp::rows || op == SumOp::index_add; }

/// Items of the accumulate engine: all go to one place. Where items are rows, a value fills its row.
template <class T>
struct ToOnePlace {
  using value_type = T;
  int64_t count;
  const T* values;
  ORDO_HD int64_t destination(int64_t) const { return 0; }
  ORDO_HD accumulate_t<T> value(int64_t item, int64_t) const { return accumulate_t<T>(values[item]); }
};

/// The sum of these values. `algorithm` is that of index_add.
template <class T>
double sum_on_gpu(SumOp op, Algorithm algorithm, const std::vector<double>& values) {
  const std::vector<T> typed(values.begin(), values.end());
  if (has_old(op)) {
    const int columns = op == SumOp::rows ? kRowColumns : 1;
    const OnDevice<T> items(std::vector<T>(typed.begin(), typed.end() - 1));
    OnDevice<T> place(std::vector<T>(size_t(columns), typed.back()));
    kernels::cuda::accumulate(ToOnePlace<T>{items.count, items.data()}, place.data(), {1, 1, columns}, algorithm, kGpu);
    return double(place.values()[0]);
  }
  const OnDevice<T> row(typed);
  OnDevice<T> result(1);
  const int64_t n = row.count;
  if (op == SumOp::sum) {
    kernels::cuda::reduce(kernels::SumReducer<T>(row.data(), result.data()), kernels::reduce_line(n), kGpu);
  } else {
    const OnDevice<T> ones(std::vector<T>(typed.size(), T(1)));
    const DType dtype = std::is_same_v<T, float> ? float32 : std::is_same_v<T, double> ? float64 : int64;
    kernels::Gemm g{.m = 1, .n = 1, .k = n, .dtype = dtype, .c_dtype = dtype};
    g.a = {.data = row.data(), .row = n};
    g.b = {.data = ones.data(), .row = 1};
    g.c = {.data = result.data(), .row = 1};
    kernels::cuda::ordered_gemm(g, kGpu);
  }
  return double(result.values()[0]);
}

/// What index_add chooses at the level in force; `automatic` of others.
inline Algorithm chosen_algorithm(SumOp op, int size, DType dtype) {
  if (!has_old(op)) return Algorithm::automatic;
  return kernels::choose_accumulate("index_add", Algorithm::automatic, dtype,
                                    {.items = size, .destinations = 1, .flat = op == SumOp::index_add});
}

template <class T>
std::string bits_text(double value) {
  if constexpr (std::is_integral_v<T>)
    return fmt::format("{}", int64_t(value));
  else if constexpr (sizeof(T) == 8)
    return fmt::format("0x{:016x} = {}", std::bit_cast<uint64_t>(value), value);
  else
    return fmt::format("0x{:08x} = {}", std::bit_cast<uint32_t>(float(value)), float(value));
}

/// As JSON: the algorithm, the tree of the schedule `seed`, and what the values of `ordo show` add up to in schedules 1
/// to kScheduleSeeds, with the distance from the true sum. `mass`: see recover_tree().
template <class T>
std::string look_at_sum(SumOp op, int size, DType dtype, double mass, int seed,
                        const std::function<void(int)>& use_schedule) {
  const int count = size + has_old(op);
  const Algorithm algorithm = chosen_algorithm(op, size, dtype);
  const auto add = [&](int schedule, const std::vector<double>& values) {
    use_schedule(schedule);
    return sum_on_gpu<T>(op, algorithm, values);
  };
  const audit::Recovered found = audit::recover_tree(
      count, [&](const std::vector<double>& values) { return add(seed, values); }, mass);
  std::vector<std::vector<int>> additions;
  for (const audit::SumTree::Node& node : found.tree.nodes)
    if (!node.leaf()) additions.push_back(node.children);
  const std::vector<double> values = spread_values(count, dtype);
  std::vector<std::string> results;
  for (int schedule = 1; schedule <= kScheduleSeeds; ++schedule) {
    const double sum = add(schedule, values);
    results.push_back(fmt::format("[\"{}\",{:.2f}]", bits_text<T>(sum), error_in_ulps(sum, values, dtype)));
  }
  const char* const kinds[] = {"tree", "unrounded", "none"};
  return fmt::format(R"({{"algorithm":"{}","kind":"{}","why":"{}","probes":{},"additions":[{}],"results":[{}]}})",
                     algorithm == Algorithm::automatic ? "" : name(algorithm), kinds[int(found.kind)], found.why,
                     found.probes, fmt::join(additions, ","), fmt::join(results, ","));
}

/// dtype: 0 for float32, 1 for float64, 2 for int64.
inline std::string look_at_sum(SumOp op, int size, int dtype, Determinism level, int seed,
                               const std::function<void(int)>& use_schedule) {
  const DeterminismGuard guard(level);
  if (dtype == 0) return look_at_sum<float>(op, size, float32, 0x1p100, seed, use_schedule);
  if (dtype == 1) return look_at_sum<double>(op, size, float64, 0x1p1000, seed, use_schedule);
  return look_at_sum<int64_t>(op, size, int64, 0x1p40, seed, use_schedule);
}

}  // namespace ordo::site

// The CUDA engine: the contract's bytes under every schedule, and no floating-point atomics in the ordered path.
#include <gtest/gtest.h>

#include <set>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/tensor.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>
#include "tests/kernels/accumulate/rule1.h"
#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

template <class T>
struct FlatItems {
  using value_type = T;
  int64_t count;
  const int64_t* destinations;
  const T* values;  // [count, columns]
  int64_t columns;
  ORDO_HD int64_t destination(int64_t item) const { return destinations[item]; }
  ORDO_HD accumulate_t<T> value(int64_t item, int64_t column) const { return values[item * columns + column]; }
};

struct Case {
  const char* label;
  int64_t items, destinations, columns;
  bool hot;  // three quarters of the items go to one destination
};
const Case kCases[] = {{"narrow", 3000, 37, 1, false}, {"wide", 300, 11, 33, false},    {"hot", 5000, 9, 1, true},
                       {"single", 4200, 1, 2, false},  {"sparse", 200, 5000, 1, false}, {"one", 1, 1, 1, false}};

template <class T>
struct Problem {
  explicit Problem(const Case& c) : c(c) {
    to = test_indices({c.items}, c.destinations, 5).to_vector<int64_t>();
    const auto chance = test_indices({c.items}, 8, 6).to_vector<int64_t>();
    for (int64_t i = 0; i < c.items; ++i) {
      if (c.hot && chance[size_t(i)] < 6) to[size_t(i)] = c.destinations / 2;
      if (chance[size_t(i)] == 7 && c.items > 1) to[size_t(i)] = -1;
    }
    index = from_vector(to, {c.items}).to("cuda");
    values = test_mixed_values({c.items, c.columns}, 7).to(dtype_of<T>);
    old = test_values({c.destinations, c.columns}, 8).to(dtype_of<T>);
    on_device = values.to("cuda");
  }
  Tensor run(Algorithm algorithm) const {
    Tensor output = old.to("cuda");
    const FlatItems<T> items{c.items, index.template data<int64_t>(), on_device.template data<T>(), c.columns};
    kernels::cuda::accumulate(items, output.template data<T>(), {c.destinations, 1, c.columns}, algorithm, "cuda");
    return output;
  }
  std::vector<uint8_t> reference() const {
    auto all = old.template to_vector<T>();
    const auto v = values.template to_vector<T>();
    for (int64_t j = 0; j < c.columns; ++j) {
      std::vector<T> column(size_t(c.destinations));
      for (int64_t d = 0; d < c.destinations; ++d) column[size_t(d)] = all[size_t(d * c.columns + j)];
      accumulate_by_rule1<T>(column, to, [&](int64_t i) { return v[size_t(i * c.columns + j)]; });
      for (int64_t d = 0; d < c.destinations; ++d) all[size_t(d * c.columns + j)] = column[size_t(d)];
    }
    return bytes_of(from_vector(all, {c.destinations, c.columns}));
  }
  Case c;
  std::vector<int64_t> to;
  Tensor index, values, old, on_device;
};

uint64_t float_atomics() {
#if ORDO_EMULATED
  return cuda::emulator::stats().float_atomics;
#else
  return 0;
#endif
}

template <class T>
void expect_contract() {
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(c.label) + " " + std::string(name(dtype_of<T>)));
    const Problem<T> problem(c);
    const auto want = problem.reference();
    const uint64_t before = float_atomics();
    for (int repeat = 0; repeat < 20; ++repeat) ASSERT_EQ(bytes_of(problem.run(Algorithm::sorted)), want);
    EXPECT_EQ(float_atomics(), before) << "an ordered path must not add floats atomically";
  }
}

TEST(AccumulateCuda, sorted_keeps_rule_1_under_every_schedule) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  expect_contract<float>();
  expect_contract<double>();
  expect_contract<Half>();
  expect_contract<BFloat16>();
}

TEST(AccumulateCuda, atomic_depends_on_the_schedule) {
#if ORDO_EMULATED
  for (DType dtype : {float32, float64, float16, bfloat16}) {
    const uint64_t before = float_atomics();
    const auto patterns = [&] {
      if (dtype == float32)
        return distinct_results(20, [p = Problem<float>(kCases[0])] { return p.run(Algorithm::atomic); });
      if (dtype == float64)
        return distinct_results(20, [p = Problem<double>(kCases[0])] { return p.run(Algorithm::atomic); });
      if (dtype == float16)
        return distinct_results(20, [p = Problem<Half>(kCases[0])] { return p.run(Algorithm::atomic); });
      return distinct_results(20, [p = Problem<BFloat16>(kCases[0])] { return p.run(Algorithm::atomic); });
    }();
    EXPECT_GT(patterns, 1) << name(dtype);
    EXPECT_GT(float_atomics(), before) << name(dtype);
  }
#else
  GTEST_SKIP() << "needs the emulator's schedules";
#endif
}

TEST(AccumulateCuda, nothing_to_do) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  const FlatItems<float> none{0, nullptr, nullptr, 1};
  for (Algorithm a : {Algorithm::atomic, Algorithm::sorted}) {
    kernels::cuda::accumulate(none, static_cast<float*>(nullptr), {4, 1, 1}, a, "cuda");
    kernels::cuda::accumulate(none, static_cast<float*>(nullptr), {0, 1, 0}, a, "cuda");
  }
  cuda::synchronize();
}

}  // namespace
}  // namespace ordo::test

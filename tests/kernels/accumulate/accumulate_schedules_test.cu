// The CUDA engine's runs: the bytes of ordering rule 1. tests/simt has other schedules.
#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/run/emulation.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>
#include "tests/kernels/ordering/rule1.h"
#include "tests/kernels/samples.h"
#include "tests/support/schedules.h"

namespace ordo::test::accumulate_schedules_test {
namespace {

template <class T>
struct FlatItems {
  using value_type = T;
  int64_t count;
  const int64_t* destinations;
  const T* values;  // [count, outer, inner], items `pitch` apart
  int64_t columns, inner, pitch;
  ORDO_HD int64_t destination(int64_t item) const { return destinations[item]; }
  ORDO_HD accumulate_t<T> value(int64_t item, int64_t column) const {
    return element(values[item * pitch + column], item);
  }
  ORDO_HD const T* address(int64_t item, int64_t o, int64_t j) const { return values + item * pitch + o * inner + j; }
  ORDO_HD accumulate_t<T> element(T read, int64_t item) const {
    return accumulate_t<T>(read) * accumulate_t<T>(item % 3 + 1);
  }
  bool aligned(int64_t bytes) const { return kernels::rows_aligned(values, {pitch, columns - inner}, bytes); }
};

template <class T>
struct Problem {
  /// The first value lies `skew` elements from an aligned address, and `gap` elements lie between items.
  Problem(const std::vector<int64_t>& to, kernels::AccumulateShape shape, int64_t skew = 0, int64_t gap = 0)
      : shape(shape), skew(skew), pitch(shape.columns() + gap), to(to) {
    const int64_t count = int64_t(to.size());
    index = from_vector(to, {count}).to("cuda");
    values = test_mixed_values({skew + count * pitch}, 7).to(dtype_of<T>);
    old = test_values({shape.outer, shape.destinations, shape.inner}, 8).to(dtype_of<T>);
    on_device = values.to("cuda");
  }
  FlatItems<T> items() const {
    return {int64_t(to.size()),
            index.template data<int64_t>(),
            on_device.template data<T>() + skew,
            shape.columns(),
            shape.inner,
            pitch};
  }
  std::vector<uint8_t> reference() const {
    auto all = old.template to_vector<T>();
    const auto v = values.template to_vector<T>();
    const FlatItems<T> on_host{0, nullptr, v.data() + skew, shape.columns(), shape.inner, pitch};
    accumulate_columns_by_rule1(all, to, shape,
                                [&](int64_t i, int64_t o, int64_t j) { return on_host.value(i, o * shape.inner + j); });
    return bytes_of(from_vector(all, {shape.outer, shape.destinations, shape.inner}));
  }
  kernels::AccumulateShape shape;
  int64_t skew, pitch;
  std::vector<int64_t> to;
  Tensor index, values, old, on_device;
};

/// Destinations 0, 1, ... that get so many items each, in an order that mixes them; every `skip`th item goes nowhere.
std::vector<int64_t> runs_of(const std::vector<int64_t>& lengths, int64_t skip = 0) {
  std::vector<int64_t> sorted;
  for (size_t d = 0; d < lengths.size(); ++d) sorted.insert(sorted.end(), size_t(lengths[d]), int64_t(d));
  std::vector<int64_t> mixed;
  constexpr size_t kStep = 7919;  // a prime
  for (size_t i = 0, at = 0; i < sorted.size(); ++i, at += kStep) {
    if (skip && i % size_t(skip) == 0) mixed.push_back(-1);
    mixed.push_back(sorted[sorted.size() % kStep ? at % sorted.size() : i]);
  }
  return mixed;
}

/// Both types of Index, two launch shapes, and the same runs for a second reduction.
template <class T>
void expect_rule1(const std::vector<int64_t>& to, kernels::AccumulateShape shape, int64_t skew = 0, int64_t gap = 0) {
  SCOPED_TRACE(std::to_string(to.size()) + " items, " + std::to_string(shape.destinations) + " destinations, " +
               std::to_string(shape.outer) + " x " + std::to_string(shape.inner) + " " +
               std::string(name(dtype_of<T>)));
  const Problem<T> problem(to, shape, skew, gap);
  const auto want = problem.reference();
  const auto reduce = [&]<class Index>(Index) {
    const cudaStream_t stream = cuda::current_stream("cuda");
    auto built = kernels::cuda::build_runs<Index>(problem.items(), shape.destinations, "cuda", stream);
    const kernels::cuda::RunBuilder<Index> plan = std::move(built);
    for (int repeat = 0; repeat < 2; ++repeat) {
      Tensor output = problem.old.to("cuda");
      kernels::cuda::accumulate_runs(problem.items(), plan.runs(), output.data<T>(), shape, "cuda", stream);
      EXPECT_EQ(bytes_of(output), want) << sizeof(Index) << " bytes per index";
    }
  };
  for (const cuda::LaunchTuning& tuning : {cuda::LaunchTuning{}, cuda::LaunchTuning{64, 3}}) {
    const cuda::LaunchTuning before = cuda::set_launch_tuning(tuning);
    reduce(int32_t());
    reduce(int64_t());
    cuda::set_launch_tuning(before);
  }
}

TEST(AccumulateCuda, runs_end_and_begin_anywhere) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  // Around a window (16), a group (64), a block's stage (2048 narrow items, and a group beyond) and two levels.
  for (int64_t length : {1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 2047, 2048, 2049, 2111, 2112, 4095, 4096, 4097})
    expect_rule1<float>(runs_of({length}), {1, 1, 1});
  const std::vector<int64_t> mixed = {1,  63, 64,  65, 2, 15, 16,  17, 1, 1, 1, 128, 129, 0, 300, 47,
                                      48, 49, 700, 1,  1, 64, 128, 64, 3, 0, 5, 191, 192, 0, 193, 0};
  for (auto [outer, inner] : {std::pair{1, 1}, {1, 2}, {1, 7}, {1, 8}, {3, 1}, {2, 3}, {2, 9}, {1, 32}})
    for (int64_t skip : {0, 5}) expect_rule1<float>(runs_of(mixed, skip), {int64_t(mixed.size()), outer, inner});
  const int64_t n = int64_t(mixed.size());
  expect_rule1<double>(runs_of(mixed, 5), {n, 1, 3});
  expect_rule1<Half>(runs_of(mixed, 5), {n, 1, 1});
  const std::vector<int64_t> several_a_window = {1, 1, 1, 1, 1, 1, 1, 2, 2, 4, 4, 4, 4, 3, 1, 4, 8, 1, 1, 1, 1, 5};
  for (int64_t inner : {1, 8, 9})
    expect_rule1<float>(runs_of(several_a_window), {int64_t(several_a_window.size()), 1, inner});
  // Several columns at a time, and one where rows are not aligned.
  expect_rule1<double>(runs_of(mixed, 5), {n, 2, 10});
  expect_rule1<Half>(runs_of(mixed, 5), {n, 1, 24});
  expect_rule1<BFloat16>(runs_of(mixed, 5), {n, 2, 16});
  expect_rule1<float>(runs_of(mixed, 5), {n, 1, 32}, 1);
  expect_rule1<Half>(runs_of(mixed, 5), {n, 2, 8}, 4);
  expect_rule1<float>(runs_of(mixed, 5), {n, 1, 9}, 0, 7);
}

TEST(AccumulateCuda, long_runs_are_folded_level_by_level) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  expect_rule1<float>(runs_of({1, 64 * 64 + 1, 64 * 64, 2, 64 * 64 - 1, 64 * 65, 5000}, 9), {7, 1, 1});
  expect_rule1<float>(runs_of({70, 4097, 0, 4200}), {4, 1, 9});
  expect_rule1<float>(runs_of({0, 1, 64 * 64 * 64 + 65, 3}), {4, 1, 1});
}

TEST(AccumulateCuda, all_or_no_items_are_skipped) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  for (int64_t count : {1, 16, 64, 130, 4097})
    for (int64_t inner : {1, 8}) expect_rule1<float>(std::vector<int64_t>(size_t(count), -1), {3, 1, inner});
}

}  // namespace
}  // namespace ordo::test::accumulate_schedules_test

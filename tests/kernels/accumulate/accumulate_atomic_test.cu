// `atomic` on CUDA: every form adds every value once, whatever the sizes, the spread of the destinations, the schedule
// and the launch shape; and equal destinations meet before they reach the output.
#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>
#include "tests/kernels/accumulate/table_items.h"
#include "tests/support/schedules.h"

namespace ordo::test::accumulate_atomic_test {
namespace {

using kernels::AccumulateShape;
using kernels::cuda::AtomicForm;
using kernels::cuda::AtomicPlan;

/// Integers whose sums are exact in T in every order, so that results have no tolerance: for the half types only about
/// a hundred of a column are not zero, for the integers the sums wrap around.
template <class T>
std::vector<T> values_of(int64_t count, int64_t items) {
  const auto random = test_indices({count}, int64_t(1) << 31, 23).template to_vector<int64_t>();
  std::vector<T> values;
  for (int64_t r : random) {
    if constexpr (std::is_integral_v<T>)
      values.push_back(T(uint64_t(r) * 0x9e3779b97f4a7c15u));
    else if constexpr (sizeof(T) == 2)
      values.push_back(T(float(r / 2 % (items / 100 + 1) != 0 ? 0 : r % 2 * 2 - 1)));
    else
      values.push_back(T(r % 7 - 3));
  }
  return values;
}

template <class T>
class Problem {
 public:
  Problem(int64_t m, const AccumulateShape& shape, Spread spread) : m_(m), shape_(shape) {
    const auto to = destinations(m, shape.destinations, spread);
    const auto values = values_of<T>(m * shape.columns(), m);
    std::vector<T> result = values_of<T>(shape.destinations * shape.columns(), m);
    old_ = from_vector(result, {int64_t(result.size())}).to("cuda");
    to_ = from_vector(to, {m}).to("cuda");
    values_ = from_vector(values, {int64_t(values.size())}).to("cuda");
    using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
    std::vector<Wide> sums;
    for (T v : result) sums.push_back(Wide(v));
    const TableItems<T> items{m, to.data(), values.data(), shape.inner};
    for (int64_t o = 0; o < shape.outer; ++o)
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < shape.inner && to[size_t(i)] >= 0; ++j)
          sums[size_t(shape.offset(to[size_t(i)], o, j))] += Wide(items.value(i, o, j));
    using Final = std::conditional_t<sizeof(T) == 2, float, Wide>;
    for (size_t k = 0; k < sums.size(); ++k) result[k] = T(Final(sums[k]));
    want_ = bytes_of(from_vector(result, {int64_t(result.size())}));
  }
  TableItems<T> items() const { return {m_, to_.template data<int64_t>(), values_.template data<T>(), shape_.inner}; }

  template <int V>
  void expect_exact(const AtomicPlan& plan) const {
    const Tensor output = old_.clone();
    kernels::cuda::accumulate_atomic_as<TableItems<T>, V>(plan, items(), output.template data<T>(), shape_,
                                                          cuda::current_stream("cuda"));
    EXPECT_TRUE(bytes_of(output) == want_) << str(plan);
  }
  std::string str(const AtomicPlan& plan) const {
    return std::to_string(m_) + " items, " + std::to_string(shape_.destinations) + " destinations, " +
           std::to_string(shape_.outer) + " x " + std::to_string(shape_.inner) + " columns, form " +
           std::to_string(int(plan.form)) + ", vector " + std::to_string(plan.vector) + ", steps " +
           std::to_string(plan.steps) + ", " + std::string(name(dtype_of<T>));
  }

 private:
  int64_t m_;
  AccumulateShape shape_;
  Tensor to_, values_, old_;
  std::vector<uint8_t> want_;
};

/// All spreads, and two launch shapes and schedules, in one form.
template <class T, int V>
void expect_form(AtomicForm form, int64_t m, const AccumulateShape& shape, int64_t steps) {
  int schedule = 0;
  for (Spread spread : kSpreads) {
    const Problem<T> problem(m, shape, spread);
    for (int i = 0; i < (checked_build() ? 1 : 2); ++i) {
      const ScheduleScope scope(schedule++);
      problem.template expect_exact<V>({form, V, steps, 3});
    }
  }
}

/// The same in several dtypes.
template <class... Ts>
void expect_forms(AtomicForm form, int64_t m, const AccumulateShape& shape, int64_t steps) {
  (expect_form<Ts, 1>(form, m, shape, steps), ...);
}

TEST(AccumulateAtomicCuda, warps_around_the_sizes_of_warps_and_teams) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  for (int64_t m : {1, 2, 31, 32, 33, 95, 97, 129, 500})
    for (int64_t steps : {1, 2, 4, 5}) {
      expect_form<float, 1>(AtomicForm::warp, m, {5, 1, 1}, steps);
      if (checked_build() && m > 100) continue;
      expect_form<int64_t, 1>(AtomicForm::warp, m, {4, 1, 3}, steps);
    }
  for (int64_t inner : {2, 3, 5, 6, 7, 8}) expect_form<float, 1>(AtomicForm::warp, 300, {7, 1, inner}, 3);
  for (int64_t outer : {2, 7, 40}) expect_form<float, 1>(AtomicForm::warp, 13, {4, outer, 2}, 2);
  expect_form<float, 1>(AtomicForm::warp, 900, {300, 1, 1}, 9);
}

TEST(AccumulateAtomicCuda, warps_in_every_dtype_and_vector) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  expect_forms<double, int32_t>(AtomicForm::warp, 200, {6, 2, 3}, 2);
  expect_forms<Half, BFloat16>(AtomicForm::warp, 200, {6, 1, 3}, 2);
  for (int64_t inner : {4, 12, 32}) expect_form<float, 4>(AtomicForm::warp, 150, {6, 2, inner}, 2);
  for (int64_t inner : {2, 6, 16}) {
    expect_form<Half, 2>(AtomicForm::warp, 150, {6, 2, inner}, 2);
    expect_form<BFloat16, 2>(AtomicForm::warp, 150, {6, 2, inner}, 2);
  }
}

TEST(AccumulateAtomicCuda, rows_around_the_sizes_of_chunks) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  for (int64_t m : {1, 7, 8, 9, 33, 100})
    for (int64_t steps : {1, 4, 8, 13}) {
      expect_form<float, 1>(AtomicForm::rows, m, {5, 1, 9}, steps);
      expect_form<float, 4>(AtomicForm::rows, m, {5, 2, 36}, steps);
    }
  expect_forms<double, int32_t, int64_t, Half, BFloat16>(AtomicForm::rows, 70, {6, 2, 33}, 16);
  expect_form<Half, 2>(AtomicForm::rows, 70, {6, 2, 34}, 16);
  expect_form<BFloat16, 2>(AtomicForm::rows, 70, {6, 2, 34}, 16);
}

TEST(AccumulateAtomicCuda, histograms) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  for (int64_t m : {1, 33, 700})
    for (int64_t n : {1, 9, 1000}) expect_form<float, 1>(AtomicForm::histogram, m, {n, 1, 1}, 2);
  expect_forms<double, int32_t, int64_t>(AtomicForm::histogram, 300, {9, 2, 3}, 2);
  expect_forms<Half, BFloat16>(AtomicForm::histogram, 300, {9, 1, 1}, 2);
}

template <class T>
AtomicPlan plan(int64_t m, const AccumulateShape& shape, int64_t misplaced = 0) {
  return kernels::cuda::plan_atomic(m, shape, reinterpret_cast<const T*>(int64_t(sizeof(T)) * misplaced));
}

TEST(AccumulateAtomicCuda, plan) {
  EXPECT_EQ(plan<float>(1000, {50, 1, 1}).form, AtomicForm::warp);
  EXPECT_EQ(plan<float>(1000, {50, 1, 8}).vector, 4);
  EXPECT_EQ(plan<float>(1000, {50, 1, 6}).vector, 1);
  EXPECT_EQ(plan<float>(1000, {50, 1, 8}, 1).vector, 1);
  EXPECT_EQ(plan<float>(1000, {50, 1, 32}).form, AtomicForm::warp);
  EXPECT_EQ(plan<float>(1000, {50, 1, 36}).form, AtomicForm::rows);
  EXPECT_EQ(plan<float>(1000, {50, 1, 32}, 2).form, AtomicForm::rows);
  EXPECT_EQ(plan<float>(1000, {50, 40, 1}).form, AtomicForm::warp);
  EXPECT_EQ(plan<double>(1000, {50, 1, 8}).vector, 1);
  EXPECT_EQ(plan<Half>(1000, {50, 1, 18}).vector, 2);
  EXPECT_EQ(plan<BFloat16>(1000, {50, 1, 18}, 1).vector, 1);
  EXPECT_EQ(plan<float>(1 << 22, {8192, 1, 1}).form, AtomicForm::histogram);
  EXPECT_EQ(plan<Half>(1 << 22, {8192, 1, 1}).form, AtomicForm::histogram);
  EXPECT_EQ(plan<double>(1 << 23, {8192, 1, 1}).form, AtomicForm::warp);
  EXPECT_EQ(plan<float>((1 << 22) - 1, {8192, 1, 1}).form, AtomicForm::warp);
  EXPECT_EQ(plan<float>(8192, {1, 1, 1}).form, AtomicForm::histogram);
  EXPECT_EQ(plan<float>(1000, {50, 1, 1}).steps, 4);
  EXPECT_EQ(plan<float>(1 << 20, {1 << 20, 1, 1}).steps, 8);
  EXPECT_EQ(plan<float>(1 << 20, {1 << 20, 1, 64}).steps, 32);
}

TEST(AccumulateAtomicCuda, an_output_that_is_not_aligned) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  const auto to = destinations(60, 7, Spread::uniform);
  const std::vector<float> ones(60 * 8, 1.0f);
  const Tensor on_device = from_vector(to, {60}).to("cuda"), values = from_vector(ones, {60 * 8}).to("cuda");
  const Tensor output = zeros({1 + 7 * 8}, {.device = "cuda"});
  kernels::cuda::accumulate(TableItems<float>{60, on_device.data<int64_t>(), values.data<float>(), 8},
                            output.data<float>() + 1, {7, 1, 8}, Algorithm::atomic, "cuda");
  std::vector<float> want(1 + 7 * 8);
  for (int64_t d : to)
    for (int64_t j = 0; j < 8; ++j) ++want[size_t(1 + d * 8 + j)];
  EXPECT_EQ(output.to_vector<float>(), want);
}

/// Atomic additions of floats per value, in shared memory too. --gtest_output=json:FILE has them all.
template <int V>
double atomics_per_value(const AtomicPlan& plan, int64_t m, const AccumulateShape& shape, Spread spread) {
  const Problem<float> problem(m, shape, spread);
  const uint64_t before = cuda::emulator_counts().float_atomics;
  problem.expect_exact<V>(plan);
  const double count = double(cuda::emulator_counts().float_atomics - before) / double(m * shape.columns());
  const char* const forms[] = {"warp", "rows", "histogram"};
  const char* const spreads[] = {"uniform", "half_to_one", "all_to_one", "sorted", "skips"};
  testing::Test::RecordProperty(std::string(forms[int(plan.form)]) + "_columns" + std::to_string(shape.columns()) +
                                    "_steps" + std::to_string(plan.steps) + "_" + spreads[int(spread)],
                                std::to_string(count));
  return count;
}

template <int V>
void expect_few_atomics(AtomicForm form, int64_t inner, int64_t steps) {
  SCOPED_TRACE(std::to_string(inner) + " columns, steps " + std::to_string(steps));
  const int64_t m = int64_t(1) << (checked_build() ? 10 : 14);
  const AtomicPlan plan{form, V, steps};
  const AccumulateShape distinct{m, 1, inner}, runs{m / 16, 1, inner};
  const double uniform = atomics_per_value<V>(plan, m, distinct, Spread::uniform);
  EXPECT_LE(uniform, 1);
  EXPECT_GT(uniform, 0.9);
  // A warp's team, or a thread, adds once for all its steps; lanes of different rows meet in a warp's team.
  const double together = double(steps) * (form == AtomicForm::warp ? double(32 / (inner / V)) : 1);
  EXPECT_NEAR(atomics_per_value<V>(plan, m, distinct, Spread::all_to_one) * together, 1, 0.01);
  const double half = atomics_per_value<V>(plan, m, distinct, Spread::half_to_one);
  EXPECT_GT(half, 0.45);  // the other half goes to different places
  EXPECT_LT(half, form == AtomicForm::warp ? 0.6 : 0.75);
  EXPECT_LE(atomics_per_value<V>(plan, m, runs, Spread::sorted), 0.2);
}

TEST(AccumulateAtomicCuda, equal_destinations_meet_first) {
  if (cuda::build() != "emulated") GTEST_SKIP() << "needs the emulator's counts";
  for (int64_t steps : {8, 32}) {
    expect_few_atomics<1>(AtomicForm::warp, 1, steps);
    expect_few_atomics<4>(AtomicForm::warp, 4, steps);
    expect_few_atomics<4>(AtomicForm::warp, 16, steps);
    expect_few_atomics<4>(AtomicForm::rows, 64, steps);
    expect_few_atomics<1>(AtomicForm::rows, 33, steps);
  }
  // One sum per block and destination at the end; before, as in a warp, but in shared memory.
  const int64_t m = int64_t(1) << 15;
  const AccumulateShape shape{9, 1, 1};
  const AtomicPlan histogram = plan<float>(m, shape);
  ASSERT_EQ(histogram.form, AtomicForm::histogram);
  const double in_the_end = double(histogram.histogram_blocks * shape.destinations) / double(m);
  EXPECT_LE(in_the_end, 0.005);
  EXPECT_LE(atomics_per_value<1>(histogram, m, shape, Spread::uniform), 0.4 + in_the_end);
  EXPECT_LE(atomics_per_value<1>(histogram, m, shape, Spread::half_to_one), 0.3 + in_the_end);
  EXPECT_LE(atomics_per_value<1>(histogram, m, shape, Spread::all_to_one), 0.04 + in_the_end);
}

TEST(AccumulateAtomicCuda, every_form_depends_on_the_schedule) {
  if (!cuda::is_simulated()) GTEST_SKIP() << "needs the schedules of a simulated device";
  const auto patterns = [](int64_t m, const AccumulateShape& shape) {
    const Tensor to = from_vector(destinations(m, shape.destinations, Spread::uniform), {m}).to("cuda");
    const Tensor values = test_mixed_values({m * shape.columns()}, 24).to(float32).to("cuda");
    const TableItems<float> items{m, to.data<int64_t>(), values.data<float>(), shape.inner};
    return distinct_results(10, [&] {
      const Tensor output = zeros({shape.destinations * shape.columns()}, {.device = "cuda"});
      kernels::cuda::accumulate(items, output.data<float>(), shape, Algorithm::atomic, "cuda");
      return output;
    });
  };
  EXPECT_GT(patterns(600, {3, 1, 1}), 1);
  EXPECT_GT(patterns(600, {3, 1, 4}), 1);
  EXPECT_GT(patterns(30, {3, 1, 40}), 1);
  EXPECT_GT(patterns(9000, {3, 1, 1}), 1);
}

}  // namespace
}  // namespace ordo::test::accumulate_atomic_test

// `exact` on CUDA: every form gives the bytes of the CPU, whatever the sizes, the values, the spread of the
// destinations, the schedule and the launch shape.
#include <bit>
#include <random>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/accumulate/accumulate_cpu.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>
#include "tests/kernels/accumulate/table_items.h"
#include "tests/support/schedules.h"

namespace ordo::test::accumulate_exact_test {
namespace {

using kernels::AccumulateShape;
using kernels::cuda::ExactForm;
using kernels::cuda::ExactPlan;
using kernels::cuda::plan_exact;

// Those that need one level or two; all of them, with infinities and NaNs; all finite ones, most of which cancel where
// items meet in one place, so that what is left is far below what they were.
enum class Values { ordinary, any, cancelling };

template <class T>
std::vector<T> draw(int64_t count, Values kind, uint64_t seed) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>;
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(0, 1);
  std::vector<T> values;
  for (int64_t i = 0; i < count; ++i) {
    T v(normal(random));
    if (kind != Values::ordinary && random() % 2) v = std::bit_cast<T>(Bits(random()));
    // Few are not finite, so that most elements have a sum.
    if (!std::isfinite(float(v)) && (kind == Values::cancelling || random() % 8)) v = T(1.0f);
    if (random() % 16 == 0) v = T(-0.0f);
    if (kind == Values::cancelling && i % 2 == 1)
      v = i % 32 == 31 ? T(0x1p-100f * normal(random)) : T(-float(values.back()));
    if (kind == Values::cancelling && i % 32 == 30) v = T(-0.0f);
    values.push_back(v);
  }
  if (kind == Values::cancelling) std::shuffle(values.begin(), values.end(), random);
  return values;
}

template <class T>
void expect_cpu_bytes(const ExactPlan& plan, int64_t m, const AccumulateShape& shape) {
  const int64_t count = shape.destinations * shape.columns();
  int schedule = 0;
  for (Spread spread : kSpreads)
    for (Values kind : {Values::ordinary, Values::any, Values::cancelling}) {
      const auto to = destinations(m, shape.destinations, spread);
      const auto values = draw<T>(m * shape.columns(), kind, 5), old = draw<T>(count, kind, 6);
      auto want = old;
      kernels::cpu::accumulate(TableItems<T>{m, to.data(), values.data(), shape.inner}, want.data(), shape,
                               Algorithm::exact);
      const Tensor index = from_vector(to, {m}).to("cuda");
      const Tensor source = from_vector(values, {int64_t(values.size())}).to("cuda");
      const auto few = few_schedules();
      const ScheduleScope scope(few[size_t(schedule++) % few.size()]);
      const Tensor output = from_vector(old, {count}).to("cuda");
      kernels::cuda::accumulate_exact(TableItems<T>{m, index.data<int64_t>(), source.template data<T>(), shape.inner},
                                      output.template data<T>(), shape, plan, "cuda", cuda::current_stream("cuda"));
      EXPECT_TRUE(bytes_of(output) == bytes_of(from_vector(want, {count})))
          << m << " items, " << shape.destinations << " destinations, " << shape.outer << " x " << shape.inner
          << " columns, form " << int(plan.form) << ", spread " << int(spread) << ", values " << int(kind) << ", "
          << name(dtype_of<T>) << ", " << scope.str();
    }
}

/// Problems of floats, and one of the 16-bit types.
void expect_forms(const ExactPlan& plan, std::initializer_list<std::pair<int64_t, AccumulateShape>> problems) {
  for (const auto& [items, shape] : problems) expect_cpu_bytes<float>(plan, items, shape);
  expect_cpu_bytes<Half>(plan, 900, {30, 1, 1});
  expect_cpu_bytes<BFloat16>(plan, 900, {30, 1, 1});
}

TEST(AccumulateExactCuda, direct) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  expect_forms({ExactForm::direct, 1}, {{1, {1, 1, 1}}, {33, {5, 1, 1}}, {3000, {700, 1, 1}}, {100, {7, 2, 3}}});
}

/// Ordinary values need the usual levels only, all others a pass for each part of the elements.
TEST(AccumulateExactCuda, usual_levels) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  expect_forms({ExactForm::direct, 1, true}, {{33, {9, 1, 1}}, {3000, {700, 1, 1}}, {100, {7, 2, 3}}});
}

TEST(AccumulateExactCuda, sums_of_a_block) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  expect_forms({ExactForm::block_sums, 200},
               {{1, {1, 1, 1}}, {31, {1, 1, 1}}, {1000, {1, 1, 1}}, {2000, {300, 1, 1}}, {100, {7, 2, 3}}});
}

TEST(AccumulateExactCuda, plan) {
  EXPECT_EQ(plan_exact(1000, {1, 1, 1}).form, ExactForm::direct);
  EXPECT_EQ(plan_exact(8192, {1, 1, 1}).form, ExactForm::block_sums);
  EXPECT_EQ(plan_exact(65536, {2048, 1, 1}).form, ExactForm::block_sums);
  EXPECT_EQ(plan_exact(65535, {2048, 1, 1}).form, ExactForm::direct);
  EXPECT_EQ(plan_exact(1 << 24, {2049, 1, 1}).form, ExactForm::direct);
  EXPECT_FALSE(plan_exact(1 << 24, {1 << 19, 1, 1}).usual_levels);
  EXPECT_TRUE(plan_exact(1 << 24, {1 << 20, 1, 1}).usual_levels);
}

}  // namespace
}  // namespace ordo::test::accumulate_exact_test

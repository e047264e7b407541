// The CPU engine against ordering rule 1 in plain loops, byte for byte.
#include <cstring>
#include <iterator>

#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/accumulate_cpu.h>
#include "tests/kernels/accumulate/table_items.h"
#include "tests/kernels/ordering/rule1.h"
#include "tests/kernels/samples.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::accumulate_test {
namespace {

using kernels::AccumulateShape;

const Spread kAll[] = {Spread::uniform, Spread::most_to_one, Spread::all_to_one,
                       Spread::sorted,  Spread::descending,  Spread::skips};

template <class T>
void expect_rule1(const std::vector<int64_t>& to, AccumulateShape shape, const std::string& what,
                  const std::vector<T>& v, const std::vector<T>& before) {
  const auto m = int64_t(to.size());
  const TableItems<T> items{m, to.data(), v.data(), shape.inner};
  auto want = before;
  accumulate_columns_by_rule1(want, to, shape, [&](int64_t i, int64_t o, int64_t j) { return items.value(i, o, j); });
  for (int threads : {1, 2, 3, 7}) {
    set_num_threads(threads);
    auto got = before;
    kernels::cpu::accumulate(items, got.data(), shape, Algorithm::sorted);
    EXPECT_EQ(std::memcmp(got.data(), want.data(), got.size() * sizeof(T)), 0)
        << m << " items, " << shape.destinations << " destinations, " << shape.outer << " x " << shape.inner
        << " columns, " << what << ", " << threads << " threads, " << name(dtype_of<T>);
  }
}

template <class T>
void expect_rule1(const std::vector<int64_t>& to, AccumulateShape shape, const std::string& what) {
  const auto values = [&](const Tensor& t) { return t.to(dtype_of<T>).template to_vector<T>(); };
  expect_rule1<T>(to, shape, what, values(test_mixed_values({int64_t(to.size()) * shape.columns()}, 3)),
                  values(test_values({shape.destinations * shape.columns()}, 4)));
}

template <class T>
void expect_rule1(int64_t m, AccumulateShape shape, Spread spread) {
  expect_rule1<T>(destinations(m, shape.destinations, spread), shape, "spread " + std::to_string(int(spread)));
}

struct Accumulate : testing::Test {
  ThreadsScope scope_;
};

const int64_t kItemsAndDestinations[][2] = {{1, 1},   {5, 3},    {64, 1},    {65, 2},       {192, 3},
                                            {193, 7}, {4097, 2}, {5000, 10}, {30000, 3000}, {40000, 90000}};
const int64_t kColumns[][2] = {{1, 3}, {2, 1}, {3, 5}, {1, 257}, {40, 1}, {1, 64}, {2, 33}};  // outer and inner

TEST_F(Accumulate, sorted_keeps_rule_1) {
  for (Spread spread : kAll) {
    for (const auto& [m, n] : kItemsAndDestinations) expect_rule1<float>(m, {n, 1, 1}, spread);
    for (const auto& [outer, inner] : kColumns) {
      expect_rule1<float>(700, {9, outer, inner}, spread);
      expect_rule1<double>(700, {9, outer, inner}, spread);
      expect_rule1<Half>(700, {9, outer, inner}, spread);
      expect_rule1<BFloat16>(700, {9, outer, inner}, spread);
    }
  }
}

TEST_F(Accumulate, one_run_of_everything_is_shared_by_all_threads) {
  expect_rule1<float>(300000, {1, 1, 1}, Spread::all_to_one);
  expect_rule1<float>(70000, {3, 1, 8}, Spread::most_to_one);
  expect_rule1<float>(4200, {2, 1, 200}, Spread::most_to_one);
}

// What the ways of keeping rule 1 without sorting, one chosen by shape and threads, have to get right: blocks and their
// ends, destinations that are looked at more closely, few and many of them.
TEST_F(Accumulate, sorted_keeps_rule_1_in_large_problems) {
  for (Spread spread : kAll) {
    expect_rule1<float>(100000, {700, 1, 1}, spread);
    expect_rule1<BFloat16>(70000, {20000, 1, 1}, spread);
    expect_rule1<float>(70000, {300001, 1, 1}, spread);
    expect_rule1<float>(70000, {1500001, 1, 1}, spread);  // most destinations get nothing
  }
  expect_rule1<double>(70000, {300001, 1, 1}, Spread::uniform);
  expect_rule1<Half>(70000, {300001, 1, 1}, Spread::most_to_one);
  expect_rule1<double>(100000, {70, 1, 1}, Spread::most_to_one);
  expect_rule1<float>(20000, {500, 1, 40}, Spread::most_to_one);
}

// One run of up to a group, or of more, beside many that are short.
TEST_F(Accumulate, a_group_or_more_among_many_short_runs) {
  constexpr int64_t kItems = 70000, kDestinations = 150001, kThere = 5;  // where none of the others goes
  for (int64_t count : {1, 63, 64, 65, 1000}) {
    std::vector<int64_t> to(kItems);
    for (int64_t i = 0; i < kItems; ++i) to[size_t(i)] = i * 7919 % (kDestinations / 2) * 2;
    for (int64_t k = 0; k < count; ++k) to[size_t(k * (kItems / count))] = kThere;
    expect_rule1<float>(to, {kDestinations, 1, 1}, std::to_string(count) + " to one");
    expect_rule1<double>(to, {kDestinations, 1, 1}, std::to_string(count) + " to one");
  }
}

TEST_F(Accumulate, many_short_runs_onto_any_old_content) {
  constexpr int64_t kItems = 70000, kDestinations = 150001;
  using Limits = std::numeric_limits<float>;
  const float odd[] = {0.0f, -0.0f, Limits::quiet_NaN(), Limits::infinity(), Limits::denorm_min()};
  std::vector<float> v = test_mixed_values({kItems}, 3).to_vector<float>();
  for (int64_t i = 0; i < kItems; i += 3) v[size_t(i)] = odd[i / 3 % 2];  // sums of nothing but -0 among them
  const auto old = [&](float zero, float last) {
    std::vector<float> values(kDestinations, zero);
    values.back() = last;
    return values;
  };
  std::vector<float> mixed(kDestinations);
  for (size_t d = 0; d < mixed.size(); ++d) mixed[d] = odd[d % std::size(odd)];
  std::vector<int64_t> to = destinations(kItems, kDestinations, Spread::uniform);
  for (int repeat : {1, 65}) {  // of one destination among them
    for (int k = 0; k < repeat; ++k) to[size_t(1000 * k)] = 7;
    const std::string what = "one of " + std::to_string(repeat);
    expect_rule1<float>(to, {kDestinations, 1, 1}, what + ", onto +0", v, old(0.0f, 0.0f));
    expect_rule1<float>(to, {kDestinations, 1, 1}, what + ", onto -0", v, old(-0.0f, -0.0f));
    expect_rule1<float>(to, {kDestinations, 1, 1}, what + ", onto both", v, old(0.0f, -0.0f));
    expect_rule1<float>(to, {kDestinations, 1, 1}, what + ", onto anything", v, mixed);
    std::vector<float> almost = old(0.0f, 0.0f);
    almost[kDestinations / 3] = 1.0f;
    expect_rule1<float>(to, {kDestinations, 1, 1}, what + ", onto zeros but for one", v, almost);
  }
}

// Sums of powers of two are exact in any order.
template <class T>
void expect_added_once(int64_t m, int64_t n, int64_t inner, Spread spread) {
  const auto to = destinations(m, n, spread);
  std::vector<T> v(size_t(m * inner)), got(size_t(n * inner), T(4));
  for (size_t i = 0; i < v.size(); ++i) v[i] = T(1 << i % 4);
  std::vector<T> want = got;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < inner && to[size_t(i)] >= 0; ++j)
      want[size_t(to[size_t(i)] * inner + j)] += v[size_t(i * inner + j)];
  kernels::cpu::accumulate(TableItems<T>{m, to.data(), v.data(), inner}, got.data(), {n, 1, inner}, Algorithm::atomic);
  EXPECT_EQ(got, want) << name(dtype_of<T>) << " " << m << " items, " << n << " destinations, " << inner
                       << " columns, spread " << int(spread) << ", " << num_threads() << " threads";
}

TEST_F(Accumulate, atomic_adds_everything_once_on_every_path) {
  constexpr int64_t kProblems[][3] = {{50000, 300, 1}, {50000, 30000, 1}, {20000, 90000, 1},
                                      {3000, 50, 16},  {3000, 2000, 16},  {9000, 8000, 2}};
  for (int threads : {1, 2, 3, 7}) {
    set_num_threads(threads);
    for (Spread spread : {Spread::uniform, Spread::most_to_one, Spread::skips})
      for (const auto& [m, n, inner] : kProblems) {
        expect_added_once<float>(m, n, inner, spread);
        expect_added_once<int64_t>(m, n, inner, spread);
      }
    expect_added_once<double>(60000, 5, 1, Spread::uniform);
    expect_added_once<int32_t>(60000, 5, 1, Spread::uniform);
  }
}

TEST_F(Accumulate, destinations_without_items_keep_their_bits) {
  const int64_t to[] = {1, -1};
  const float values[] = {0.0f, 1.0f};
  float output[] = {-0.0f, -0.0f, -0.0f};
  kernels::cpu::accumulate(TableItems<float>{2, to, values, 1}, output, {3, 1, 1}, Algorithm::sorted);
  EXPECT_TRUE(std::signbit(output[0]));
  EXPECT_FALSE(std::signbit(output[1]));  // -0 + 0
  EXPECT_TRUE(std::signbit(output[2]));
}

using kernels::AccumulateSize;
using kernels::choose_accumulate;

TEST(ChooseAccumulate, follows_the_level) {
  const auto chosen = [](Determinism level, DType dtype, std::initializer_list<Algorithm> allowed) {
    const DeterminismGuard guard(level);
    return choose_accumulate("op", Algorithm::automatic, dtype, allowed);
  };
  for (DType t : {float16, bfloat16, float32, float64}) {
    EXPECT_EQ(chosen(Determinism::not_guaranteed, t, {Algorithm::atomic, Algorithm::sorted}), Algorithm::atomic);
    for (Determinism level : {Determinism::run_to_run, Determinism::device_to_device}) {
      EXPECT_EQ(chosen(level, t, {Algorithm::atomic, Algorithm::sorted}), Algorithm::sorted);
      EXPECT_EQ(chosen(level, t, {Algorithm::atomic, Algorithm::gather}), Algorithm::gather);
    }
  }
  // Integer addition has no order.
  EXPECT_EQ(chosen(Determinism::device_to_device, int64, {Algorithm::atomic, Algorithm::sorted}), Algorithm::atomic);
}

TEST(ChooseAccumulate, flat_outputs_are_exact) {
  const auto chosen = [](Determinism level, DType dtype, const AccumulateSize& size) {
    const DeterminismGuard guard(level);
    return choose_accumulate("op", Algorithm::automatic, dtype, size);
  };
  for (Determinism level : {Determinism::run_to_run, Determinism::device_to_device}) {
    for (DType t : {float16, bfloat16, float32}) {
      EXPECT_EQ(chosen(level, t, {100, 100, true}), Algorithm::exact);
      EXPECT_EQ(chosen(level, t, {100, 101, true}), Algorithm::sorted);
      EXPECT_EQ(chosen(level, t, {100, 10, false}), Algorithm::sorted);
      EXPECT_EQ(chosen(level, t, {int64_t(1) << 32, 10, true}), Algorithm::sorted);
    }
    EXPECT_EQ(chosen(level, float64, {100, 10, true}), Algorithm::sorted);
    EXPECT_EQ(chosen(level, int32, {100, 10, true}), Algorithm::atomic);
  }
  EXPECT_EQ(chosen(Determinism::not_guaranteed, float32, {100, 10, true}), Algorithm::atomic);
}

TEST(ChooseAccumulate, a_forced_algorithm_must_exist) {
  const AccumulateSize size{100, 10, true};
  for (Algorithm a : {Algorithm::sorted, Algorithm::atomic, Algorithm::exact})
    EXPECT_EQ(choose_accumulate("op", a, float32, size), a);
  for (Algorithm a : {Algorithm::gather, Algorithm::library, Algorithm::direct})
    EXPECT_ORDO_ERROR(choose_accumulate("op", a, float32, size), ValueError, "[op]");
  EXPECT_ORDO_ERROR(choose_accumulate("op", Algorithm::exact, float32, {Algorithm::gather, Algorithm::atomic}),
                    ValueError, "[op]");
}

TEST(ChooseAccumulate, exact_has_its_dtypes_and_sizes) {
  EXPECT_EQ(choose_accumulate("op", Algorithm::exact, bfloat16, {100, 10, true}), Algorithm::exact);
  EXPECT_EQ(choose_accumulate("op", Algorithm::exact, int64, {100, 10, true}), Algorithm::atomic);
  EXPECT_ORDO_ERROR(choose_accumulate("op", Algorithm::exact, float64, {100, 10, true}), ValueError, "float64");
  EXPECT_ORDO_ERROR(choose_accumulate("op", Algorithm::exact, float32, {int64_t(1) << 32, 10, true}), ValueError,
                    "items");
}

TEST(ChooseAccumulate, a_forced_algorithm_must_meet_the_level) {
  const DeterminismGuard guard(Determinism::run_to_run);
  const AccumulateSize size{100, 10, true};
  EXPECT_ORDO_ERROR(choose_accumulate("op", Algorithm::atomic, float32, size), NondeterministicError, "op");
  EXPECT_EQ(choose_accumulate("op", Algorithm::atomic, int32, size), Algorithm::atomic);
}

}  // namespace
}  // namespace ordo::test::accumulate_test

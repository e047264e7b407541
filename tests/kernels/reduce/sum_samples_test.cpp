#include "tests/kernels/ordering/rule1.h"
#include "tests/kernels/reduce/reference.h"
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test::sum_samples_test {
namespace {

Tensor sum_of(const Tensor& t, const Dims& dims, bool keepdim) { return sum(t, dims, keepdim); }
Tensor mean_of(const Tensor& t, const Dims& dims, bool keepdim) { return mean(t, dims, keepdim); }

ORDO_OP_SIZES(sum) { return reduce_sizes(n, sum_of, total); }
ORDO_OP_SAMPLES(sum) {
  auto out = reduce_samples(sum_of, total);
  out.push_back(reduce_sample("integers", test_indices({4, 70}, 1000, 1, int32), {1}, total,
                              [](const Tensor& t) { return sum(t, {-1}); }));
  out.push_back(
      reduce_sample("bool", test_indices({300}, 2).to(boolean), {}, total, [](const Tensor& t) { return t.sum(); }));
  out.push_back(reduce_sample(
      "expanded", test_values({3, 1}), {}, [](const Values& v) { return 4 * total(v); },
      [](const Tensor& t) {
        return sum(t.expand({3, 4}));
      }));
  return out;
}

ORDO_OP_SIZES(mean) { return reduce_sizes(n, mean_of, average); }
ORDO_OP_SAMPLES(mean) { return reduce_samples(mean_of, average, false); }

/// Rule 2 of docs/ordering.md, word for word.
template <class A>
A rule_2(const std::vector<A>& values) {
  std::vector<A> blocks;
  for (size_t begin = 0; begin < values.size(); begin += 4096) {
    const size_t count = std::min<size_t>(4096, values.size() - begin);
    std::vector<A> lanes;
    for (size_t i = 0; i < count; ++i) {
      if (i < 32)
        lanes.push_back(values[begin + i]);
      else
        lanes[i % 32] += values[begin + i];
    }
    for (size_t half = 16; half > 0; half /= 2) {
      for (size_t k = 0; k < half && k + half < lanes.size(); ++k) lanes[k] += lanes[k + half];
      lanes.resize(std::min(lanes.size(), half));
    }
    blocks.push_back(lanes[0]);
  }
  return rule1(blocks);
}

template <class T, class A>
void expect_rule_2(int64_t rows, int64_t length, bool across) {
  const DType dtype = dtype_of<T>;
  const Tensor values = test_mixed_values(across ? Dims{length, rows} : Dims{rows, length}).to(dtype);
  std::vector<uint8_t> want;
  for (int64_t r = 0; r < rows; ++r) {
    const T sum(rule_2(values.select(across ? 1 : 0, r).to_vector<A>()));
    const auto* bytes = reinterpret_cast<const uint8_t*>(&sum);
    want.insert(want.end(), bytes, bytes + sizeof(T));
  }
  for (Device device : test_devices())
    EXPECT_EQ(bytes_of(sum(values.to(device), {across ? 0 : 1})), want)
        << name(dtype) << " " << device.str() << " " << rows << " x " << length << (across ? " across" : " along");
}

TEST(Sum, follows_rule_2_of_the_contract) {
  for (int64_t length : {1, 2, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 4095, 4096, 4097, 4127, 8192, 12289})
    for (bool across : {false, true}) {
      expect_rule_2<float, float>(3, length, across);
      expect_rule_2<double, double>(9, length, across);
    }
  for (int64_t length : {31, 4097}) {
    expect_rule_2<Half, float>(9, length, true);
    expect_rule_2<BFloat16, float>(2, length, false);
  }
}

// More than 64 blocks: two levels of rule 1.
TEST(Sum, folds_many_blocks) { expect_rule_2<float, float>(1, 66 * 4096 + 5, false); }

TEST(Sum, negative_zero_stays) {
  const Tensor t = full({40}, -0.0);
  EXPECT_TRUE(std::signbit(sum(t).item<double>()));
}

TEST(Sum, integers_wrap) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(sum(tensor<int64_t>({most, 1})).item<int64_t>(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(sum(tensor<int64_t>({most, 2, most})).item<int64_t>(), 0);
}

TEST(Sum, of_nothing) {
  for (Device device : test_devices()) {
    EXPECT_EQ(sum(empty({0}, {float32, device})).item<double>(), 0);
    EXPECT_TRUE(std::isnan(mean(empty({0}, {float32, device})).item<double>()));
    EXPECT_EQ(sum(empty({0, 2}, {int64, device}), {0}).to_vector<int64_t>(), (std::vector<int64_t>{0, 0}));
  }
}

TEST(Sum, second_derivative_of_the_mean_of_nothing) {
  const std::pair<const char*, Tensor (*)(const Tensor&)> functions[] = {
      {"mean", [](const Tensor& t) { return mean(t, {0}); }},
      {"var_mean", [](const Tensor& t) { return var_mean(t, {0}).second; }},
      {"std_mean", [](const Tensor& t) { return std_mean(t, {0}).second; }},
      {"mse_loss", [](const Tensor& t) { return mse_loss(t, zeros_like(t)).expand({2}); }}};
  for (const auto& [label, f] : functions) {
    const Tensor x = empty({0, 2}).set_requires_grad(), weights = ones({2}).set_requires_grad();
    const Tensor g = grad({f(x)}, {x}, {weights}, true, true)[0];
    EXPECT_EQ(g.sizes(), x.sizes()) << label;
    const Tensor second = grad({g}, {weights}, {ones_like(g)})[0];
    EXPECT_EQ(second.to_vector<float>(), (std::vector<float>{0, 0})) << label;
  }
}

// Rows of fewer values than a warp has lanes, which share a warp on CUDA: the bytes of the CPU, which follows the rule.
TEST(ShortRows, are_reduced_by_rule_2) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  const DeterminismGuard guard(Determinism::device_to_device);
  for (DType dtype : {float32, float64, bfloat16})
    for (int64_t length = 0; length <= 34; ++length)
      for (int64_t rows : {1, 7, 45}) {
        const ScheduleScope schedule(int(length) % schedule_seeds());
        SCOPED_TRACE(std::string(name(dtype)) + ", " + std::to_string(rows) + " rows of " + std::to_string(length));
        const Tensor x = test_mixed_values({rows, length}, uint64_t(length)).to(dtype);
        const auto reduced = [&](Device d) {
          TensorList all{sum(x.to(d), {1}), mean(x.to(d), {1}), var(x.to(d), {1}), norm(x.to(d), 2, {1}),
                         any(x.to(d), {1})};
          if (length > 0) all.push_back(max(x.to(d), 1).values), all.push_back(argmin(x.to(d), 1));
          return all;
        };
        const TensorList want = reduced(cpu), got = reduced("cuda");
        for (size_t k = 0; k < want.size(); ++k)
          EXPECT_EQ(difference(result_bytes(got[k]), result_bytes(want[k])), "") << "result " << k;
      }
}

}  // namespace
}  // namespace ordo::test::sum_samples_test

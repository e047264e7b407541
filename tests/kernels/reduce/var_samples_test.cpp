#include "tests/kernels/reduce/reference.h"

namespace ordo::test::var_samples_test {
namespace {

double variance(const Values& v, double correction) {
  double mean = 0, squares = 0;
  for (double x : v) mean += x / double(v.size());
  for (double x : v) squares += (x - mean) * (x - mean);
  return squares / std::max(0.0, double(v.size()) - correction);
}

Tensor var_of(const Tensor& t, const Dims& d, bool k) { return var(t, d, 0, k); }
Tensor std_of(const Tensor& t, const Dims& d, bool k) { return ordo::std(t, d, 0, k); }
double biased_variance(const Values& v) { return variance(v, 0); }
double unbiased_variance(const Values& v) { return variance(v, 1); }
double biased_deviation(const Values& v) { return std::sqrt(variance(v, 0)); }
ORDO_OP_SIZES(var) { return reduce_sizes(n, var_of, biased_variance); }
ORDO_OP_SIZES(std) { return reduce_sizes(n, std_of, biased_deviation); }
ORDO_OP_SAMPLES(var) {
  std::vector<Sample> out = reduce_samples(var_of, biased_variance, false);
  out.push_back(
      reduce_sample("unbiased", test_values({3, 6}), {}, unbiased_variance, [](const Tensor& t) { return var(t); }));
  return out;
}

// Both results side by side.
using Both = std::pair<Tensor, Tensor> (*)(const Tensor&, const Dims&, double, bool);
Tensor stacked(Both both, const Tensor& t, const Dims& d) {
  const auto [first, mean] = both(t, d, 0, false);
  return stack({first, mean}, -1);
}
Values variance_and_mean(const Values& v) {
  long double mean = 0;
  for (double x : v) mean += x;
  mean /= double(v.size());
  long double squares = 0;
  for (double x : v) squares += (x - mean) * (x - mean);
  return {double(squares / double(v.size())), double(mean)};
}
Values deviation_and_mean(const Values& v) {
  const Values both = variance_and_mean(v);
  return {std::sqrt(both[0]), both[1]};
}
std::vector<Sample> both_of_size(int64_t n, Both both, Values (*reference)(const Values&)) {
  return {{.label = "rows",
           .inputs = {test_values({3, n})},
           .run = [=](const TensorList& in) { return stacked(both, in[0], {1}); },
           .reference =
               [=](const TensorList& in) {
                 const auto v = in[0].to_vector<double>();
                 Values out;
                 for (int row = 0; row < 3; ++row)
                   for (double x : reference(Values(v.begin() + row * n, v.begin() + (row + 1) * n))) out.push_back(x);
                 return out;
               }}};
}
std::vector<Sample> both_samples(Both both, Values (*reference)(const Values&)) {
  return {both_of_size(7, both, reference)[0],
          {.label = "all",
           .inputs = {test_values({3, 4})},
           .run = [=](const TensorList& in) { return stacked(both, in[0], {}); },
           .reference = [=](const TensorList& in) { return reference(in[0].to_vector<double>()); }},
          {.label = "first only",
           .inputs = {test_values({12})},
           .run = [=](const TensorList& in) { return both(in[0], {0}, 0, true).first; },
           .reference = [=](const TensorList& in) { return Values{reference(in[0].to_vector<double>())[0]}; }},
          {.label = "mean only",
           .inputs = {test_values({12})},
           .run = [=](const TensorList& in) { return both(in[0], {0}, 1, true).second; },
           .reference = [=](const TensorList& in) { return Values{reference(in[0].to_vector<double>())[1]}; }}};
}
ORDO_OP_SIZES(var_mean) { return both_of_size(n, var_mean, variance_and_mean); }
ORDO_OP_SAMPLES(var_mean) { return both_samples(var_mean, variance_and_mean); }
ORDO_OP_SIZES(std_mean) { return both_of_size(n, std_mean, deviation_and_mean); }
ORDO_OP_SAMPLES(std_mean) { return both_samples(std_mean, deviation_and_mean); }

ORDO_OP_SAMPLES(std) {
  const auto reference = [](const Values& v) { return std::sqrt(variance(v, 1)); };
  return {
      reduce_sample("all", test_values({3, 4}), {}, reference, [](const Tensor& t) { return ordo::std(t); }),
      reduce_sample("rows", test_values({3, 6}), {1}, reference,
                    [](const Tensor& t) { return ordo::std(t, {1}, 1, true); }),
      reduce_sample("blocks", test_values({2, 5000}), {1}, reference,
                    [](const Tensor& t) { return ordo::std(t, {1}); }),
  };
}

double p_norm(const Values& v, double p) {
  double s = p < 0 ? HUGE_VAL : 0;
  for (double x : v) {
    if (p == HUGE_VAL)
      s = std::max(s, std::abs(x));
    else if (p == -HUGE_VAL)
      s = std::min(s, std::abs(x));
    else
      s += p == 0 ? x != 0 : std::pow(std::abs(x), p);
  }
  return p == 0 || std::isinf(p) ? s : std::pow(s, 1 / p);
}

Tensor norm_of(const Tensor& t, const Dims& d, bool k) { return norm(t, 2, d, k); }
double two_norm(const Values& v) { return p_norm(v, 2); }
ORDO_OP_SIZES(norm) { return reduce_sizes(n, norm_of, two_norm); }
ORDO_OP_SAMPLES(norm) {
  auto out = reduce_samples(norm_of, two_norm);
  const std::pair<const char*, double> others[] = {{"p = 0", 0},
                                                   {"p = 1", 1},
                                                   {"p = 3", 3},
                                                   {"p = 1.5", 1.5},
                                                   {"p = infinity", HUGE_VAL},
                                                   {"p = -infinity", -HUGE_VAL}};
  for (const auto& [label, p] : others)
    out.push_back(reduce_sample(
        label, test_values({4, 5}), {1}, [p = p](const Values& v) { return p_norm(v, p); },
        [p = p](const Tensor& t) { return norm(t, p, 1); }));
  return out;
}

double sum_of_squares(const Values& v) { return std::inner_product(v.begin(), v.end(), v.begin(), 0.0); }
Tensor squares_of(const Tensor& t, const Dims& d, bool k) { return square_sum(t, d, k); }
ORDO_OP_SIZES(square_sum) { return reduce_sizes(n, squares_of, sum_of_squares); }
ORDO_OP_SAMPLES(square_sum) { return reduce_samples(squares_of, sum_of_squares); }

TEST(SquareSum, corners) {
  for (Device device : test_devices()) {
    EXPECT_EQ(square_sum(empty({0}, {float32, device})).item<double>(), 0);
    EXPECT_EQ(square_sum(ones({4096}, {float16, device})).item<double>(), 4096);  // float16 additions stop at 2048
    EXPECT_EQ(square_sum(full({3}, 1e200, {float64, device})).item<double>(), HUGE_VAL);
  }
}

TEST(Var, corners) {
  for (Device device : test_devices()) {
    EXPECT_TRUE(std::isnan(var(ones({1}, {float32, device})).item<double>()));  // 0 / 0
    EXPECT_TRUE(std::isnan(var(empty({0}, {float32, device}), {}, 0).item<double>()));
    EXPECT_EQ(var(full({5}, 3.0, {float16, device})).item<double>(), 0);
  }
}

TEST(Norm, corners) {
  EXPECT_EQ(norm(empty({0})).item<double>(), 0);
  EXPECT_ORDO_ERROR(norm(empty({0}), -1), ValueError, "norm");
  EXPECT_ORDO_ERROR(norm(ones({2}), std::numeric_limits<double>::quiet_NaN()), ValueError, "norm");
}

}  // namespace
}  // namespace ordo::test::var_samples_test

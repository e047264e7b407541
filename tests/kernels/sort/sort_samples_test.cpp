#include <numeric>

#include "tests/kernels/scan/lines.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::sort_samples_test {
namespace {

Line order_of(const Line& x, bool descending) {
  std::vector<int64_t> order(x.size());
  std::iota(order.begin(), order.end(), int64_t(0));
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return descending ? x[size_t(a)] > x[size_t(b)] : x[size_t(a)] < x[size_t(b)];
  });
  return Line(order.begin(), order.end());
}
Line sorted(Line x) {
  std::sort(x.begin(), x.end());
  return x;
}
Line ascending_order(const Line& x) { return order_of(x, false); }
Line descending_order(const Line& x) { return order_of(x, true); }
Line descending(Line x) {
  std::sort(x.rbegin(), x.rend());
  return x;
}

Tensor values_of(const Tensor& t, int64_t d) { return sort(t, d).values; }
Tensor descending_values(const Tensor& t, int64_t d) { return sort(t, d, true).values; }
Tensor indices_of(const Tensor& t, int64_t d) { return sort(t, d).indices; }
Tensor order(const Tensor& t, int64_t d) { return argsort(t, d); }
Tensor order_down(const Tensor& t, int64_t d) { return argsort(t, d, true); }

ORDO_OP_SAMPLES(sort) {
  return {line_sample("0-d", test_values({}), 0, values_of, sorted),
          line_sample("rows", test_values({3, 10}), 1, values_of, sorted),
          line_sample("columns", test_values({6, 4}), 0, descending_values, descending),
          line_sample("middle", test_values({2, 5, 3}), 1, values_of, sorted),
          line_sample("empty", test_values({0, 4}), 0, values_of, sorted),
          line_sample("no rows", test_values({0, 4}), 1, values_of, sorted),
          line_sample("ties", test_indices({3, 300}, 9).to(float64), 1, indices_of, ascending_order),
          line_sample("one line", test_values({70000}), 0, values_of, sorted),
          line_sample("integers", test_indices({500, 3}, 300), 0, indices_of, ascending_order),
          line_sample("bool", test_indices({3, 40}, 2).to(boolean), 1, indices_of, ascending_order)};
}
ORDO_OP_SIZES(sort) {
  return {line_sample("along", test_values({2, n}), 1, values_of, sorted),
          line_sample("across", test_values({n, 3}), 0, descending_values, descending),
          line_sample("rows", test_values({n, 5}), 1, values_of, sorted),
          line_sample("ties", test_indices({2, n}, 7).to(float64), 1, indices_of, ascending_order)};
}
ORDO_OP_SAMPLES(argsort) {
  return {line_sample("rows", test_values({3, 10}), 1, order, ascending_order),
          line_sample("ties down", test_indices({300, 3}, 5).to(float64), 0, order_down, descending_order),
          line_sample("uint8", test_indices({4, 90}, 200, 1, uint8), 1, order_down, descending_order)};
}
ORDO_OP_SIZES(argsort) {
  return {line_sample("along", test_values({2, n}), 1, order, ascending_order),
          line_sample("ties down", test_indices({n, 3}, 5), 0, order_down, descending_order)};
}

Line first(Line x, int64_t k) {
  x.resize(size_t(k));
  return x;
}
std::vector<Sample> top_samples(int64_t n, int64_t k) {
  const auto largest = [k](const Tensor& t, int64_t d) { return topk(t, k, d).values; };
  const auto least = [k](const Tensor& t, int64_t d) { return topk(t, k, d, false).indices; };
  std::vector<Sample> both{
      line_sample("largest", test_values({2, n}), 1, largest, [k](const Line& x) { return first(descending(x), k); }),
      line_sample("least, ties", test_indices({n, 3}, 7).to(float64), 0, least,
                  [k](const Line& x) { return first(ascending_order(x), k); })};
  both[0].gradient = both[0].gradient && k > 0;
  both[1].gradient = false;
  return both;
}
ORDO_OP_SAMPLES(topk) {
  std::vector<Sample> all;
  for (auto [n, k] : {std::pair<int64_t, int64_t>{10, 3}, {5, 0}, {5, 5}, {900, 4}, {900, 100}, {9000, 2}})
    for (Sample& s : top_samples(n, k)) {
      s.label += " " + std::to_string(k) + " of " + std::to_string(n);
      all.push_back(std::move(s));
    }
  return all;
}
ORDO_OP_SIZES(topk) { return top_samples(n, std::min<int64_t>(n, 3)); }

std::vector<Sample> place_samples(int64_t n, int64_t k) {
  const auto value = [k](const Tensor& t, int64_t d) { return kthvalue(t, k, d, true).values; };
  const auto index = [k](const Tensor& t, int64_t d) { return kthvalue(t, k, d, true).indices; };
  std::vector<Sample> both{line_sample("value", test_values({2, n}), 1, value,
                                       [k](const Line& x) { return Line{sorted(x)[size_t(k - 1)]}; }),
                           line_sample("index, ties", test_indices({n, 3}, 7).to(float64), 0, index,
                                       [k](const Line& x) { return Line{ascending_order(x)[size_t(k - 1)]}; })};
  both[1].gradient = false;
  return both;
}
ORDO_OP_SAMPLES(kthvalue) {
  std::vector<Sample> all = place_samples(9, 4);
  for (Sample& s : place_samples(700, 700)) all.push_back(std::move(s));
  return all;
}
ORDO_OP_SIZES(kthvalue) { return place_samples(n, (n + 2) / 3); }

Line middle(const Line& x) { return {sorted(x)[(x.size() - 1) / 2]}; }
Line middle_place(const Line& x) { return {ascending_order(x)[(x.size() - 1) / 2]}; }
Tensor median_values(const Tensor& t, int64_t d) { return median(t, d, true).values; }
Tensor median_indices(const Tensor& t, int64_t d) { return median(t, d, true).indices; }
Tensor nanmedian_values(const Tensor& t, int64_t d) { return nanmedian(t, d, true).values; }
Tensor median_all(const Tensor& t, int64_t) { return median(t); }

ORDO_OP_SAMPLES(median) {
  return {line_sample("rows", test_values({3, 10}), 1, median_values, middle),
          line_sample("columns", test_values({7, 4}), 0, median_values, middle),
          line_sample("0-d", test_values({}), 0, median_values, middle),
          line_sample("all", test_values({31}), 0, median_all, middle),
          line_sample("ties", test_indices({3, 500}, 30).to(float64), 1, median_indices, middle_place),
          line_sample("integers", test_indices({3, 20}, 30), 1, median_values, middle)};
}
ORDO_OP_SIZES(median) {
  return {line_sample("along", test_values({2, n}), 1, median_values, middle),
          line_sample("across", test_indices({n, 3}, 9), 0, median_indices, middle_place)};
}
ORDO_OP_SAMPLES(nanmedian) {
  return {line_sample("rows", test_values({3, 10}), 1, nanmedian_values, middle),
          line_sample("across", test_values({70, 4}), 0, nanmedian_values, middle)};
}
ORDO_OP_SIZES(nanmedian) { return {line_sample("along", test_values({2, n}), 1, nanmedian_values, middle)}; }

Line commonest(const Line& x) {
  Line best;
  int64_t most = 0;
  for (double v : sorted(x)) {
    const int64_t count = std::count(x.begin(), x.end(), v);
    if (count > most) most = count, best = {v};
  }
  return best;
}
Line last_commonest(const Line& x) {
  const double v = commonest(x)[0];
  return {double(x.rend() - std::find(x.rbegin(), x.rend(), v) - 1)};
}
Tensor mode_values(const Tensor& t, int64_t d) { return mode(t, d, true).values; }
Tensor mode_indices(const Tensor& t, int64_t d) { return mode(t, d, true).indices; }

ORDO_OP_SAMPLES(mode) {
  return {line_sample("distinct", test_values({3, 6}), 1, mode_values, commonest),
          line_sample("columns", test_indices({60, 4}, 5).to(float64), 0, mode_values, commonest),
          line_sample("places", test_indices({3, 400}, 30), 1, mode_indices, last_commonest)};
}
ORDO_OP_SIZES(mode) {
  return {line_sample("along", test_indices({2, n}, 9), 1, mode_indices, last_commonest),
          line_sample("rows", test_indices({n, 3}, 3).to(float64), 1, mode_values, commonest)};
}

ORDO_OP_INTEGER(sort, "dim", sort(some(d), v).values);
ORDO_OP_INTEGER(argsort, "dim", argsort(some(d), v));
ORDO_OP_INTEGER(median, "dim", median(some(d), v).values);
ORDO_OP_INTEGER(nanmedian, "dim", nanmedian(some(d), v).values);
ORDO_OP_INTEGER(mode, "dim", mode(some(d), v).values);
ORDO_OP_INTEGER(topk, "k", topk(some(d), v).values);
ORDO_OP_INTEGER(topk, "dim", topk(some(d), 1, v).values);
ORDO_OP_INTEGER(kthvalue, "k", kthvalue(some(d), v).values);
ORDO_OP_INTEGER(kthvalue, "dim", kthvalue(some(d), 1, v).values);

TEST(Sort, nan_is_greatest_and_zeros_are_equal) {
  for (Device device : test_devices())
    for (DType dtype : {float16, bfloat16, float32, float64}) {
      const Tensor t = tensor<double>({0.0, -NAN, INFINITY, -0.0, NAN, -INFINITY, 0.0, -1}).to(dtype).to(device);
      const MaxResult up = sort(t), down = sort(t, 0, true);
      EXPECT_EQ(up.indices.to_vector<int64_t>(), (std::vector<int64_t>{5, 7, 0, 3, 6, 2, 1, 4})) << name(dtype);
      EXPECT_EQ(down.indices.to_vector<int64_t>(), (std::vector<int64_t>{1, 4, 2, 0, 3, 6, 7, 5})) << name(dtype);
      EXPECT_TRUE(std::signbit(up.values.to_vector<double>()[3]));
      EXPECT_EQ(topk(t, 3).indices.to_vector<int64_t>(), (std::vector<int64_t>{1, 4, 2}));
      EXPECT_EQ(median(t, 0).indices.item<int64_t>(), 1);
      EXPECT_TRUE(std::isnan(median(t).item<double>()));
      EXPECT_EQ(nanmedian(t, 0).indices.item<int64_t>(), 0);
      EXPECT_EQ(nanmedian(t).item<double>(), 0);
      EXPECT_EQ(mode(t).indices.item<int64_t>(), 6);
      EXPECT_EQ(mode(tensor<double>({NAN, NAN, 1}).to(dtype).to(device)).values.item<double>(), 1);
    }
}

TEST(Sort, extreme_integers) {
  const int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  for (Device device : test_devices()) {
    const Tensor t = tensor<int64_t>({most, 0, least, -1, 1, least}).to(device);
    EXPECT_EQ(sort(t).indices.to_vector<int64_t>(), (std::vector<int64_t>{2, 5, 3, 1, 4, 0}));
    const Tensor many = test_indices({3, 1000}, 1000).to(device) - 500;
    for (DType dtype : {int32, int64})
      EXPECT_EQ(sort(many.to(dtype), 1).indices.to_vector<int64_t>(),
                sort(many.to(float64), 1).indices.to_vector<int64_t>());
  }
}

/// No line is sorted for them. Lengths are those at which CUDA changes from a warp to a block, and to several rounds.
/// Few different values: places decide, among all or among those that the last round left.
TEST(Sort, the_first_few_of_many_are_those_of_a_sort) {
  for (Device device : test_devices())
    for (DType dtype : {float32, int64})
      for (int64_t length : {1, 31, 64, 255, 256, 257, 2048, 2049, 5000, 70000})
        for (int64_t values : {int64_t(1), int64_t(7), length}) {
          const int64_t lines = length > 5000 ? 1 : 5;
          const Tensor t = (test_indices({lines, length}, values) - values / 2).to(dtype).to(device);
          const Tensor order = argsort(t.to(cpu), 1, true);
          for (int64_t k : {1, 20, 64, 256}) {
            if (k > length) continue;
            EXPECT_EQ(bytes_of(topk(t, k).indices), bytes_of(order.narrow(1, 0, k).contiguous()))
                << k << " of " << length << " with " << values << " values";
          }
          const int64_t k = std::min<int64_t>(length, 9);
          EXPECT_EQ(bytes_of(kthvalue(-t, k).indices), bytes_of(order.select(1, k - 1).contiguous())) << length;
        }
}

TEST(Sort, gradients_go_where_values_were) {
  for (Device device : test_devices()) {
    const Tensor t = tensor<float>({3, 1, 3, 2}).to(device).set_requires_grad();
    sort(t, 0, true).values.backward(tensor<float>({1, 10, 100, 1000}).to(device));
    EXPECT_EQ(t.grad().to_vector<float>(), (std::vector<float>{1, 1000, 10, 100}));
    const Tensor u = tensor<float>({3, 1, 3, 3}).to(device).set_requires_grad();
    median(u).backward();
    EXPECT_EQ(u.grad().to_vector<double>()[0], double(1.0f / 3));
    const Tensor m = tensor<float>({3, 1, 3, 2}).to(device).set_requires_grad();
    mode(m).values.backward();
    EXPECT_EQ(m.grad().to_vector<float>(), (std::vector<float>{0, 0, 1, 0}));
  }
}

TEST(Sort, shapes_and_bad_input) {
  const Tensor t = test_values({2, 3, 4});
  EXPECT_EQ(kthvalue(t, 2, 1).values.sizes(), Dims({2, 4}));
  EXPECT_EQ(kthvalue(t, 2, 1, true).indices.sizes(), Dims({2, 1, 4}));
  EXPECT_EQ(topk(t, 2, 0).values.sizes(), Dims({2, 3, 4}));
  EXPECT_EQ(median(ones({0, 3}), 1).values.sizes(), Dims({0}));
  EXPECT_TRUE(std::isnan(median(ones({0})).item<double>()));
  EXPECT_ORDO_ERROR(median(ones({0}, int64)), ValueError, "median");
  EXPECT_ORDO_ERROR(median(ones({3, 0}), 1), ValueError, "median");
  EXPECT_ORDO_ERROR(mode(ones({0})), ValueError, "mode");
}

Line quantile_of(Line x, double q) {
  std::sort(x.begin(), x.end());
  const double place = q * double(x.size() - 1);
  const size_t below = size_t(place), above = std::min(below + 1, x.size() - 1);
  return {x[below] + (place - double(below)) * (x[above] - x[below])};
}
template <bool kIgnore>
Sample sample_of(const char* label, const Dims& sizes, int dim, double q) {
  // The place q (n - 1) is rounded to the dtype, and so is the weight that is left of it.
  return line_sample(
      label, test_values(sizes), dim,
      [q](const Tensor& t, int64_t d) { return kIgnore ? nanquantile(t, q, d, true) : quantile(t, q, d, true); },
      [q](const Line& x) { return quantile_of(x, q); }, 8 + double(sizes.product()));
}
ORDO_OP_SAMPLES(quantile) {
  return {sample_of<false>("rows", {3, 10}, 1, 0.3), sample_of<false>("columns", {7, 4}, 0, 0.5),
          sample_of<false>("0-d", {}, 0, 0.7), sample_of<false>("middle", {2, 5, 3}, 1, 1),
          sample_of<false>("least", {2, 50}, 1, 0)};
}
ORDO_OP_SAMPLES(nanquantile) {
  return {sample_of<true>("rows", {3, 10}, 1, 0.3), sample_of<true>("columns", {7, 4}, 0, 0.55)};
}
ORDO_OP_SIZES(quantile) {
  return {sample_of<false>("along", {2, n}, 1, 0.25), sample_of<false>("across", {n, 3}, 0, 0.75)};
}
ORDO_OP_SIZES(nanquantile) { return {sample_of<true>("along", {2, n}, 1, 0.25)}; }
ORDO_OP_INTEGER(quantile, "dim", quantile(some(d), 0.5, v));
ORDO_OP_INTEGER(nanquantile, "dim", nanquantile(some(d), 0.5, v));

TEST(Quantile, interpolations_and_shapes) {
  for (Device device : test_devices()) {
    const Tensor t = tensor<double>({4, 1, 3, 2}).to(device), q = tensor<double>({0, 0.5, 0.9, 1});
    const auto values = [&](Interpolation i) { return quantile(t, q, 0, false, i).to_vector<double>(); };
    const auto linear = values(Interpolation::linear);
    EXPECT_EQ(linear[1], 2.5);
    EXPECT_NEAR(linear[2], 3.7, 1e-14);
    EXPECT_EQ(values(Interpolation::lower), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(values(Interpolation::higher), (std::vector<double>{1, 3, 4, 4}));
    EXPECT_EQ(values(Interpolation::midpoint), (std::vector<double>{1, 2.5, 3.5, 4}));
    EXPECT_EQ(values(Interpolation::nearest), (std::vector<double>{1, 3, 4, 4}));
    const Tensor x = test_values({2, 3, 4}).to(device);
    EXPECT_EQ(quantile(x, q, 1).sizes(), Dims({4, 2, 4}));
    EXPECT_EQ(quantile(x, q, 1, true).sizes(), Dims({4, 2, 1, 4}));
    EXPECT_EQ(quantile(x, 0.5).sizes(), Dims());
    EXPECT_EQ(quantile(x, q, {}, true).sizes(), Dims({4, 1, 1, 1}));
  }
}

TEST(Quantile, nan_and_bad_input) {
  for (Device device : test_devices()) {
    const Tensor t = tensor<double>({1, NAN, 3, 2, 4, 5, NAN, NAN, NAN}).view({3, 3}).to(device);
    const auto all = quantile(t, 0.5, 1).to_vector<double>();
    EXPECT_TRUE(std::isnan(all[0]) && all[1] == 4 && std::isnan(all[2]));
    const auto some = nanquantile(t, 0.5, 1).to_vector<double>();
    EXPECT_TRUE(some[0] == 2 && some[1] == 4 && std::isnan(some[2]));
  }
  EXPECT_ORDO_ERROR(quantile(ones({2}), 1.5), ValueError, "quantile");
  EXPECT_ORDO_ERROR(quantile(ones({2}), NAN), ValueError, "quantile");
  EXPECT_ORDO_ERROR(quantile(ones({2}), ones({1, 1})), ShapeError, "quantile");
  EXPECT_ORDO_ERROR(quantile(ones({0}), 0.5), ValueError, "quantile");
}

}  // namespace
}  // namespace ordo::test::sort_samples_test

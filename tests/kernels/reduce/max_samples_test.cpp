#include "tests/kernels/reduce/reference.h"

namespace ordo::test::max_samples_test {
namespace {

double largest(const Values& v) { return *std::max_element(v.begin(), v.end()); }
double smallest(const Values& v) { return *std::min_element(v.begin(), v.end()); }
double first_largest(const Values& v) { return double(std::max_element(v.begin(), v.end()) - v.begin()); }
double first_smallest(const Values& v) { return double(std::min_element(v.begin(), v.end()) - v.begin()); }

std::vector<Sample> exact(std::vector<Sample> samples) {
  for (Sample& s : samples) s.tolerance = 0;
  return samples;
}

Tensor amax_of(const Tensor& t, const Dims& d, bool k) { return amax(t, d, k); }
Tensor amin_of(const Tensor& t, const Dims& d, bool k) { return amin(t, d, k); }

ORDO_OP_SAMPLES(amax) { return exact(reduce_samples(amax_of, largest, false)); }
ORDO_OP_SAMPLES(amin) { return exact(reduce_samples(amin_of, smallest, false)); }
ORDO_OP_SIZES(amax) { return exact(reduce_sizes(n, amax_of, largest)); }
ORDO_OP_SIZES(amin) { return exact(reduce_sizes(n, amin_of, smallest)); }

/// `dim` is none for all elements.
using Run = Tensor (*)(const Tensor&, std::optional<int64_t> dim);
Tensor max_of(const Tensor& t, std::optional<int64_t> d) { return d ? max(t, *d).values : max(t); }
Tensor min_of(const Tensor& t, std::optional<int64_t> d) { return d ? min(t, *d).values : min(t); }
Tensor argmax_of(const Tensor& t, std::optional<int64_t> d) { return argmax(t, d); }
Tensor argmin_of(const Tensor& t, std::optional<int64_t> d) { return argmin(t, d); }
Sample along(const char* label, const Tensor& input, std::optional<int64_t> dim, double (*f)(const Values&), Run run) {
  return reduce_sample(label, input, dim ? Dims{*dim} : Dims{}, f, [=](const Tensor& t) { return run(t, dim); });
}

/// Over all of n elements, along and across memory; n ties of 4 values.
std::vector<Sample> one_dim_sizes(int64_t n, double (*f)(const Values&), Run run) {
  return exact({along("all", test_values({n}), {}, f, run), along("along", test_values({2, n}), 1, f, run),
                along("across", test_values({n, 3}), 0, f, run), along("rows", test_values({n, 5}), 1, f, run),
                along("columns", test_values({3, n}), 0, f, run),
                along("ties", test_indices({2, n, 3}, 4).to(float64), 1, f, run),
                along("integers", test_indices({n}, 2), {}, f, run)});
}
ORDO_OP_SIZES(max) { return one_dim_sizes(n, largest, max_of); }
ORDO_OP_SIZES(min) { return one_dim_sizes(n, smallest, min_of); }
ORDO_OP_SIZES(argmax) { return one_dim_sizes(n, first_largest, argmax_of); }
ORDO_OP_SIZES(argmin) { return one_dim_sizes(n, first_smallest, argmin_of); }

ORDO_OP_SAMPLES(max) {
  const auto kept = [](const Tensor& t) { return max(t, -1, true).values; };
  const auto of_number = [](const Tensor& t) { return max(t, 0).values; };
  return exact({along("all", test_values({3, 4}), {}, largest, max_of),
                along("first", test_values({5, 3}), 0, largest, max_of),
                reduce_sample("last, keepdim", test_values({3, 5}), {1}, largest, kept),
                reduce_sample("0-d", test_values({}), {}, largest, of_number),
                along("blocks", test_values({2, 5000}), 1, largest, max_of),
                along("across", test_values({70, 40}), 0, largest, max_of),
                along("integers", test_indices({4, 9}, 50), 1, largest, max_of)});
}
ORDO_OP_SAMPLES(min) {
  return exact({along("all", test_values({3, 4}), {}, smallest, min_of),
                along("first", test_values({5, 3}), 0, smallest, min_of),
                along("blocks", test_values({2, 5000}), 1, smallest, min_of),
                along("uint8", test_indices({4, 9}, 50, 1, uint8), {}, smallest, min_of)});
}
ORDO_OP_SAMPLES(argmax) {
  return exact({along("all", test_values({3, 4}), {}, first_largest, argmax_of),
                along("last", test_values({7, 10}), 1, first_largest, argmax_of),
                along("ties", test_indices({3, 200}, 4), 1, first_largest, argmax_of),
                along("ties across", test_indices({200, 40}, 4), 0, first_largest, argmax_of),
                along("ties in blocks", test_indices({9000}, 5), {}, first_largest, argmax_of),
                along("bool", test_indices({40}, 2).to(boolean), {}, first_largest, argmax_of)});
}
ORDO_OP_SAMPLES(argmin) {
  const auto kept = [](const Tensor& t) { return argmin(t, 1, true); };
  return exact({along("all", test_values({3, 4}), {}, first_smallest, argmin_of),
                reduce_sample("ties", test_indices({3, 200}, 4), {1}, first_smallest, kept)});
}

double any_of(const Values& v) {
  return std::any_of(v.begin(), v.end(), [](double x) { return x != 0; });
}
double all_of(const Values& v) {
  return std::all_of(v.begin(), v.end(), [](double x) { return x != 0; });
}

Tensor any_along(const Tensor& t, const Dims& d) { return any(t, d); }
Tensor all_along(const Tensor& t, const Dims& d) { return all(t, d); }
Sample truth_sample(const char* label, const Tensor& input, const Dims& dims, double (*f)(const Values&),
                    Tensor (*run)(const Tensor&, const Dims&)) {
  return reduce_sample(label, input, dims, f, [=](const Tensor& t) { return run(t, dims); });
}

/// Nearly all false for `any`, nearly all true for `all`: one element of the last row decides.
std::vector<Sample> truth_sizes(int64_t n, double (*f)(const Values&), bool mostly,
                                Tensor (*run)(const Tensor&, const Dims&)) {
  const auto sample = [=](const char* label, const Dims& sizes, const Dims& dims) {
    std::vector<double> values(size_t(sizes.product()), mostly);
    values.back() = !mostly;
    return truth_sample(label, from_vector(values, sizes), dims, f, run);
  };
  return exact({sample("all", {n}, {}), sample("along", {2, n}, {1}), sample("across", {n, 3}, {0}),
                sample("rows", {n, 5}, {1}), sample("columns", {3, n}, {0}), sample("middle", {2, n, 3}, {1})});
}
ORDO_OP_SIZES(any) { return truth_sizes(n, any_of, false, any_along); }
ORDO_OP_SIZES(all) { return truth_sizes(n, all_of, true, all_along); }

ORDO_OP_SAMPLES(any) {
  return exact({truth_sample("rows", test_indices({6, 3}, 2).to(boolean), {1}, any_of, any_along),
                truth_sample("floating", test_indices({6, 3}, 2).to(float64), {0}, any_of, any_along),
                truth_sample("of nothing", test_values({0}), {}, any_of, any_along),
                truth_sample("many", test_indices({3, 6000}, 7000), {1}, any_of, any_along)});
}
ORDO_OP_SAMPLES(all) {
  const auto kept = [](const Tensor& t) { return all(t, 1, true); };
  return exact({truth_sample("rows", test_indices({6, 3}, 4).to(boolean), {1}, all_of, all_along),
                truth_sample("of nothing", test_values({0}), {}, all_of, all_along),
                reduce_sample("many", test_indices({3, 6000}, 7000), {1}, all_of, kept)});
}

TEST(Max, indices_and_nan) {
  for (Device device : test_devices()) {
    const Tensor t = from_vector<float>({1, 5, 5, 2, NAN, 7, NAN, 0}, {2, 4}).to(device);
    const MaxResult r = max(t, 1);
    EXPECT_EQ(r.indices.to_vector<int64_t>(), (std::vector<int64_t>{1, 0}));
    EXPECT_EQ(r.indices.dtype(), int64);
    EXPECT_EQ(r.values.to_vector<float>()[0], 5);
    EXPECT_TRUE(std::isnan(r.values.to_vector<float>()[1]));
    EXPECT_TRUE(std::isnan(max(t).item<double>()));
    EXPECT_TRUE(std::isnan(min(t).item<double>()));
    EXPECT_EQ(argmin(t).item<int64_t>(), 4);
    EXPECT_TRUE(any(t, {1}).to_vector<bool>()[1]);
  }
}

// One functor per width of an element tests its bits: a sign alone is no number other than zero.
TEST(Any, zeros_of_both_signs_are_false_and_everything_else_is_true) {
  for (Device device : test_devices()) {
    for (DType dtype : {float16, bfloat16, float32, float64}) {
      const Tensor t = from_vector<double>({0, -0.0, 0, -0.0, 0, NAN, -1, -0.0}, {2, 4}).to(dtype).to(device);
      EXPECT_EQ(any(t, {1}).to_vector<bool>(), (std::vector<bool>{false, true})) << name(dtype);
      EXPECT_EQ(all(t, {0}).to_vector<bool>(), (std::vector<bool>{false, false, false, false})) << name(dtype);
      EXPECT_EQ(all(t.slice(0, 1, 2), {0}).to_vector<bool>(), (std::vector<bool>{false, true, true, false}));
    }
    for (DType dtype : {uint8, int32, int64}) {  // the highest bit is a value's, too
      const Tensor t = from_vector<int64_t>({0, 0, 0, 128}, {2, 2}).to(dtype).to(device);
      EXPECT_EQ(any(t, {1}).to_vector<bool>(), (std::vector<bool>{false, true})) << name(dtype);
    }
    const int32_t highest_bit = std::numeric_limits<int32_t>::min();
    const Tensor least = from_vector<int32_t>({highest_bit, highest_bit}, {2}).to(device);
    EXPECT_TRUE(all(least).item<bool>());
  }
}

// Signed zeros are equal: the first one counts, and is what comes back, on every device and along every path.
TEST(Max, first_of_equal_zeros) {
  std::vector<float> v(5000, -1.0f);
  v[70] = -0.0f;
  v[4100] = 0.0f;
  for (Device device : test_devices())
    for (int64_t length : {100, 5000}) {
      const Tensor t = from_vector<float>(v, {5000}).slice(0, 0, length).to(device);
      const MaxResult r = max(t, 0);
      EXPECT_EQ(r.indices.item<int64_t>(), 70);
      EXPECT_TRUE(std::signbit(r.values.item<double>()));
    }
}

TEST(Max, bad_input) {
  const Tensor none = empty({0, 3});
  EXPECT_ORDO_ERROR(max(none), ValueError, "[max]");
  EXPECT_ORDO_ERROR(max(none, 0), ValueError, "max");
  EXPECT_EQ(max(none, 1).values.numel(), 0);
  EXPECT_ORDO_ERROR(argmax(none), ValueError, "argmax");
  EXPECT_ORDO_ERROR(argmin(none, 0), ValueError, "argmin");
}

}  // namespace
}  // namespace ordo::test::max_samples_test

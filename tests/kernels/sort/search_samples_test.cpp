#include <set>

#include "tests/kernels/scan/lines.h"
#include "tests/support/integer_arguments.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::search_samples_test {
namespace {

/// Places of `in[1]` in the sorted `in[0]`.
std::vector<double> places(const TensorList& in, bool right) {
  const auto edges = in[0].to_vector<double>(), x = in[1].to_vector<double>();
  const size_t length = size_t(in[0].size(-1)), per_line = in[0].dim() == 1 ? x.size() : size_t(in[1].size(-1));
  std::vector<double> out;
  for (size_t i = 0; i < x.size(); ++i) {
    const double* line = edges.data() + i / per_line * length;
    out.push_back(double(
        (right ? std::upper_bound(line, line + length, x[i]) : std::lower_bound(line, line + length, x[i])) - line));
  }
  return out;
}
Sample search_sample(const char* label, const Dims& lines, const Dims& sizes, bool right, int64_t kinds = 0) {
  const Tensor edges = sort(kinds ? test_indices(lines, kinds).to(float64) : test_values(lines)).values;
  const Tensor values = kinds ? test_indices(sizes, kinds, 1).to(float64) : test_values(sizes, 1);
  return {.label = label,
          .inputs = {edges, values},
          .run = [right](const TensorList& in) { return searchsorted(in[0], in[1], false, right); },
          .reference = [right](const TensorList& in) { return places(in, right); },
          .gradient = false,
          .tolerance = 0};
}
Sample bucket_sample(const char* label, int64_t edges, const Dims& sizes, bool right) {
  Sample s = search_sample(label, {edges}, sizes, right);
  s.run = [right](const TensorList& in) { return bucketize(in[1], in[0], false, right); };
  return s;
}
ORDO_OP_SAMPLES(searchsorted) {
  return {search_sample("one line", {7}, {3, 5}, false), search_sample("lines", {3, 9}, {3, 4}, true),
          search_sample("ties", {40}, {50}, false, 5),   search_sample("ties, right", {40}, {50}, true, 5),
          search_sample("0-d", {5}, {}, false),          search_sample("empty", {0}, {4}, false)};
}
ORDO_OP_SAMPLES(bucketize) { return {bucket_sample("left", 9, {4, 5}, false), bucket_sample("right", 1, {6}, true)}; }
ORDO_OP_SIZES(searchsorted) {
  return {search_sample("values", {10}, {n}, false), search_sample("line", {n}, {20}, true),
          search_sample("lines", {n, 3}, {n, 2}, false)};
}
ORDO_OP_SIZES(bucketize) { return {bucket_sample("values", 10, {n}, false)}; }

Sample histc_sample(const char* label, const Dims& sizes, int64_t bins, double least, double greatest) {
  return {.label = label,
          .inputs = {test_indices(sizes, 16).to(float64)},  // no quotient is rounded where bins are a power of two
          .run = [=](const TensorList& in) { return histc(in[0], bins, least, greatest); },
          .reference =
              [=](const TensorList& in) {
                std::vector<double> out(size_t(bins), 0.0);
                for (double v : in[0].to_vector<double>())
                  if (v >= least && v <= greatest)
                    ++out[size_t(std::min(double(bins - 1), (v - least) / (greatest - least) * double(bins)))];
                return out;
              },
          .gradient = false,
          .tolerance = 1};
}
ORDO_OP_SAMPLES(histc) {
  return {histc_sample("few", {50}, 4, 0, 16), histc_sample("part", {5, 30}, 8, 2, 10),
          histc_sample("none", {0}, 3, 0, 1)};
}
ORDO_OP_SIZES(histc) { return {histc_sample("values", {n}, 8, 0, 16), histc_sample("bins", {40}, 2 * n, 0, 16)}; }
ORDO_OP_INTEGER(histc, "bins", histc(some(d), v));

/// Values in the middle of bins of width 1, some of them outside; some at the last edge, where no gradient is checked.
Sample histogram_sample(const char* label, int64_t n, int64_t bins, bool weighted, bool gradient = true) {
  const Tensor places = test_indices({n}, bins + 2).to(float64);
  TensorList inputs = {gradient ? places + 0.5 : where(eq(places, bins), places, places + 0.5)};
  if (weighted) inputs.push_back(test_values({n}, 3));
  return {.label = label,
          .inputs = inputs,
          .run =
              [=](const TensorList& in) {
                const Tensor edges = arange(0, bins + 1, 1, {float64, in[0].device()}).to(in[0].dtype());
                return histogram(in[0], edges, weighted ? in[1] : Tensor()).hist;
              },
          .reference =
              [=](const TensorList& in) {
                const auto x = in[0].to_vector<double>(),
                           w = weighted ? in[1].to_vector<double>() : std::vector<double>(x.size(), 1.0);
                std::vector<double> out(size_t(bins), 0.0);
                for (size_t i = 0; i < x.size(); ++i)
                  if (x[i] <= double(bins)) out[std::min(size_t(bins - 1), size_t(x[i]))] += w[i];
                return out;
              },
          .gradient = gradient};
}
ORDO_OP_SAMPLES(histogram) {
  return {histogram_sample("counts", 40, 4, false, false), histogram_sample("weights", 30, 5, true),
          histogram_sample("no values", 0, 3, true), histogram_sample("many", 900, 40, true, false)};
}
ORDO_OP_SIZES(histogram) { return {histogram_sample("values", n, 8, true, false)}; }
ORDO_OP_INTEGER(histogram, "bins", histogram(some(d), v).hist);

Line distinct(const Line& x) {
  const std::set<double> all(x.begin(), x.end());
  return Line(all.begin(), all.end());
}
Line runs(Line x) {
  x.erase(std::unique(x.begin(), x.end()), x.end());
  return x;
}
Tensor unique_values(const Tensor& t, int64_t) { return unique(t).output; }
Tensor first_of_runs(const Tensor& t, int64_t) { return unique_consecutive(t).output; }
std::vector<Sample> without_gradient(std::vector<Sample> all) {
  for (Sample& s : all) s.gradient = false;
  return all;
}
ORDO_OP_SAMPLES(unique) {
  const auto columns = [](const Tensor& t, int64_t) {
    return unique(t.view({-1, 1}), false, false, 0).output.view({-1});
  };
  return without_gradient({line_sample("few", test_indices({50}, 7).to(float64), 0, unique_values, distinct),
                           line_sample("slices", test_indices({50}, 7).to(float64), 0, columns, distinct),
                           line_sample("distinct", test_values({9}), 0, unique_values, distinct),
                           line_sample("none", test_values({0}), 0, unique_values, distinct),
                           line_sample("integers", test_indices({900}, 300), 0, unique_values, distinct)});
}
ORDO_OP_SAMPLES(unique_consecutive) {
  return without_gradient({line_sample("few", test_indices({50}, 2).to(float64), 0, first_of_runs, runs),
                           line_sample("integers", test_indices({900}, 3), 0, first_of_runs, runs)});
}
ORDO_OP_SIZES(unique) {
  return without_gradient({line_sample("values", test_indices({n}, 30).to(float64), 0, unique_values, distinct)});
}
ORDO_OP_SIZES(unique_consecutive) {
  return without_gradient({line_sample("values", test_indices({n}, 2).to(float64), 0, first_of_runs, runs)});
}
ORDO_OP_INTEGER(unique, "dim", unique(some(d), false, false, v).output);
ORDO_OP_INTEGER(unique_consecutive, "dim", unique_consecutive(some(d), false, false, v).output);

/// All the weight on the first category: whatever a test repeats, a row has some.
Sample certain(const char* label, int64_t rows, int64_t categories, int64_t samples, bool replacement) {
  std::vector<double> p(size_t(rows * categories), 0.0);
  for (int64_t r = 0; r < rows; ++r) p[size_t(r * categories)] = 0.5;
  return {.label = label,
          .inputs = {from_vector(p, {rows, categories})},
          .run =
              [=](const TensorList& in) {
                Generator generator(3);
                return multinomial(in[0], samples, replacement, &generator);
              },
          .reference = [=](const TensorList&) { return std::vector<double>(size_t(rows * samples), 0.0); },
          .gradient = false,
          .tolerance = 0};
}
ORDO_OP_SAMPLES(multinomial) {
  return {certain("with", 3, 10, 5, true), certain("without", 4, 6, 1, false), certain("one", 1, 1, 2, true)};
}
ORDO_OP_SIZES(multinomial) { return {certain("categories", 2, n, 3, true), certain("rows", n, 4, 1, false)}; }
ORDO_OP_INTEGER(multinomial, "num_samples", multinomial(some(d), v));

TEST(SearchSorted, nan_sorter_and_bad_input) {
  for (Device device : test_devices()) {
    const Tensor edges = tensor<double>({3, 1, 2}).to(device), x = tensor<double>({2, NAN, 0, -0.0, 9}).to(device);
    EXPECT_EQ(searchsorted(edges, x, true, true, argsort(edges)).to_vector<int64_t>(),
              (std::vector<int64_t>{2, 3, 0, 0, 3}));
    EXPECT_EQ(searchsorted(sort(edges).values, x.to(float32), true).dtype(), int32);
  }
}

TEST(Histogram, edges_weights_and_density) {
  for (Device device : test_devices()) {
    const Tensor x = tensor<float>({1, 2, 1, 4, NAN, -3, 3.5f}).to(device);
    const auto [hist, edges] = histogram(x, 4, std::pair<double, double>(0, 4));
    EXPECT_EQ(hist.to_vector<float>(), (std::vector<float>{0, 2, 1, 2}));
    EXPECT_EQ(edges.to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4}));
    const Tensor bins = tensor<float>({0, 1, 3, 4}).to(device),
                 weight = tensor<float>({1, 2, 4, 8, 16, 32, 64}).to(device);
    EXPECT_EQ(histogram(x, bins, weight).hist.to_vector<float>(), (std::vector<float>{0, 7, 72}));
    EXPECT_EQ(histogram(x, bins, {}, true).hist.to_vector<float>(), (std::vector<float>{0, 0.3f, 0.4f}));
    EXPECT_EQ(histc(x.narrow(0, 0, 4), 3).to_vector<float>(), (std::vector<float>{2, 1, 1}));
    EXPECT_EQ(histc(ones({5}, device), 2).to_vector<float>(), (std::vector<float>{0, 5}));
  }
  EXPECT_ORDO_ERROR(histc(ones({2}), 3, 2, 1), ValueError, "histc");
  EXPECT_ORDO_ERROR(histogram(ones({2}), ones({1})), ShapeError, "histogram");
  EXPECT_ORDO_ERROR(histogram(ones({2}), tensor({2.0, 1.0, 0.0})), ValueError, "edges must ascend");
  EXPECT_ORDO_ERROR(histogram(ones({2}), tensor({0.0, 2.0, 1.0})), ValueError, "edges must ascend");
  EXPECT_ORDO_ERROR(histogram(ones({2}), tensor<float>({0, float(NAN), 2})), ValueError, "edges must ascend");
  EXPECT_EQ(histogram(ones({2}), tensor({0.0, 1.0, 1.0})).hist.to_vector<float>(), (std::vector<float>{0, 2}));
  EXPECT_ORDO_ERROR(histogram(full({2}, NAN)), ValueError, "histogram");
}

TEST(Unique, inverse_and_counts) {
  for (Device device : test_devices()) {
    const Tensor t = tensor<int64_t>({3, 1, 3, 3, 2, 1}).view({2, 3}).to(device);
    const UniqueResult all = unique(t, true, true), runs = unique_consecutive(t, true, true);
    EXPECT_EQ(all.output.to_vector<int64_t>(), (std::vector<int64_t>{1, 2, 3}));
    EXPECT_EQ(all.inverse.to_vector<int64_t>(), (std::vector<int64_t>{2, 0, 2, 2, 1, 0}));
    EXPECT_EQ(all.inverse.sizes(), t.sizes());
    EXPECT_EQ(all.counts.to_vector<int64_t>(), (std::vector<int64_t>{2, 1, 3}));
    EXPECT_EQ(runs.output.to_vector<int64_t>(), (std::vector<int64_t>{3, 1, 3, 2, 1}));
    EXPECT_EQ(runs.inverse.to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 2, 2, 3, 4}));
    EXPECT_EQ(runs.counts.to_vector<int64_t>(), (std::vector<int64_t>{1, 1, 2, 1, 1}));
    EXPECT_EQ(unique(ones({0, 3}, device), true, true).inverse.sizes(), Dims({0, 3}));
    EXPECT_EQ(unique(ones({}, device), false, true).counts.to_vector<int64_t>(), (std::vector<int64_t>{1}));
    EXPECT_EQ(unique(full({3}, std::numeric_limits<double>::quiet_NaN(), device)).output.numel(), 3);
    EXPECT_FALSE(unique(t).inverse.defined());
  }
}

// In pieces, one for each thread; some begin in the midst of a run.
TEST(Unique, runs_of_a_long_line) {
  const ThreadsScope scope;
  set_num_threads(3);
  auto line = test_indices({250000}, 3, 5).to_vector<float>();
  std::fill(line.begin() + 60000, line.begin() + 200000, 1.0f);
  line[7] = -0.0f, line[8] = 0.0f, line[9] = line[10] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> want;
  for (size_t i = 0; i < line.size(); ++i)
    if (i == 0 || line[i] != line[i - 1]) want.push_back(line[i]);
  const Tensor all = from_vector(want, {int64_t(want.size())});
  for (Device device : test_devices())
    EXPECT_EQ(bytes_of(unique_consecutive(from_vector(line, {250000}).to(device)).output), bytes_of(all));
}

TEST(Unique, slices) {
  for (Device device : test_devices()) {
    const Tensor t = tensor<int64_t>({2, 1, 1, 2, 0, 5, 2, 1, 1, 2, 0, 4}).view({4, 3}).to(device);
    const UniqueResult rows = unique(t, true, true, 0);
    EXPECT_EQ(rows.output.to_vector<int64_t>(), (std::vector<int64_t>{2, 0, 4, 2, 0, 5, 2, 1, 1}));
    EXPECT_EQ(rows.inverse.to_vector<int64_t>(), (std::vector<int64_t>{2, 1, 2, 0}));
    EXPECT_EQ(rows.counts.to_vector<int64_t>(), (std::vector<int64_t>{1, 1, 2}));
    const UniqueResult columns = unique(t, true, true, -1);
    EXPECT_EQ(columns.output.sizes(), (Dims{4, 3}));
    EXPECT_EQ(columns.inverse.to_vector<int64_t>(), (std::vector<int64_t>{2, 0, 1}));
    const UniqueResult runs = unique_consecutive(cat({t, t.narrow(0, 3, 1)}), true, true, 0);
    EXPECT_EQ(runs.output.to_vector<int64_t>(), t.to_vector<int64_t>());
    EXPECT_EQ(runs.inverse.to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 2, 3, 3}));
    EXPECT_EQ(runs.counts.to_vector<int64_t>(), (std::vector<int64_t>{1, 1, 1, 2}));
    EXPECT_EQ(unique(ones({0, 3}, device), true, true, 0).output.sizes(), (Dims{0, 3}));
    EXPECT_EQ(unique(full({2, 2}, std::numeric_limits<double>::quiet_NaN(), device), false, false, 0).output.size(0),
              2);
    EXPECT_EQ(unique(tensor<double>({0.0, -0.0}).view({2, 1}).to(device), false, false, 0).output.size(0), 1);
  }
  EXPECT_ORDO_ERROR(unique(ones({2, 0}), false, false, 0), ShapeError, "[unique] the slices of shape [2, 0]");
}

TEST(Unique, rows_of_any_width_are_in_the_order_of_a_set) {
  for (int64_t width : {1, 2, 3, 5, 8, 33})
    for (Device device : test_devices()) {
      const Tensor t = test_indices({60, width}, width > 4 ? 2 : 4, uint64_t(width)).slice(1, 0, width);
      const Tensor same = cat({t, t.slice(0, 20, 45)});
      const auto v = same.to_vector<int64_t>();
      std::set<std::vector<int64_t>> rows;
      for (size_t i = 0; i < v.size(); i += size_t(width))
        rows.insert({v.begin() + int64_t(i), v.begin() + int64_t(i) + width});
      std::vector<int64_t> want;
      for (const auto& row : rows) want.insert(want.end(), row.begin(), row.end());
      const UniqueResult got = unique(same.to(device), true, false, 0);
      EXPECT_EQ(got.output.to_vector<int64_t>(), want) << width;
      EXPECT_EQ(bytes_of(index_select(got.output, 0, got.inverse)), bytes_of(same)) << width;
    }
}

TEST(Multinomial, draws_in_proportion_and_repeats) {
  const Tensor p = tensor<float>({1, 0, 3, 0, 4});
  for (bool replacement : {true, false}) {
    std::vector<uint8_t> first;
    for (Device device : test_devices()) {
      Generator generator(5);
      const Tensor rows = p.to(device).unsqueeze(0).expand({8000, 5});
      const Tensor drawn = multinomial(rows, replacement ? 2 : 3, replacement, &generator);
      std::vector<int64_t> counts(5);
      const auto all = drawn.select(1, 0).to_vector<int64_t>();
      for (int64_t v : all) ++counts[size_t(v)];
      EXPECT_EQ(counts[1] + counts[3], 0);
      EXPECT_NEAR(double(counts[0]), 1000, 150);  // five deviations
      EXPECT_NEAR(double(counts[2]), 3000, 220);
      if (!replacement) {
        EXPECT_EQ(sum(drawn, {1}).to_vector<int64_t>(), std::vector<int64_t>(8000, 6));  // 0, 2 and 4 in some order
      }
      if (first.empty()) first = bytes_of(drawn);
      EXPECT_EQ(bytes_of(drawn), first) << device.str();
    }
  }
  EXPECT_ORDO_ERROR(multinomial(zeros({3}), 1, true), ValueError, "multinomial");
  EXPECT_ORDO_ERROR(multinomial(tensor<float>({1, -1}), 1, true), ValueError, "multinomial");
}

}  // namespace
}  // namespace ordo::test::search_samples_test

#include "tests/kernels/scatter/scatter_reference.h"

namespace ordo::test::gather_samples_test {
namespace {

std::vector<double> gathered(const Tensor& input, int dim, const Tensor& index) {
  const auto x = input.to_vector<double>();
  std::vector<double> out;
  for_scattered(input.sizes(), index, index.sizes(), dim, [&](size_t at, size_t) { out.push_back(x[at]); });
  return out;
}

Sample gather_sample(const char* label, const Tensor& input, int dim, const Tensor& index) {
  return {.label = label,
          .inputs = {input, index},
          .run = [dim](const TensorList& in) { return gather(in[0], dim, in[1]); },
          .reference = [dim](const TensorList& in) { return gathered(in[0], dim, in[1]); },
          .gradient = input.numel() <= 100,
          .tolerance = 0};
}

ORDO_OP_SIZES(gather) {
  return {gather_sample("items", test_values({3, 5}), 1, test_indices({3, n}, 5)),
          gather_sample("rows", test_values({n, 3}), 1, test_indices({n, 2}, 3)),
          gather_sample("length", test_values({n, 3}), 0, test_indices({7, 3}, n))};
}
ORDO_OP_SAMPLES(gather) {
  return {
      gather_sample("rows", test_values({4, 3}), 0, test_indices({5, 2}, 4)),
      gather_sample("columns", test_values({4, 3}), 1, test_indices({4, 6}, 3)),
      gather_sample("middle", test_values({2, 5, 3}), 1, test_indices({2, 2, 3}, 5, 0, int32)),
      gather_sample("0-d", test_values({}), 0, test_indices({}, 1)),
      gather_sample("nothing", test_values({4, 3}), 0, test_indices({0, 3}, 4)),
      gather_sample("many", test_values({40, 70}), 1, test_indices({40, 100}, 70)),
      gather_sample("integers", test_indices({4, 3}, 100), 1, test_indices({4, 6}, 3, 1)),
  };
}

Sample select_sample(const char* label, const Tensor& input, int dim, const Tensor& index) {
  return {.label = label,
          .inputs = {input, index},
          .run = [dim](const TensorList& in) { return index_select(in[0], dim, in[1]); },
          .reference =
              [dim](const TensorList& in) {
                const auto x = in[0].to_vector<double>();
                if (in[0].dim() == 0) return x;
                std::vector<double> out;
                for_sliced(in[0].sizes(), in[1], dim, [&](size_t at, size_t) { out.push_back(x[at]); });
                return out;
              },
          .gradient = input.numel() <= 100,
          .tolerance = 0};
}

ORDO_OP_SIZES(index_select) {
  return {select_sample("items", test_values({5, 3}), 0, test_indices({n}, 5)),
          select_sample("columns", test_values({4, n}), 0, test_indices({9}, 4)),
          select_sample("rows", test_values({n, 4}), 1, test_indices({9}, 4)),
          select_sample("length", test_values({n, 3}), 0, test_indices({7}, n))};
}
ORDO_OP_SAMPLES(index_select) {
  return {
      select_sample("rows", test_values({4, 3}), 0, test_indices({6}, 4)),
      select_sample("columns", test_values({4, 3}), 1, test_indices({5}, 3, 0, int32)),
      select_sample("middle", test_values({2, 5, 3}), 1, test_indices({2}, 5)),
      select_sample("0-d input", test_values({}), 0, test_indices({1}, 1)),
      select_sample("0-d index", test_values({4, 3}), 0, test_indices({}, 4)),
      select_sample("nothing", test_values({4, 3}), 0, test_indices({0}, 4)),
      select_sample("many", test_values({200, 33}), 0, test_indices({500}, 200)),
      select_sample("bool", test_indices({40}, 2).to(boolean), 0, test_indices({50}, 40, 1)),
  };
}

Sample one_hot_sample(const char* label, const Tensor& target, int64_t classes) {
  return {.label = label,
          .inputs = {target},
          .run = [classes](const TensorList& in) { return one_hot(in[0], classes); },
          .reference =
              [classes](const TensorList& in) {
                const auto targets = in[0].to_vector<int64_t>();
                const int64_t found = *std::max_element(targets.begin(), targets.end()) + 1;
                std::vector<double> out;
                for (int64_t t : targets)
                  for (int64_t c = 0; c < (classes < 0 ? found : classes); ++c) out.push_back(t == c);
                return out;
              },
          .tolerance = 0};
}

ORDO_OP_SAMPLES(one_hot) {
  return {one_hot_sample("rows", test_indices({7}, 5), 5),
          one_hot_sample("0-d int32", test_indices({}, 5, 1, int32), 5),
          one_hot_sample("found", from_vector<int64_t>({4, 0, 1, 1}, {2, 2}), -1)};
}
ORDO_OP_SIZES(one_hot) {
  return {one_hot_sample("rows", test_indices({n}, 5), 5), one_hot_sample("classes", test_indices({3}, n), n),
          one_hot_sample("found", test_indices({n}, 5, 2), -1)};
}

TEST(OneHot, of_no_targets_needs_a_number_of_classes) {
  EXPECT_ORDO_ERROR(one_hot(empty({0}, {int64})), ValueError, "one_hot");
}

}  // namespace
}  // namespace ordo::test::gather_samples_test

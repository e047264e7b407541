#include "tests/kernels/samples.h"

namespace ordo::test::cat_samples_test {
namespace {

/// Rows of `outer` blocks, each the concatenation of the tensors' blocks.
std::vector<double> joined(const TensorList& in, int64_t outer) {
  std::vector<double> out;
  for (int64_t o = 0; o < outer; ++o)
    for (const Tensor& t : in) {
      const auto x = t.to_vector<double>();
      const size_t block = x.size() / size_t(outer);
      out.insert(out.end(), x.begin() + long(size_t(o) * block), x.begin() + long(size_t(o + 1) * block));
    }
  return out;
}

Sample sample(const char* label, TensorList inputs, int64_t outer, std::function<Tensor(const TensorList&)> run) {
  return {.label = label,
          .inputs = std::move(inputs),
          .run = std::move(run),
          .reference = [outer](const TensorList& in) { return joined(in, outer); },
          .tolerance = 0};
}

ORDO_OP_SAMPLES(cat) {
  const auto rows = [](const TensorList& in) { return cat(in); };
  const auto columns = [](const TensorList& in) { return cat(in, -1); };
  return {
      sample("rows", {test_values({2, 3}), test_values({1, 3}, 1)}, 1, rows),
      sample("columns", {test_values({2, 3}), test_values({2, 1}, 1), test_values({2, 2}, 2)}, 2, columns),
      sample("one", {test_values({4})}, 1, rows),
      sample("with nothing", {test_values({0}), test_values({2, 3}), test_values({0, 3})}, 1, rows),
      sample("middle", {test_values({2, 1, 2}), test_values({2, 3, 2}, 1)}, 2,
             [](const TensorList& in) { return cat(in, 1); }),
      sample("integers", {test_indices({3}, 9), test_indices({2}, 9, 1)}, 1, rows),
  };
}

ORDO_OP_SAMPLES(stack) {
  return {
      sample("front", {test_values({2, 3}), test_values({2, 3}, 1)}, 1, [](const TensorList& in) { return stack(in); }),
      sample("back", {test_values({2, 3}), test_values({2, 3}, 1)}, 6,
             [](const TensorList& in) { return stack(in, -1); }),
      sample("0-d", {test_values({}), test_values({}, 1)}, 1, [](const TensorList& in) { return stack(in); }),
  };
}

ORDO_OP_SIZES(cat) {
  const auto columns = [](const TensorList& in) { return cat(in, -1); };
  return {sample("vectors", {test_values({n}), test_values({3}, 1)}, 1, [](const TensorList& in) { return cat(in); }),
          sample("columns", {test_values({3, n}), test_values({3, 2}, 1), test_values({3, n}, 2)}, 3, columns),
          sample("rows", {test_values({n, 2}), test_values({n, 3}, 1)}, n, columns)};
}
ORDO_OP_SIZES(stack) {
  return {sample("vectors", {test_values({n}), test_values({n}, 1)}, n,
                 [](const TensorList& in) { return stack(in, -1); })};
}

TEST(Cat, promotes_dtypes) {
  const TensorList mixed{ones({2}, {int64}), ones({1}, {float16})};
  EXPECT_EQ(cat(mixed).dtype(), float16);
}

TEST(Cat, of_no_tensors_is_refused) {
  const TensorList none;
  EXPECT_ORDO_ERROR(cat(none), ValueError, "cat");
  EXPECT_ORDO_ERROR(stack(none), ValueError, "stack");
}

}  // namespace
}  // namespace ordo::test::cat_samples_test

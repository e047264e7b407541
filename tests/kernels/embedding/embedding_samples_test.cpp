#include <ordo/kernels/embedding/embedding.h>
#include "tests/kernels/samples.h"

namespace ordo::test::embedding_samples_test {
namespace {

struct Case {
  const char* label;
  Dims input;
  int64_t rows, columns;
  DType index_dtype = int64;
  std::optional<int64_t> padding = {};
  bool small = true, order_sensitive = false;
};

Sample sample_of(const Case& c) {
  Sample sample =
      new_sample(c.label, {test_indices(c.input, c.rows, 5, c.index_dtype), test_values({c.rows, c.columns}, 6)});
  sample.run = [c](const TensorList& in) { return embedding(in[0], in[1], c.padding); };
  sample.forced = [c](const TensorList& in, Algorithm algorithm) {
    Dims sizes = in[0].sizes();
    sizes.push_back(c.columns);
    return kernels::embedding_backward(test_gradient(sizes, in[1]), in[0], c.rows, c.padding, algorithm);
  };
  sample.reference = [c](const TensorList& in) {
    const auto weight = in[1].to_vector<double>();
    std::vector<double> values;
    for (int64_t row : in[0].to_vector<int64_t>())
      for (int64_t j = 0; j < c.columns; ++j) values.push_back(weight[size_t(row * c.columns + j)]);
    return values;
  };
  // Left-out rows have no gradient, though their values are used: finite differences do not see that.
  sample.gradient = c.small && !c.padding;
  sample.tolerance = 0;  // copies
  sample.order_sensitive = c.order_sensitive;
  return sample;
}

/// A max_norm, of a table of its own. Finite differences would see how a row's factor changes, which is no part of the
/// gradient.
Sample shortened(double norm_type) {
  Sample s = sample_of({"", {2, 3}, 4, 3});
  s.label = "max_norm, norm_type " + std::to_string(int(norm_type));
  s.forced = {};
  s.run = [=](const TensorList& in) { return embedding(in[0], in[1] * 1, {}, 1.5, norm_type); };
  s.reference = [=, plain = s.reference](const TensorList& in) {
    std::vector<double> rows = plain(in);
    for (size_t i = 0; i < rows.size(); i += 3) {
      double sum = 0;
      for (size_t j = i; j < i + 3; ++j) sum += std::pow(std::abs(rows[j]), norm_type);
      const double norm = std::pow(sum, 1 / norm_type);
      for (size_t j = i; j < i + 3 && norm > 1.5; ++j) rows[j] *= 1.5 / (norm + 1e-7);
    }
    return rows;
  };
  s.gradient = false;
  s.tolerance = 8;
  return s;
}

ORDO_OP_SIZES(embedding) {
  return {sample_of({"items", {n}, 5, 3}), sample_of({"rows", {20}, n, 3}), sample_of({"columns", {9}, 4, n}),
          sample_of({"padding", {n, 2}, 5, 2, int64, 1})};
}
ORDO_OP_SAMPLES(embedding) {
  std::vector<Sample> all = samples_of<Case>({{"matrix", {3, 4}, 5, 3},
                                              {"int32", {7}, 4, 2, int32},
                                              {"scalar", {}, 3, 4},
                                              {"padding", {9}, 3, 2, int64, 1},
                                              {"padding_from_the_end", {9}, 3, 2, int32, -3},
                                              {"no_indices", {0, 2}, 3, 2},
                                              {"no_columns", {4}, 3, 0},
                                              {"hot_rows", {700}, 3, 5, int64, {}, false, true},
                                              {"hot_rows_int32", {2, 1025}, 2, 4, int32, 0, false, true},
                                              {"wide", {33}, 40, 300, int64, {}, false}},
                                             sample_of);
  all.push_back(shortened(1));
  all.push_back(shortened(2));
  return all;
}

// embedding: gradients of other shapes.
TEST(Embedding, gradients_of_other_shapes) {
  const Tensor input = test_indices({3}, 4);
  for (const Tensor& grad : {test_values({4, 2}), scalar_tensor(1.0)})
    EXPECT_ORDO_ERROR(kernels::embedding_backward(grad, input, 4), ShapeError, "embedding_backward");
}

}  // namespace
}  // namespace ordo::test::embedding_samples_test

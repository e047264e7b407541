#include <ordo/kernels/embedding_bag/embedding_bag.h>
#include "tests/kernels/samples.h"

namespace ordo::test::embedding_bag_samples_test {
namespace {

struct Case {
  const char* label;
  EmbeddingBagMode mode;
  std::vector<int64_t> offsets;  // none: the input is a matrix
  Dims input;
  int64_t rows, columns;
  bool weighted = false, include_last = false;
  std::optional<int64_t> padding = {};
  bool small = true, order_sensitive = false;
  DType index_dtype = int64;
};

const std::vector<Case>& cases() {
  constexpr auto sum = EmbeddingBagMode::sum, mean = EmbeddingBagMode::mean, max = EmbeddingBagMode::max;
  static const std::vector<Case> all = {
      {"sum", sum, {0, 2, 2, 5}, {7}, 5, 3},
      {"mean", mean, {0, 2, 2, 5}, {7}, 5, 3},
      {"max", max, {0, 2, 2, 5}, {7}, 9, 3},
      {"sum_weighted", sum, {0, 3}, {5}, 4, 3, true},
      {"sum_matrix", sum, {}, {2, 3}, 4, 2},
      {"mean_matrix", mean, {}, {2, 3}, 4, 2},
      {"max_matrix", max, {}, {2, 3}, 9, 2},
      {"weighted_matrix", sum, {}, {2, 3}, 4, 2, true},
      {"last_offset", mean, {0, 2, 5}, {7}, 5, 2, false, true},
      {"mean_padding", mean, {0, 2, 6}, {8}, 3, 2, false, false, 1},
      {"max_padding", max, {0, 2, 6}, {8}, 4, 2, false, false, -3},
      {"weighted_padding", sum, {0, 2, 6}, {8}, 3, 2, true, false, 1, true, false, int32},
      {"no_bags", mean, {0}, {0}, 3, 2, false, true},
      {"empty_bags", sum, {0, 0, 0}, {0}, 3, 2},
      {"empty_rows", mean, {}, {3, 0}, 3, 2},
      {"no_columns", max, {}, {2, 3}, 3, 0},
      {"hot_sum", sum, {0, 1, 100, 200, 900}, {1200}, 3, 5, false, false, {}, false, true},
      {"hot_mean", mean, {0, 65, 129}, {700}, 3, 5, false, false, 2, false, true, int32},
      {"hot_max", max, {0, 65, 129}, {200}, 5, 5, false, false, {}, false},
      {"hot_weighted", sum, {0, 70, 4300}, {4400}, 3, 2, true, false, {}, false, true},
      {"wide", mean, {0, 3, 70}, {140}, 20, 70, false, false, {}, false},
      {"many_bags", max, {}, {300, 4}, 3, 3, false, false, {}, false, true},
  };
  return all;
}

std::vector<double> reference(const Case& c, const TensorList& in) {
  const auto index = in[0].to_vector<int64_t>();
  const auto weight = in[1].to_vector<double>();
  const auto factors = c.weighted ? in[2].to_vector<double>() : std::vector<double>();
  std::vector<int64_t> ends = c.offsets;
  if (c.offsets.empty())
    for (int64_t b = 0; b <= c.input[0]; ++b) ends.push_back(b * c.input[1]);
  else if (!c.include_last)
    ends.push_back(int64_t(index.size()));
  const int64_t padding = !c.padding ? -1 : *c.padding < 0 ? *c.padding + c.rows : *c.padding;
  std::vector<double> out;
  for (size_t b = 0; b + 1 < ends.size(); ++b) {
    for (int64_t j = 0; j < c.columns; ++j) {
      double sum = 0, best = 0;
      int64_t count = 0;
      for (int64_t i = ends[b]; i < ends[b + 1]; ++i) {
        if (index[size_t(i)] == padding) continue;
        const double v = weight[size_t(index[size_t(i)] * c.columns + j)] * (c.weighted ? factors[size_t(i)] : 1);
        sum += v;
        best = count == 0 ? v : std::max(best, v);
        ++count;
      }
      out.push_back(c.mode == EmbeddingBagMode::max
                        ? best
                        : sum / (c.mode == EmbeddingBagMode::mean && count > 0 ? double(count) : 1));
    }
  }
  return out;
}

kernels::BagArguments bags_of(const Case& c, const TensorList& in) {
  Tensor offsets;
  if (!c.offsets.empty())
    offsets = from_vector(c.offsets, {int64_t(c.offsets.size())}).to(in[0].device(), in[0].dtype());
  return {in[0], offsets, c.mode, c.include_last, c.padding};
}

Sample sample_of(const Case& c) {
  Sample sample =
      new_sample(c.label, {test_indices(c.input, c.rows, 7, c.index_dtype), test_values({c.rows, c.columns}, 8)});
  if (c.weighted) sample.inputs.push_back(test_values(c.input, 9));
  sample.run = [c](const TensorList& in) {
    const kernels::BagArguments b = bags_of(c, in);
    return embedding_bag(b.input, in[1],
                         {.offsets = b.offsets,
                          .mode = c.mode,
                          .per_sample_weights = c.weighted ? in[2] : Tensor(),
                          .include_last_offset = c.include_last,
                          .padding_idx = c.padding});
  };
  sample.forced = [c](const TensorList& in, Algorithm algorithm) {
    const kernels::BagArguments b = bags_of(c, in);
    const Tensor factors = c.weighted ? in[2].detach() : Tensor();
    const auto out = kernels::embedding_bag(b, in[1].detach(), factors);
    return kernels::embedding_bag_backward(b, test_gradient(out.values.sizes(), in[1]), out.rows, c.rows, factors,
                                           algorithm);
  };
  sample.reference = [c](const TensorList& in) { return reference(c, in); };
  sample.gradient = c.small;
  sample.order_sensitive = c.order_sensitive;
  // Products are rounded before they are added, and up to 4230 of them make a sum; halves are added in float.
  sample.tolerance = c.small ? 8 : 64;
  return sample;
}

ORDO_OP_SIZES(embedding_bag) {
  std::vector<Sample> out;
  for (const auto mode : {EmbeddingBagMode::sum, EmbeddingBagMode::mean, EmbeddingBagMode::max})
    for (const Case& c : {Case{"items", mode, {0, 1, 1}, {n + 1}, 5, 3}, Case{"bags", mode, {}, {n, 3}, 5, 3},
                          Case{"rows", mode, {}, {7, 3}, n, 3}, Case{"columns", mode, {0, 2}, {9}, 4, n}})
      out.push_back(sample_of(c));
  out.push_back(sample_of({"items, weighted", EmbeddingBagMode::sum, {0, 1}, {n + 1}, 5, 3, true}));
  out.push_back(sample_of({"columns, weighted", EmbeddingBagMode::sum, {0, 2}, {9}, 4, n, true, false, 1}));
  for (Sample& s : out) s.tolerance = 64;
  return out;
}
ORDO_OP_SAMPLES(embedding_bag) { return samples_of(cases(), sample_of); }

// embedding_bag: gradients of one column, NaN, and bad input.

constexpr auto kSum = EmbeddingBagMode::sum, kMax = EmbeddingBagMode::max;

Tensor indices(const std::vector<int64_t>& values) { return from_vector(values, {int64_t(values.size())}); }

// The items of a bag read one gradient, also where the first items are bags of their own.
TEST(EmbeddingBag, gradient_of_a_single_column) {
  const int64_t items = 1000;
  std::vector<int64_t> rows(items);
  for (int64_t i = 0; i < items; ++i) rows[size_t(i)] = i * i % 3;
  const std::vector<int64_t> offsets{0, 1, 2, 200, 900};
  const std::vector<double> grads{1, -2, 4, -8, 16};  // sums of these are exact
  std::vector<double> want(3, 0.0);
  for (int64_t i = 0, bag = 0; i < items; ++i) {
    while (bag + 1 < 5 && i >= offsets[size_t(bag) + 1]) ++bag;
    want[size_t(rows[size_t(i)])] += grads[size_t(bag)];
  }
  for (Device device : test_devices())
    for (Determinism level : {Determinism::not_guaranteed, Determinism::run_to_run, Determinism::device_to_device}) {
      const DeterminismGuard guard(level);
      Tensor weight = zeros({3, 1}, device).set_requires_grad();
      embedding_bag(indices(rows).to(device), weight, {.offsets = indices(offsets).to(device), .mode = kSum})
          .backward(from_vector(grads, {5, 1}).to(device, float32));
      EXPECT_EQ(weight.grad().to_vector<double>(), want) << device.str() << " " << name(level);
    }
}

TEST(EmbeddingBag, nan_is_the_maximum) {
  for (Device device : test_devices()) {
    const Tensor weight = from_vector(std::vector<double>{1, NAN, 3}, {3, 1}).to(device);
    for (const auto& order : {std::vector<int64_t>{0, 1, 2}, std::vector<int64_t>{1, 2, 0}})
      EXPECT_TRUE(std::isnan(
          embedding_bag(indices(order).to(device), weight, {.offsets = indices({0}).to(device), .mode = kMax}).item()));
  }
}

TEST(EmbeddingBag, bad_input) {
  const Tensor weight = test_values({4, 2}), input = test_indices({5}, 4), offsets = indices({0, 2});
  EXPECT_ORDO_ERROR(embedding_bag(input, weight, {.offsets = offsets.unsqueeze(0)}), ShapeError, "offsets");
  EXPECT_ORDO_ERROR(embedding_bag(input.unsqueeze(0), weight, {.mode = kSum, .include_last_offset = true}), ValueError,
                    "include_last_offset");
  EXPECT_ORDO_ERROR(embedding_bag(input, weight, {.offsets = indices({}), .mode = kSum, .include_last_offset = true}),
                    ShapeError, "include_last_offset");
  EXPECT_ORDO_ERROR(embedding_bag(input, weight, {.offsets = offsets, .per_sample_weights = test_values({5})}),
                    ValueError, "per_sample_weights");
  EXPECT_ORDO_ERROR(kernels::embedding_bag_backward({input, offsets, kSum, false, {}}, test_values({3, 2}), {}, 4),
                    ShapeError, "embedding_bag_backward");
}

}  // namespace
}  // namespace ordo::test::embedding_bag_samples_test

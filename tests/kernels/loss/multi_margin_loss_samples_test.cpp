#include <cmath>

#include "tests/kernels/loss/loss_samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::multi_margin_loss_samples_test {
namespace {

double hinge(double x) { return std::max(0.0, x); }

const std::vector<double> kWeights{0.5, 1, 2, 0.25};  // the same in every dtype

struct Margin {
  int64_t p = 1;
  double margin = 1;
  bool weighted = false;
  Reduction reduction = Reduction::mean;
};

Sample multi_sample(const char* label, const Dims& sizes, Margin o = {}) {
  const int64_t classes = sizes[sizes.size() - 1];
  Dims target;
  if (sizes.size() == 2) target = {sizes[0]};
  return loss_sample(
      label, {test_values(sizes), test_indices(target, classes, 1)},
      [=](const TensorList& in) {
        Tensor weight;
        if (o.weighted) weight = from_vector<double>(kWeights, {classes}).to(in[0].device(), in[0].dtype());
        return multi_margin_loss(in[0], in[1],
                                 {.p = o.p, .margin = o.margin, .weight = weight, .reduction = o.reduction});
      },
      [=](const TensorList& in) {
        const auto x = doubles(in[0]);
        const auto t = in[1].to_vector<int64_t>();
        std::vector<double> losses;
        for (size_t i = 0; i < t.size(); ++i) {
          const double* row = x.data() + i * size_t(classes);
          double sum = 0;
          for (int64_t k = 0; k < classes; ++k) {
            const double over = hinge(o.margin - row[t[i]] + row[k]);
            if (k != t[i]) sum += o.p == 2 ? over * over : over;
          }
          losses.push_back((o.weighted ? kWeights[size_t(t[i])] : 1) * sum / double(classes));
        }
        return losses;
      },
      o.reduction);
}
ORDO_OP_SAMPLES(multi_margin_loss) {
  return {multi_sample("mean", {5, 4}),
          multi_sample("squares, weights", {6, 4}, {.p = 2, .weighted = true}),
          multi_sample("sum, weights", {5, 4}, {.margin = 0.5, .weighted = true, .reduction = Reduction::sum}),
          multi_sample("none", {5, 3}, {.p = 2, .margin = 2, .reduction = Reduction::none}),
          multi_sample("one sample", {7}),
          multi_sample("one class", {3, 1}, {.reduction = Reduction::none}),
          multi_sample("sum of nothing", {0, 3}, {.reduction = Reduction::sum}),
          multi_sample("many classes", {20, 700})};
}
ORDO_OP_SIZES(multi_margin_loss) {
  return {multi_sample("samples", {n, 4}, {.weighted = true}),
          multi_sample("classes", {3, n}, {.p = 2, .reduction = Reduction::none})};
}
Tensor two_targets(Device d) { return from_vector<int64_t>({0, 1}, {2}).to(d); }
ORDO_OP_INTEGER(multi_margin_loss, "target", multi_margin_loss(some(d).narrow(0, 0, 1), one_index(v, d)));
ORDO_OP_INTEGER(multi_margin_loss, "p", multi_margin_loss(some(d), two_targets(d), {.p = v}));
ORDO_OP_INTEGER(multi_margin_loss, "reduction",
                multi_margin_loss(some(d), two_targets(d), {.reduction = Reduction(uint8_t(v))}));

// -- several labels

/// Some classes, then -1, then what does not count.
Tensor label_lists(const Dims& sizes) {
  const int64_t classes = sizes[sizes.size() - 1];
  auto values = test_indices(sizes, classes, 1).to_vector<int64_t>();
  for (size_t i = 0; i < values.size(); ++i)
    if (i % size_t(classes) == (i / size_t(classes)) % 3 + 1) values[i] = -1;
  return from_vector<int64_t>(values, sizes);
}

Sample lists_sample(const char* label, const Dims& sizes, Reduction reduction) {
  const int64_t classes = sizes[sizes.size() - 1];
  return loss_sample(
      label, {test_values(sizes), label_lists(sizes)},
      [=](const TensorList& in) { return multilabel_margin_loss(in[0], in[1], reduction); },
      [=](const TensorList& in) {
        const auto x = doubles(in[0]);
        const auto t = in[1].to_vector<int64_t>();
        std::vector<double> losses;
        for (size_t first = 0; first < x.size(); first += size_t(classes)) {
          std::vector<int64_t> labels;
          for (size_t k = first; k < first + size_t(classes) && t[k] >= 0; ++k) labels.push_back(t[k]);
          double sum = 0;
          for (int64_t k = 0; k < classes; ++k) {
            if (std::count(labels.begin(), labels.end(), k)) continue;
            for (int64_t y : labels) sum += hinge(1 - x[first + size_t(y)] + x[first + size_t(k)]);
          }
          losses.push_back(sum / double(classes));
        }
        return losses;
      },
      reduction);
}
ORDO_OP_SAMPLES(multilabel_margin_loss) {
  return {lists_sample("mean", {5, 4}, Reduction::mean),         lists_sample("sum", {3, 6}, Reduction::sum),
          lists_sample("none", {6, 5}, Reduction::none),         lists_sample("one sample", {7}, Reduction::mean),
          lists_sample("one class", {3, 1}, Reduction::none),    lists_sample("sum of nothing", {0, 3}, Reduction::sum),
          lists_sample("more classes", {4, 70}, Reduction::none)};
}
ORDO_OP_SIZES(multilabel_margin_loss) {
  std::vector<Sample> out{lists_sample("samples", {n, 4}, Reduction::none)};
  if (n < 130) out.push_back(lists_sample("classes", {2, n}, Reduction::mean));  // n^2 numbers for each sample
  return out;
}
ORDO_OP_INTEGER(multilabel_margin_loss, "target",
                multilabel_margin_loss(some(d)[0], from_vector<int64_t>({v, 1, -1}, {3}).to(d)));
ORDO_OP_INTEGER(multilabel_margin_loss, "reduction",
                multilabel_margin_loss(some(d), zeros({2, 3}, {int64, d}), Reduction(uint8_t(v))));

Sample soft_sample(const char* label, const Dims& sizes, Reduction reduction, bool weighted = false,
                   bool integers = false) {
  const int64_t classes = sizes[sizes.size() - 1];
  TensorList inputs{test_values(sizes), integers ? test_indices(sizes, 2, 1) : test_values(sizes, 1, 0, 1)};
  if (weighted) inputs.push_back(test_values({classes}, 2, 0.5, 2));
  return loss_sample(
      label, std::move(inputs),
      [=](const TensorList& in) {
        return multilabel_soft_margin_loss(in[0], in[1],
                                           {.weight = weighted ? in[2] : Tensor(), .reduction = reduction});
      },
      [=](const TensorList& in) {
        const auto x = doubles(in[0]), t = doubles(in[1]);
        const auto w = weighted ? doubles(in[2]) : std::vector<double>(size_t(classes), 1.0);
        std::vector<double> losses;
        for (size_t first = 0; first < x.size(); first += size_t(classes)) {
          double sum = 0;
          for (size_t k = 0; k < size_t(classes); ++k) {
            const double v = x[first + k], y = t[first + k];
            sum += w[k] * (y * std::log1p(std::exp(-v)) + (1 - y) * std::log1p(std::exp(v)));
          }
          losses.push_back(sum / double(classes));
        }
        return losses;
      },
      reduction);
}
ORDO_OP_SAMPLES(multilabel_soft_margin_loss) {
  return {soft_sample("mean", {5, 4}, Reduction::mean),
          soft_sample("weights", {5, 4}, Reduction::mean, true),
          soft_sample("sum, integers", {3, 6}, Reduction::sum, false, true),
          soft_sample("none, weights", {2, 3, 5}, Reduction::none, true),
          soft_sample("one sample", {7}, Reduction::mean),
          soft_sample("sum of nothing", {0, 3}, Reduction::sum),
          soft_sample("many classes", {20, 700}, Reduction::none)};
}
ORDO_OP_SIZES(multilabel_soft_margin_loss) {
  return {soft_sample("samples", {n, 4}, Reduction::mean, true), soft_sample("classes", {3, n}, Reduction::none)};
}
ORDO_OP_INTEGER(multilabel_soft_margin_loss, "target",
                multilabel_soft_margin_loss(some(d)[0].narrow(0, 0, 1), one_index(v, d)));
ORDO_OP_INTEGER(multilabel_soft_margin_loss, "reduction",
                multilabel_soft_margin_loss(some(d), some(d), {.reduction = Reduction(uint8_t(v))}));

TEST(MultiMarginLoss, what_follows_the_first_negative_label_does_not_count) {
  for (Device device : test_devices()) {
    const Tensor fine = from_vector<int64_t>({0, -5, 4, 2}, {4}).to(device);
    EXPECT_TRUE(std::isfinite(multilabel_margin_loss(test_values({4}).to(device), fine).item<double>()));
  }
}

TEST(MultiMarginLoss, bad_input) {
  const Tensor t = zeros({3}, {int64});
  EXPECT_ORDO_ERROR(multi_margin_loss(ones({3, 4}), t, {.weight = ones({4}, {float64})}), DTypeError, "weight");
  EXPECT_ORDO_ERROR(multilabel_soft_margin_loss(ones({}), ones({})), ShapeError, "0-d");
}

}  // namespace
}  // namespace ordo::test::multi_margin_loss_samples_test

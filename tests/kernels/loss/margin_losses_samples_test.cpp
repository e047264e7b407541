#include "tests/kernels/loss/loss_samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::margin_losses_samples_test {
namespace {

double hinge(double x) { return std::max(0.0, x); }

// -- hinge_embedding_loss

Sample hinge_sample(const char* label, const Dims& sizes, Reduction reduction, double margin, bool floating = false) {
  const Tensor target = test_signs(sizes, 1).to(floating ? float64 : int64);
  Sample s = element_loss(
      label, {test_values(sizes), target},
      [=](const TensorList& in) {
        return hinge_embedding_loss(in[0], in[1], {.margin = margin, .reduction = reduction});
      },
      [=](const std::vector<double>& v) { return (v[1] != 1 ? hinge(margin - v[0]) : 0) + (v[1] != -1 ? v[0] : 0); },
      reduction);
  if (floating) s.gradient = false;  // a target beside 1 is neither
  return s;
}
ORDO_OP_SAMPLES(hinge_embedding_loss) {
  auto all = element_losses([](auto... of) { return hinge_sample(of...); });
  all.push_back(hinge_sample("floating targets", {3, 4}, Reduction::none, 1, true));
  return all;
}
ORDO_OP_SIZES(hinge_embedding_loss) {
  return {hinge_sample("mean", {n}, Reduction::mean, 1), hinge_sample("none", {n}, Reduction::none, 1)};
}
ORDO_OP_INTEGER(hinge_embedding_loss, "target", hinge_embedding_loss(some(d)[0].narrow(0, 0, 1), one_index(v, d)));
ORDO_OP_INTEGER(hinge_embedding_loss, "reduction",
                hinge_embedding_loss(some(d), some(d), {.reduction = Reduction(uint8_t(v))}));

// -- margin_ranking_loss

Sample ranking_sample(const char* label, const Dims& sizes, Reduction reduction, double margin, bool floating = false) {
  const Tensor target = test_signs(sizes, 2).to(floating ? float64 : int64);
  return element_loss(
      label, {test_values(sizes), test_values(sizes, 1), target},
      [=](const TensorList& in) {
        return margin_ranking_loss(in[0], in[1], in[2], {.margin = margin, .reduction = reduction});
      },
      [=](const std::vector<double>& v) { return hinge(margin - v[2] * (v[0] - v[1])); }, reduction);
}
ORDO_OP_SAMPLES(margin_ranking_loss) {
  return {ranking_sample("mean", {3, 4}, Reduction::mean, 0),
          ranking_sample("sum", {5}, Reduction::sum, 0.5),
          ranking_sample("none", {2, 3}, Reduction::none, 1.5),
          ranking_sample("floating targets", {3, 4}, Reduction::none, 1, true),
          ranking_sample("0-d", {}, Reduction::mean, 1),
          ranking_sample("sum of nothing", {0}, Reduction::sum, 1),
          ranking_sample("a block and one", {17, 241}, Reduction::mean, 2)};
}
ORDO_OP_SIZES(margin_ranking_loss) {
  return {ranking_sample("mean", {n}, Reduction::mean, 1), ranking_sample("none", {n}, Reduction::none, 0)};
}
ORDO_OP_INTEGER(margin_ranking_loss, "target", [&] {
  const Tensor one = some(d)[0].narrow(0, 0, 1);
  return margin_ranking_loss(one, one, one_index(v, d));
}());
ORDO_OP_INTEGER(margin_ranking_loss, "reduction",
                margin_ranking_loss(some(d), some(d), some(d), {.reduction = Reduction(uint8_t(v))}));

// -- soft_margin_loss

Sample soft_sample(const char* label, const Dims& sizes, Reduction reduction, bool floating = false) {
  const Tensor target = test_signs(sizes, 1).to(floating ? float64 : int64);
  return element_loss(
      label, {test_values(sizes), target},
      [=](const TensorList& in) { return soft_margin_loss(in[0], in[1], reduction); },
      [](const std::vector<double>& v) { return std::log1p(std::exp(-v[1] * v[0])); }, reduction);
}
ORDO_OP_SAMPLES(soft_margin_loss) {
  auto all = element_losses(
      [](const char* label, const Dims& sizes, Reduction r, double) { return soft_sample(label, sizes, r); });
  all.push_back(soft_sample("floating targets", {3, 4}, Reduction::none, true));
  return all;
}
ORDO_OP_SIZES(soft_margin_loss) {
  return {soft_sample("mean", {n}, Reduction::mean), soft_sample("none", {n}, Reduction::none)};
}
ORDO_OP_INTEGER(soft_margin_loss, "target", soft_margin_loss(some(d)[0].narrow(0, 0, 1), one_index(v, d)));
ORDO_OP_INTEGER(soft_margin_loss, "reduction", soft_margin_loss(some(d), some(d), Reduction(uint8_t(v))));

// -- losses of vectors

/// The rows of [N, D], or one of [D].
std::vector<std::vector<double>> rows_of(const Tensor& t) {
  const auto values = doubles(t);
  const int64_t width = t.size(-1), rows = t.numel() / std::max<int64_t>(1, width);
  std::vector<std::vector<double>> out;
  for (int64_t i = 0; i < rows; ++i) out.emplace_back(values.begin() + i * width, values.begin() + (i + 1) * width);
  return out;
}

Sample cosine_sample(const char* label, const Dims& sizes, Reduction reduction, double margin) {
  Dims target;
  if (sizes.size() == 2) target = {sizes[0]};
  return loss_sample(
      label, {test_values(sizes), test_values(sizes, 1), test_signs(target, 2)},
      [=](const TensorList& in) {
        return cosine_embedding_loss(in[0], in[1], in[2], {.margin = margin, .reduction = reduction});
      },
      [=](const TensorList& in) {
        const auto a = rows_of(in[0]), b = rows_of(in[1]);
        const auto t = doubles(in[2]);
        std::vector<double> losses;
        for (size_t i = 0; i < t.size(); ++i) {
          double ab = 0, aa = 1e-12, bb = 1e-12;
          for (size_t k = 0; k < a[i].size(); ++k)
            ab += a[i][k] * b[i][k], aa += a[i][k] * a[i][k], bb += b[i][k] * b[i][k];
          const double cosine = ab / std::sqrt(aa * bb);
          losses.push_back(t[i] == 1 ? 1 - cosine : t[i] == -1 ? hinge(cosine - margin) : 0);
        }
        return losses;
      },
      reduction);
}
ORDO_OP_SAMPLES(cosine_embedding_loss) {
  return {cosine_sample("mean", {4, 3}, Reduction::mean, 0),
          cosine_sample("sum", {5, 2}, Reduction::sum, -0.5),
          cosine_sample("none", {6, 5}, Reduction::none, 0.25),
          cosine_sample("one pair", {7}, Reduction::mean, 0),
          cosine_sample("sum of nothing", {0, 3}, Reduction::sum, 0),
          cosine_sample("wide", {5, 1000}, Reduction::none, -0.5)};
}
ORDO_OP_SIZES(cosine_embedding_loss) {
  return {cosine_sample("rows", {n, 3}, Reduction::mean, 0), cosine_sample("columns", {3, n + 1}, Reduction::none, -1)};
}
ORDO_OP_INTEGER(cosine_embedding_loss, "target",
                cosine_embedding_loss(some(d).narrow(0, 0, 1), some(d).narrow(0, 1, 1), one_index(v, d)));
ORDO_OP_INTEGER(cosine_embedding_loss, "reduction",
                cosine_embedding_loss(some(d)[0], some(d)[1], one_index(1, d)[0],
                                      {.reduction = Reduction(uint8_t(v))}));

struct Triplet {
  double margin = 1, p = 2;
  bool swap = false;
  Reduction reduction = Reduction::mean;
};
Sample triplet_sample(const char* label, const Dims& sizes, Triplet o = {}) {
  Sample s = loss_sample(
      label, {test_values(sizes), test_values(sizes, 1), test_values(sizes, 2)},
      [=](const TensorList& in) {
        return triplet_margin_loss(in[0], in[1], in[2],
                                   {.margin = o.margin, .p = o.p, .swap = o.swap, .reduction = o.reduction});
      },
      [=](const TensorList& in) {
        const auto a = rows_of(in[0]), near = rows_of(in[1]), far = rows_of(in[2]);
        const auto distance = [&](const std::vector<double>& x, const std::vector<double>& y) {
          double sum = 0;
          for (size_t k = 0; k < x.size(); ++k) sum += std::pow(std::abs(x[k] - y[k] + 1e-6), o.p);
          return std::pow(sum, 1 / o.p);
        };
        std::vector<double> losses;
        for (size_t i = 0; i < a.size(); ++i) {
          double other = distance(a[i], far[i]);
          if (o.swap) other = std::min(other, distance(near[i], far[i]));
          losses.push_back(hinge(o.margin + distance(a[i], near[i]) - other));
        }
        return losses;
      },
      o.reduction);
  s.tolerance = 256;  // the distances are larger than their difference
  return s;
}
ORDO_OP_SAMPLES(triplet_margin_loss) {
  return {triplet_sample("mean", {4, 3}),
          triplet_sample("sum, swapped", {5, 4}, {.swap = true, .reduction = Reduction::sum}),
          triplet_sample("none", {6, 5}, {.margin = 2, .reduction = Reduction::none}),
          triplet_sample("sums of sizes", {4, 3}, {.p = 1}),
          triplet_sample("one triplet", {7}, {.margin = 3}),
          triplet_sample("batches", {2, 3, 4}, {.p = 3, .reduction = Reduction::none}),
          triplet_sample("sum of nothing", {0, 3}, {.reduction = Reduction::sum})};
}
ORDO_OP_SIZES(triplet_margin_loss) {
  return {triplet_sample("rows", {n, 3}),
          triplet_sample("columns", {3, n}, {.margin = double(n), .swap = true, .reduction = Reduction::none})};
}
ORDO_OP_INTEGER(triplet_margin_loss, "reduction",
                triplet_margin_loss(some(d), some(d), some(d), {.reduction = Reduction(uint8_t(v))}));

// -- what samples cannot say

TEST(MarginLosses, soft_margins_do_not_overflow) {
  for (Device device : test_devices()) {
    const Tensor x = from_vector<double>({-1000, 1000, -HUGE_VAL}, {3}).to(device).set_requires_grad();
    const Tensor one = ones({3}, {float64, device});
    EXPECT_EQ(soft_margin_loss(x, one, Reduction::none).to_vector<double>(), (std::vector<double>{1000, 0, HUGE_VAL}));
    EXPECT_EQ(grad({soft_margin_loss(x, one, Reduction::sum)}, {x})[0].to_vector<double>(),
              (std::vector<double>{-1, 0, -1}));
  }
}

TEST(MarginLosses, half_types_are_rounded_once) {
  for (Device device : test_devices()) {
    const Tensor a = (test_values({5, 64}) * 200).to(device, float16), b = test_values({5, 64}, 1).to(device, float16);
    const Tensor t = test_signs({5}, 2).to(device);
    EXPECT_EQ(bytes_of(cosine_embedding_loss(a, b, t)),
              bytes_of(cosine_embedding_loss(a.to(float32), b.to(float32), t).to(float16)));
    EXPECT_EQ(bytes_of(triplet_margin_loss(a, b, b.flip({0}))),
              bytes_of(triplet_margin_loss(a.to(float32), b.to(float32), b.flip({0}).to(float32)).to(float16)));
  }
}

TEST(MarginLosses, triplets_broadcast) {
  const Tensor a = test_values({4, 3}), one = test_values({1, 3}, 1), n = test_values({4, 3}, 2);
  EXPECT_EQ(bytes_of(triplet_margin_loss(a, one, n)), bytes_of(triplet_margin_loss(a, one.expand({4, 3}), n)));
}

TEST(MarginLosses, bad_input) {
  const Tensor x = ones({2, 3}), t = ones({2, 3}, {int64});
  EXPECT_ORDO_ERROR(triplet_margin_loss(x, x, x, {.margin = 0}), ValueError, "margin");
}

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

Sample multilabel_sample(const char* label, const Dims& sizes, Reduction reduction, bool weighted = false,
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
  return {multilabel_sample("mean", {5, 4}, Reduction::mean),
          multilabel_sample("weights", {5, 4}, Reduction::mean, true),
          multilabel_sample("sum, integers", {3, 6}, Reduction::sum, false, true),
          multilabel_sample("none, weights", {2, 3, 5}, Reduction::none, true),
          multilabel_sample("one sample", {7}, Reduction::mean),
          multilabel_sample("sum of nothing", {0, 3}, Reduction::sum),
          multilabel_sample("many classes", {20, 700}, Reduction::none)};
}
ORDO_OP_SIZES(multilabel_soft_margin_loss) {
  return {multilabel_sample("samples", {n, 4}, Reduction::mean, true),
          multilabel_sample("classes", {3, n}, Reduction::none)};
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
}  // namespace ordo::test::margin_losses_samples_test

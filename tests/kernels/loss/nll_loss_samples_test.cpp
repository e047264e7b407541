#include "tests/kernels/samples.h"

namespace ordo::test::nll_loss_samples_test {
namespace {

struct Options {
  std::vector<double> weight = {};
  int64_t ignore = -100;
  Reduction reduction = Reduction::mean;
  double smoothing = 0;
};

/// Logits [N, C, S] (or [C]); with `log_p` they are log-probabilities already.
std::vector<double> reference(const Tensor& input, const Tensor& target, const Options& o, bool log_p) {
  const auto x = input.to_vector<double>();
  const auto t = target.to_vector<int64_t>();
  const int64_t c = input.dim() == 1 ? input.sizes()[0] : input.sizes()[1];
  const int64_t inner = input.dim() <= 2 ? 1 : input.numel() / (input.sizes()[0] * c);
  const auto weight = [&](int64_t k) { return o.weight.empty() ? 1.0 : o.weight[size_t(k)]; };
  std::vector<double> out;
  double total = 0, smooth_total = 0, weights = 0;
  for (size_t i = 0; i < t.size(); ++i) {
    const int64_t first = (int64_t(i) / inner * c) * inner + int64_t(i) % inner;
    double max = -HUGE_VAL, sum = 0, smooth = 0;
    for (int64_t k = 0; k < c; ++k) max = std::max(max, x[size_t(first + k * inner)]);
    for (int64_t k = 0; k < c; ++k) sum += std::exp(x[size_t(first + k * inner)] - max);
    const double shift = log_p ? 0 : max + std::log(sum);
    for (int64_t k = 0; k < c; ++k) smooth -= weight(k) * (x[size_t(first + k * inner)] - shift);
    if (t[i] == o.ignore) {
      out.push_back(0);
      continue;
    }
    const double loss = -weight(t[i]) * (x[size_t(first + t[i] * inner)] - shift);
    out.push_back(loss * (1 - o.smoothing) + smooth * o.smoothing / double(c));
    total += loss;
    smooth_total += smooth;
    weights += weight(t[i]);
  }
  if (o.reduction == Reduction::none) return out;
  const double both = total * (1 - o.smoothing) + smooth_total * o.smoothing / double(c);
  return {o.reduction == Reduction::mean ? both / weights : both};
}

Tensor weight_of(const Options& o, const Tensor& like) {
  if (o.weight.empty()) return {};
  return from_vector<double>(o.weight, {int64_t(o.weight.size())}).to(like.device(), like.dtype());
}

Tensor cross_entropy_of(const TensorList& in, const Options& o) {
  return cross_entropy(in[0], in[1],
                       {.weight = weight_of(o, in[0]),
                        .ignore_index = o.ignore,
                        .reduction = o.reduction,
                        .label_smoothing = o.smoothing});
}

Sample nll_sample(const char* label, const Dims& sizes, const Dims& target_sizes, Options o = {}) {
  const int64_t classes = sizes.size() == 1 ? sizes[0] : sizes[1];
  return {.label = label,
          .inputs = {test_values(sizes), test_indices(target_sizes, classes, 1)},
          .run =
              [=](const TensorList& in) {
                return nll_loss(in[0], in[1],
                                {.weight = weight_of(o, in[0]), .ignore_index = o.ignore, .reduction = o.reduction});
              },
          .reference = [=](const TensorList& in) { return reference(in[0], in[1], o, true); },
          .gradient = sizes.product() <= 100,
          .tolerance = 64};
}

Sample cross_entropy_sample(const char* label, const Dims& sizes, const Dims& target_sizes, Options o = {}) {
  Sample s = nll_sample(label, sizes, target_sizes, o);
  s.run = [=](const TensorList& in) { return cross_entropy_of(in, o); };
  s.reference = [=](const TensorList& in) { return reference(in[0], in[1], o, false); };
  return s;
}

/// Targets that are a probability for each class.
Sample probabilities_sample(const char* label, const Dims& sizes, Options o = {}) {
  const int class_dim = sizes.size() == 1 ? 0 : 1;
  return {.label = label,
          .inputs = {test_values(sizes), test_values(sizes, 1, 0, 1)},
          .run = [=](const TensorList& in) { return cross_entropy_of(in, o); },
          .reference =
              [=](const TensorList& in) {
                const auto x = in[0].to_vector<double>(), t = in[1].to_vector<double>();
                const int64_t c = sizes[class_dim];
                int64_t inner = 1;
                for (int d = class_dim + 1; d < sizes.size(); ++d) inner *= sizes[d];
                std::vector<double> out;
                double total = 0;
                for (int64_t i = 0; i < sizes.product() / c; ++i) {
                  const int64_t first = i / inner * c * inner + i % inner;
                  double sum = 0, loss = 0;
                  for (int64_t k = 0; k < c; ++k) sum += std::exp(x[size_t(first + k * inner)]);
                  for (int64_t k = 0; k < c; ++k) {
                    const size_t at = size_t(first + k * inner);
                    const double share = t[at] * (1 - o.smoothing) + o.smoothing / double(c);
                    loss -= (o.weight.empty() ? 1 : o.weight[size_t(k)]) * share * (x[at] - std::log(sum));
                  }
                  out.push_back(loss);
                  total += loss;
                }
                if (o.reduction == Reduction::none) return out;
                return std::vector<double>{o.reduction == Reduction::mean ? total / double(out.size()) : total};
              },
          .gradient = sizes.product() <= 100,
          .tolerance = 64};
}

const std::vector<double> kWeights{0.5, 1, 2, 0.25};  // the same in every dtype

ORDO_OP_SAMPLES(nll_loss) {
  return {
      nll_sample("batch", {5, 4}, {5}),
      nll_sample("one sample", {4}, {}),
      nll_sample("weights", {6, 4}, {6}, {.weight = kWeights}),
      nll_sample("ignored", {6, 4}, {6}, {.weight = kWeights, .ignore = 1}),
      nll_sample("sum", {5, 4}, {5}, {.reduction = Reduction::sum}),
      nll_sample("none", {5, 4}, {5}, {.weight = kWeights, .ignore = 2, .reduction = Reduction::none}),
      nll_sample("images", {2, 4, 3, 2}, {2, 3, 2}, {.weight = kWeights, .ignore = 0}),
      nll_sample("images, none", {2, 3, 5}, {2, 5}, {.reduction = Reduction::none}),
      nll_sample("a block and one", {4097, 4}, {4097}),
  };
}

ORDO_OP_SAMPLES(cross_entropy) {
  return {
      cross_entropy_sample("batch", {5, 4}, {5}),
      cross_entropy_sample("one sample", {4}, {}),
      cross_entropy_sample("weights, ignored", {6, 4}, {6}, {.weight = kWeights, .ignore = 1}),
      cross_entropy_sample("sum", {5, 4}, {5}, {.reduction = Reduction::sum}),
      cross_entropy_sample("images, none", {2, 4, 3}, {2, 3}, {.reduction = Reduction::none}),
      cross_entropy_sample("smoothed", {5, 4}, {5}, {.smoothing = 0.25}),
      cross_entropy_sample("smoothed, weights, ignored", {6, 4}, {6},
                           {.weight = kWeights, .ignore = 1, .smoothing = 0.5}),
      cross_entropy_sample("smoothed, none", {2, 4, 2}, {2, 2}, {.reduction = Reduction::none, .smoothing = 0.5}),
      cross_entropy_sample("many classes", {20, 700}, {20}),
      probabilities_sample("probabilities", {5, 4}),
      probabilities_sample("probabilities of one sample", {4}, {.reduction = Reduction::sum}),
      probabilities_sample("probabilities, weights, smoothed", {6, 4}, {.weight = kWeights, .smoothing = 0.25}),
      probabilities_sample("probabilities of images, none", {2, 4, 3},
                           {.weight = kWeights, .reduction = Reduction::none, .smoothing = 0.5}),
      probabilities_sample("probabilities of many classes", {20, 700}),
  };
}

template <class F>
std::vector<Sample> sized(int64_t n, F sample) {
  return {sample("samples", {n, 4}, {n}, {.weight = kWeights}),
          sample("samples, ignored, sum", {n, 4}, {n}, {.ignore = 1, .reduction = Reduction::sum}),
          sample("samples, none", {n, 4}, {n}, {.weight = kWeights, .reduction = Reduction::none}),
          sample("classes", {3, n}, {3}, {}), sample("cells", {2, 4, n}, {2, n}, {.weight = kWeights})};
}

ORDO_OP_SIZES(nll_loss) { return sized(n, nll_sample); }
ORDO_OP_SIZES(cross_entropy) {
  std::vector<Sample> out{cross_entropy_sample("classes", {3, n}, {3}),
                          cross_entropy_sample("classes, smoothed", {3, n}, {3}, {.smoothing = 0.25}),
                          probabilities_sample("probabilities", {3, n})};
  if (n > 257) {  // a block for each sample
    if (n == 4097) out.push_back(cross_entropy_sample("samples", {n, 4}, {n}, {.weight = kWeights}));
    return out;
  }
  for (Sample& s : sized(n, cross_entropy_sample)) out.push_back(std::move(s));
  out.push_back(cross_entropy_sample("smoothed", {n, 4}, {n}, {.weight = kWeights, .smoothing = 0.25}));
  return out;
}

TEST(NllLoss, int32_targets_and_nothing) {
  for (Device device : test_devices()) {
    const Tensor x = test_values({3, 4}).to(device);
    EXPECT_TRUE(std::isfinite(nll_loss(x, tensor<int64_t>({0, -100, 3}).to(device)).item<double>())) << "ignored";
    const Tensor no_x = empty({0, 4}, {float32, device}), no_t = empty({0}, {int64, device});
    EXPECT_TRUE(std::isnan(nll_loss(no_x, no_t).item<double>()));
    EXPECT_EQ(nll_loss(no_x, no_t, {.reduction = Reduction::sum}).item<double>(), 0);
  }
}

TEST(NllLoss, bad_input) {
  const Tensor x = ones({3, 4}), t = zeros({3}, {int64});
  EXPECT_ORDO_ERROR(nll_loss(x, t, {.weight = ones({4}, {float64})}), DTypeError, "weight");
  EXPECT_ORDO_ERROR(cross_entropy(x, t, {.label_smoothing = 1.5}), ValueError, "label_smoothing");
  EXPECT_ORDO_ERROR(cross_entropy(x, x, {.weight = ones({4}, {float64})}), DTypeError, "weight");
  EXPECT_ORDO_ERROR(cross_entropy(x, x, {.ignore_index = 1}), ValueError, "ignore_index");
  EXPECT_ORDO_ERROR(cross_entropy(x, x, {.reduction = Reduction(9)}), ValueError, "9");
}

}  // namespace
}  // namespace ordo::test::nll_loss_samples_test

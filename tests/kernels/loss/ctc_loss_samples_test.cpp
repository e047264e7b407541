#include <ordo/kernels/math/math.h>
#include "tests/kernels/ordering/rule1.h"
#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::ctc_loss_samples_test {
namespace {

using Lengths = std::vector<int64_t>;

struct Options {
  int64_t blank = 0;
  Reduction reduction = Reduction::mean;
  bool zero_infinity = false;
  bool concatenated = false;
  DType targets = int64;
  bool tensors = false;  // the lengths
};

struct Case {
  const char* label;
  Dims sizes;  // of log_probs
  Lengths input_lengths, target_lengths;
  Options options = {};
};

Tensor tensor_of(const Lengths& numbers) { return from_vector(numbers, {int64_t(numbers.size())}); }

/// Labels that are not blank, -1 past an item's end. They change from one to the next, so that a target of L labels
/// needs L steps only; in every other item they do not.
Tensor targets_of(const Case& c) {
  const int64_t batch = int64_t(c.target_lengths.size()), classes = c.sizes[c.sizes.size() - 1];
  int64_t most = 0;
  for (int64_t length : c.target_lengths) most = std::max(most, length);
  std::vector<int64_t> labels;
  const auto drawn = test_indices({batch, most}, std::max<int64_t>(1, classes - 1), 1).to_vector<int64_t>();
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t i = 0; i < most; ++i) {
      const bool inside = i < c.target_lengths[size_t(n)];
      int64_t label = n % 2 ? drawn[size_t(n * most + i)] : (n + i) % std::max<int64_t>(1, classes - 1);
      if (label >= c.options.blank) ++label;
      if (inside || !c.options.concatenated) labels.push_back(inside ? label : -1);
    }
  const Dims sizes = c.options.concatenated ? Dims{int64_t(labels.size())} : Dims{batch, most};
  return from_vector(labels, sizes).to(c.options.targets);
}

Tensor loss_of(const TensorList& in, const Case& c) {
  if (!c.options.tensors)
    return ctc_loss(
        in[0], in[1], c.input_lengths, c.target_lengths,
        {.blank = c.options.blank, .reduction = c.options.reduction, .zero_infinity = c.options.zero_infinity});
  return ctc_loss(
      in[0], in[1], tensor_of(c.input_lengths), tensor_of(c.target_lengths).to(int32),
      {.blank = c.options.blank, .reduction = c.options.reduction, .zero_infinity = c.options.zero_infinity});
}

double log_sum(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == -INFINITY ? a : a + std::log1p(std::exp(b - a));
}

std::vector<double> reference(const TensorList& in, const Case& c) {
  const auto x = in[0].to_vector<double>();
  const auto labels = in[1].to_vector<int64_t>();
  const int64_t batch = int64_t(c.target_lengths.size()), classes = in[0].size(-1);
  std::vector<double> losses;
  size_t at = 0;
  for (int64_t n = 0; n < batch; ++n) {
    if (!c.options.concatenated) at = size_t(n * in[1].size(-1));
    std::vector<int64_t> states{c.options.blank};
    for (int64_t i = 0; i < c.target_lengths[size_t(n)]; ++i) {
      states.push_back(labels[at++]);
      states.push_back(c.options.blank);
    }
    std::vector<double> alpha(states.size(), -INFINITY);
    for (int64_t t = 0; t < c.input_lengths[size_t(n)]; ++t) {
      std::vector<double> next(alpha.size(), -INFINITY);
      for (size_t s = 0; s < states.size(); ++s) {
        double all = t == 0 && s < 2 ? 0 : alpha[s];
        if (t > 0 && s >= 1) all = log_sum(all, alpha[s - 1]);
        if (t > 0 && s >= 2 && states[s] != states[s - 2]) all = log_sum(all, alpha[s - 2]);
        next[s] = all + x[size_t((t * batch + n) * classes + states[s])];
      }
      alpha = next;
    }
    double loss = -log_sum(alpha.back(), states.size() > 1 ? alpha[alpha.size() - 2] : -INFINITY);
    if (c.input_lengths[size_t(n)] == 0) loss = states.size() == 1 ? 0 : INFINITY;
    losses.push_back(c.options.zero_infinity && loss == INFINITY ? 0 : loss);
  }
  if (c.options.reduction == Reduction::none) return losses;
  double sum = 0;
  for (size_t n = 0; n < losses.size(); ++n)
    sum += losses[n] / (c.options.reduction == Reduction::mean ? double(std::max<int64_t>(1, c.target_lengths[n])) : 1);
  return {c.options.reduction == Reduction::mean ? sum / double(batch) : sum};
}

Sample sample_of(const Case& c) {
  Sample s = new_sample(c.label, {test_values(c.sizes), targets_of(c)});
  s.run = [c](const TensorList& in) { return loss_of(in, c); };
  s.reference = [c](const TensorList& in) { return reference(in, c); };
  s.gradient = c.sizes.product() <= 200 && std::isfinite(reference(s.inputs, c)[0]);
  s.second_order = false;
  s.tolerance = 64 + 4 * double(c.sizes[0]);  // every step rounds, and a small loss is the log of nearly 1
  return s;
}

/// With lengths among the inputs, so that a sequence can be taken out with its own.
Sample with_lengths() {
  const Case c{"lengths as inputs", {6, 3, 4}, {6, 5, 4}, {3, 2, 1}, {.reduction = Reduction::none}};
  Sample s = sample_of(c);
  s.inputs.push_back(tensor_of(c.input_lengths));
  s.inputs.push_back(tensor_of(c.target_lengths));
  s.run = [](const TensorList& in) { return ctc_loss(in[0], in[1], in[2], in[3], {.reduction = Reduction::none}); };
  s.reference = [c](const TensorList& in) {
    Case now = c;
    now.input_lengths = in[2].to_vector<int64_t>();
    now.target_lengths = in[3].to_vector<int64_t>();
    return reference(in, now);
  };
  return s;
}

ORDO_OP_SAMPLES(ctc_loss) {
  std::vector<Sample> samples =
      samples_of<Case>({{"batch", {6, 3, 4}, {6, 5, 4}, {3, 2, 1}},
                        {"one item", {5, 3}, {5}, {2}, {.concatenated = true}},
                        {"one item, none", {5, 3}, {4}, {2}, {.reduction = Reduction::none}},
                        {"last class blank, sum", {6, 2, 4}, {6, 6}, {3, 2}, {.blank = 3, .reduction = Reduction::sum}},
                        {"none", {5, 3, 3}, {5, 5, 3}, {2, 2, 1}, {.blank = 1, .reduction = Reduction::none}},
                        {"concatenated", {6, 3, 4}, {6, 5, 4}, {3, 0, 1}, {.concatenated = true, .targets = int32}},
                        {"lengths in tensors", {6, 2, 4}, {6, 6}, {2, 1}, {.targets = int32, .tensors = true}},
                        {"empty targets", {4, 2, 3}, {4, 0}, {0, 0}},
                        {"impossible", {3, 3, 3}, {3, 0, 2}, {4, 1, 2}, {.reduction = Reduction::none}},
                        {"impossible, zero_infinity", {3, 3, 3}, {3, 0, 2}, {4, 1, 2}, {.zero_infinity = true}},
                        {"longer", {150, 3, 5}, {150, 140, 100}, {70, 40, 3}},
                        {"no steps", {0, 2, 3}, {0, 0}, {1, 0}, {.reduction = Reduction::none}}},
                       sample_of);
  samples.push_back(with_lengths());
  return samples;
}
ORDO_OP_SIZES(ctc_loss) {
  std::vector<Case> cases{{"steps", {n, 2, 3}, {n, (n + 1) / 2}, {1, 1}},
                          {"items", {3, n, 4}, Lengths(size_t(n), 3), Lengths(size_t(n), 1)},
                          {"classes", {3, 2, n + 1}, {3, 3}, {2, 1}}};
  if (n <= 257) cases.push_back({"labels", {n, 1, 5}, {n}, {n}});
  if (n == 1025) cases.push_back({"labels, impossible", {2, 2, 5}, {2, 2}, {n, 1}, {.zero_infinity = true}});
  return samples_of(cases, sample_of);
}
ORDO_OP_INTEGER(ctc_loss, "targets", ctc_loss(some(d), one_index(v, d), Lengths{2}, Lengths{1}));
ORDO_OP_INTEGER(ctc_loss, "input_lengths", ctc_loss(some(d), one_index(1, d), {v}, {1}));
ORDO_OP_INTEGER(ctc_loss, "target_lengths", ctc_loss(some(d), one_index(1, d), {2}, {v}));
ORDO_OP_INTEGER(ctc_loss, "target_lengths of two",
                ctc_loss(ones({2, 2, 3}, {.device = d}), one_index(1, d), {2, 2}, {v, v}));
ORDO_OP_INTEGER(ctc_loss, "blank", ctc_loss(some(d), one_index(1, d), Lengths{2}, Lengths{1}, {.blank = v}));
ORDO_OP_INTEGER(ctc_loss, "reduction",
                ctc_loss(some(d), one_index(1, d), Lengths{2}, Lengths{1}, {.reduction = Reduction(uint8_t(v))}));

// -- against all alignments -------------------------------------------------------------------------------------------

/// Of every target the probabilities of all paths that become it, and of those in which step t has class c.
struct Alignments {
  double probability = 0;
  std::vector<double> with;  // [t][c]
};

std::map<Lengths, Alignments> all_alignments(const std::vector<double>& x, int64_t steps, int64_t classes,
                                             int64_t blank) {
  std::map<Lengths, Alignments> all;
  int64_t paths = 1;
  for (int64_t t = 0; t < steps; ++t) paths *= classes;
  for (int64_t p = 0; p < paths; ++p) {
    Lengths path, target;
    double log_p = 0;
    for (int64_t t = 0, rest = p; t < steps; ++t, rest /= classes) {
      const int64_t c = rest % classes;
      if (c != blank && (t == 0 || c != path.back())) target.push_back(c);
      path.push_back(c);
      log_p += x[size_t(t * classes + c)];
    }
    Alignments& a = all[target];
    a.with.resize(size_t(steps * classes));
    a.probability += std::exp(log_p);
    for (int64_t t = 0; t < steps; ++t) a.with[size_t(t * classes + path[size_t(t)])] += std::exp(log_p);
  }
  return all;
}

TEST(CtcLoss, is_the_sum_over_all_alignments) {
  for (const auto& [steps, classes, blank] :
       std::vector<std::tuple<int64_t, int64_t, int64_t>>{{1, 2, 0}, {4, 3, 0}, {5, 3, 1}, {4, 4, 3}, {6, 2, 1}}) {
    const Tensor values = log_softmax(test_values({steps, classes}, 3), 1);
    const auto all = all_alignments(values.to_vector<double>(), steps, classes, blank);
    double together = 0;
    for (Device device : test_devices())
      for (const auto& [target, a] : all) {
        Tensor x = values.to(device).detach().set_requires_grad();
        const Tensor loss = ctc_loss(x, tensor_of(target).to(device), {steps}, {int64_t(target.size())},
                                     {.blank = blank, .reduction = Reduction::sum});
        EXPECT_NEAR(loss.item<double>(), -std::log(a.probability), 1e-12);
        if (device.is_cpu()) together += std::exp(-loss.item<double>());
        loss.backward();
        const auto gradient = x.grad().to_vector<double>();
        for (size_t i = 0; i < gradient.size(); ++i)
          EXPECT_NEAR(gradient[i], -a.with[i] / a.probability, 1e-12) << "element " << i;
      }
    EXPECT_NEAR(together, 1, 1e-12) << "every path has one target";
  }
}

// -- bits -------------------------------------------------------------------------------------------------------------

Tensor gradient_of(const Tensor& values, const Tensor& targets, const Case& c) {
  Tensor x = values.detach().set_requires_grad();
  loss_of({x, targets}, c).backward();
  return x.grad();
}

/// Rule 11 in plain loops.
float rule_11_sum(float a, float b, float c) {
  float m = std::max(a, std::max(b, c));
  if (m == -HUGE_VALF) m = 0;
  return m + math::log((math::exp(a - m) + math::exp(b - m)) + math::exp(c - m));
}

TEST(CtcLoss, follows_ordering_rule_11) {
  const int64_t steps = 150, classes = 3, labels = 70;  // the blank has more than 64 states
  const size_t count = size_t(2 * labels + 1);
  const Case c{"", {steps, 1, classes}, {steps}, {labels}, {.reduction = Reduction::sum}};
  const Tensor values = test_values(c.sizes, 5).to(float32), targets = targets_of(c);
  const auto p = values.to_vector<float>();
  const auto label = targets.to_vector<int64_t>();
  const float never = -HUGE_VALF;
  const auto state = [&](size_t s) { return s % 2 ? label[s / 2] : 0; };
  const auto x = [&](int64_t t, size_t s) { return p[size_t(t * classes + state(s))]; };
  std::vector<std::vector<float>> alpha(size_t(steps), std::vector<float>(count, never)), from = alpha, beta = alpha;
  for (int64_t t = 0; t < steps; ++t)
    for (size_t s = 0; s < count; ++s) {
      if (t == 0) {
        if (s < 2) alpha[0][s] = x(0, s);
        continue;
      }
      const auto& a = alpha[size_t(t - 1)];
      alpha[size_t(t)][s] =
          rule_11_sum(a[s], s > 0 ? a[s - 1] : never, s > 1 && state(s) != state(s - 2) ? a[s - 2] : never) + x(t, s);
    }
  const float loss = -rule_11_sum(alpha.back()[count - 1], alpha.back()[count - 2], never);
  std::vector<float> gradient(p.size(), 0);
  for (int64_t t = steps - 1; t >= 0; --t) {
    std::vector<std::vector<float>> runs(static_cast<size_t>(classes));
    for (size_t s = 0; s < count; ++s) {
      float& f = from[size_t(t)][s];
      if (t == steps - 1) {
        f = s + 2 >= count ? 0 : never;
      } else {
        const auto& b = beta[size_t(t + 1)];
        f = rule_11_sum(b[s], s + 1 < count ? b[s + 1] : never,
                        s + 2 < count && state(s) != state(s + 2) ? b[s + 2] : never);
      }
      beta[size_t(t)][s] = f + x(t, s);
      runs[size_t(state(s))].push_back(math::exp((alpha[size_t(t)][s] + f) + loss));
    }
    for (int64_t k = 0; k < classes; ++k)
      if (!runs[size_t(k)].empty()) gradient[size_t(t * classes + k)] = -rule1(runs[size_t(k)]);
  }
  for (Device device : test_devices()) {
    EXPECT_EQ(loss_of({values.to(device), targets.to(device)}, c).item<float>(), loss) << device.str();
    EXPECT_EQ(bytes_of(gradient_of(values.to(device), targets.to(device), c)), bytes_of(from_vector(gradient, c.sizes)))
        << device.str();
  }
}

TEST(CtcLoss, forms_of_targets_and_lengths_do_not_change_bits) {
  const Case c{"", {12, 3, 5}, {12, 10, 7}, {4, 0, 3}, {.reduction = Reduction::none}};
  for (Device device : test_devices()) {
    const Tensor x = test_values(c.sizes).to(device, float32);
    const auto want = bytes_of(loss_of({x, targets_of(c).to(device)}, c));
    for (int form = 1; form < 8; ++form) {
      Case other = c;
      other.options.concatenated = form & 1;
      other.options.targets = form & 2 ? int32 : int64;
      other.options.tensors = form & 4;
      EXPECT_EQ(bytes_of(loss_of({x, targets_of(other).to(device)}, other)), want) << "form " << form;
    }
    for (int64_t n : {0, 1, 2}) {  // an item by itself
      Case one = c;
      one.input_lengths = {c.input_lengths[size_t(n)]};
      one.target_lengths = {c.target_lengths[size_t(n)]};
      const Tensor targets = targets_of(c)[n].narrow(0, 0, one.target_lengths[0]).to(device);
      const Tensor loss = loss_of({x.select(1, n), targets}, one);
      EXPECT_EQ(loss.dim(), 0);
      EXPECT_EQ(bytes_of(loss), bytes_of(loss_of({x, targets_of(c).to(device)}, c)[n]));
    }
    EXPECT_EQ(bytes_of(nn::CTCLoss({.reduction = Reduction::none})(x, targets_of(c).to(device), c.input_lengths,
                                                                   c.target_lengths)),
              want);
  }
}

// -- corners ----------------------------------------------------------------------------------------------------------

TEST(CtcLoss, impossible_targets) {
  for (Device device : test_devices()) {
    const Tensor values = test_values({3, 2, 3}).to(device), targets = tensor<int64_t>({1, 1, 2, 2}).to(device);
    for (bool zero : {false, true}) {
      Tensor x = values.clone().set_requires_grad();
      const Tensor losses = ctc_loss(x, targets.view({2, 2}), {3, 2}, {2, 2},
                                     {.reduction = Reduction::none, .zero_infinity = zero});  // 2 2 needs three steps
      EXPECT_TRUE(std::isfinite(losses[0].item<double>()));
      EXPECT_EQ(losses[1].item<double>(), zero ? 0 : INFINITY);
      losses.backward(ones({2}, {float64, device}));
      const auto g = x.grad().to_vector<double>();
      for (size_t t = 0; t < 3; ++t)
        for (size_t k = 0; k < 3; ++k) {
          EXPECT_TRUE(std::isfinite(g[t * 6 + k]));
          EXPECT_EQ(std::isnan(g[t * 6 + 3 + k]), !zero && t < 2);
          if (zero || t == 2) {
            EXPECT_EQ(g[t * 6 + 3 + k], 0);
          }
        }
    }
    // Without steps: 0 for an empty target, else impossible; there is no step that a gradient could belong to.
    Tensor x = values.clone().set_requires_grad();
    const Tensor losses = ctc_loss(x, targets.narrow(0, 0, 1), {0, 0}, {1, 0}, {.reduction = Reduction::none});
    EXPECT_EQ(losses.to_vector<double>(), (std::vector<double>{INFINITY, 0}));
    losses.backward(ones({2}, {float64, device}));
    EXPECT_EQ(x.grad().to_vector<double>(), std::vector<double>(18, 0));
  }
}

TEST(CtcLoss, classes_of_probability_0_and_nan) {
  for (Device device : test_devices()) {
    // Class 2 cannot be, and is not in the target; nor can class 1 at the first step.
    Tensor x = from_vector<double>({-1, -INFINITY, -INFINITY, -1, -2, -INFINITY}, {2, 3}).to(device);
    x.set_requires_grad();
    const Tensor target = tensor<int64_t>({1}).to(device);
    const Tensor loss = ctc_loss(x, target, {2}, {1});
    EXPECT_EQ(loss.item<double>(), 3);
    loss.backward();
    EXPECT_EQ(x.grad().to_vector<double>(), (std::vector<double>{-1, 0, 0, 0, -1, 0}));
    for (bool zero : {false, true})
      for (int at : {0, 1, 4}) {
        std::vector<double> values(6, -1);
        values[size_t(at)] = NAN;
        EXPECT_TRUE(std::isnan(ctc_loss(from_vector(values, {2, 3}).to(device), target, {2}, {1},
                                        {.reduction = Reduction::sum, .zero_infinity = zero})
                                   .item<double>()));
      }
  }
}

TEST(CtcLoss, blank_as_a_label_is_a_class) {
  const Case c{"", {5, 2, 3}, {5, 5}, {2, 1}, {.reduction = Reduction::none}};
  for (Device device : test_devices()) {
    const Tensor x = test_values(c.sizes), targets = tensor<int64_t>({1, 0, 0, 0}).view({2, 2});
    const auto got = loss_of({x.to(device), targets.to(device)}, c).to_vector<double>();
    const auto want = reference({x, targets}, c);
    for (size_t n : {0u, 1u}) EXPECT_NEAR(got[n], want[n], 1e-12);
    EXPECT_EQ(gradcheck(
                  [&](const TensorList& in) {
                    return loss_of({in[0], targets.to(device)}, c);
                  },
                  {x.to(device).set_requires_grad()}, {.second_order = false}),
              "");
  }
}

TEST(CtcLoss, no_items) {
  for (Device device : test_devices()) {
    const Tensor x = empty({4, 0, 3}, {float32, device}), targets = empty({0, 2}, {int64, device});
    EXPECT_TRUE(std::isnan(ctc_loss(x, targets, Lengths(), Lengths()).item<double>()));
    EXPECT_EQ(ctc_loss(x, targets, Lengths(), Lengths(), {.reduction = Reduction::sum}).item<double>(), 0);
    EXPECT_EQ(ctc_loss(x, targets, Lengths(), Lengths(), {.reduction = Reduction::none}).sizes(), Dims{0});
  }
}

TEST(CtcLoss, gradient_cannot_be_differentiated_again) {
  Tensor x = test_values({3, 1, 3}).set_requires_grad();
  const Tensor loss = ctc_loss(x, tensor<int64_t>({1}), {3}, {1});
  const Tensor gradient = grad({loss}, {x}, {}, true, true)[0];
  EXPECT_ORDO_ERROR(sum(gradient).backward(), AutogradError, "ctc_loss");
}

TEST(CtcLoss, labels_out_of_range) {
  for (Device device : test_devices()) {
    const Tensor x = test_values({4, 2, 3}).to(device);
    for (int64_t bad : {-1, 3, 100}) {
      const Tensor padded = from_vector<int64_t>({1, 2, 1, bad}, {2, 2}).to(device);
      EXPECT_ORDO_ERROR(ctc_loss(x, padded, {4, 4}, {2, 2}).item<double>(), IndexError,
                        "[ctc_loss] targets[3] = " + std::to_string(bad));
      EXPECT_ORDO_ERROR(ctc_loss(x, padded.view(-1).to(int32), {4, 4}, {1, 3}).item<double>(), IndexError,
                        "[ctc_loss] targets[3] = " + std::to_string(bad));
      EXPECT_TRUE(std::isfinite(ctc_loss(x, padded, {4, 4}, {2, 1}).item<double>())) << "nobody looks there";
    }
  }
}

}  // namespace
}  // namespace ordo::test::ctc_loss_samples_test

// Optimisers against a literal transcription of the formulas in double, and the rules around them.
#include <array>
#include <cmath>
#include <memory>

#include "tests/support/registry_test_base.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::optimizers_test {
namespace {

constexpr int kSteps = 6;

/// The gradient of step t, the same for reference and optimiser.
Tensor gradient(const Dims& sizes, int t) { return test_values(sizes, uint64_t(100 + t)); }

/// Largest difference from `expected` in units of the largest value.
double error(const Tensor& t, const std::vector<double>& expected) {
  double worst = 0, largest = 1e-300;
  const auto values = t.to_vector<double>();
  for (size_t i = 0; i < expected.size(); ++i) {
    worst = std::max(worst, std::abs(values[i] - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  return worst / largest;
}

void run_steps(optim::Optimizer& optimizer, Tensor& p) {
  for (int t = 0; t < kSteps; ++t) {
    p.set_grad(gradient(p.sizes(), t).to(p.device(), p.dtype()));
    optimizer.step();
  }
}

void steps_of(optim::Optimizer& optimizer, int from, int to) {
  for (int t = from; t < to; ++t) {
    for (size_t i = 0; i < optimizer.parameters().size(); ++i) {
      Tensor p = optimizer.parameters()[i];
      if (t >= int(2 * i)) p.set_grad(gradient(p.sizes(), t).to(p.device(), p.dtype()));  // parameter 2 begins late
    }
    optimizer.set_lr_factor(1.0 / (1 + t));
    optimizer.step();
  }
}

// Every step rounds a handful of times; with all values of the order of 1, 8 units in the last place per step suffice.
void expect_close(const Tensor& p, const std::vector<double>& expected) {
  EXPECT_LT(error(p, expected), kSteps * 8 * epsilon(p.dtype())) << name(p.dtype()) << " " << p.device().str();
}

const Dims kShapes[] = {{}, {0}, {1}, {3, 5}, {20001}};

/// What the steps of an element leave behind.
using Memory = std::array<double, 3>;

/// Compares with `step(p, g, memory, t, options)`, which is made of each element in double.
template <class Optimizer, class Options, class Step>
void expect_follows(const std::vector<DType>& dtypes, const std::vector<Options>& variants, const Step& step) {
  for (Device device : test_devices())
    for (DType dtype : dtypes)
      for (const Dims& sizes : kShapes)
        for (const Options& options : variants) {
          Tensor p = test_values(sizes).to(device, dtype).detach().set_requires_grad();
          auto expected = p.to_vector<double>();
          std::vector<Memory> memory(expected.size());
          for (int t = 0; t < kSteps; ++t) {
            const auto grads = gradient(sizes, t).to_vector<double>();
            for (size_t i = 0; i < grads.size(); ++i) step(expected[i], grads[i], memory[i], t, options);
          }
          Optimizer optimizer({p}, options);
          run_steps(optimizer, p);
          expect_close(p, expected);
        }
}

TEST(SGD, follows_its_formula) {
  expect_follows<optim::SGD, optim::SGDOptions>(
      {float64, float32, float16, bfloat16},
      {{.lr = 0.1},
       {.lr = 0.1, .weight_decay = 0.2},
       {.lr = 0.1, .momentum = 0.9},
       {.lr = 0.1, .momentum = 0.9, .dampening = 0.3, .weight_decay = 0.1},
       {.lr = 0.1, .momentum = 0.8, .weight_decay = 0.1, .nesterov = true}},
      [](double& p, double g, Memory& memory, int t, const optim::SGDOptions& o) {
        g += o.weight_decay * p;
        if (o.momentum != 0) {
          double& buffer = memory[0];
          buffer = t == 0 ? g : o.momentum * buffer + (1 - o.dampening) * g;
          g = o.nesterov ? g + o.momentum * buffer : buffer;
        }
        p -= o.lr * g;
      });
}

TEST(Adam, follows_its_formula) {
  const auto step = [](bool decoupled) {
    return [decoupled](double& p, double g, Memory& memory, int t, const auto& o) {
      auto& [m, v, largest] = memory;
      if (o.maximize) g = -g;
      if (decoupled)
        p *= 1 - o.lr * o.weight_decay;
      else
        g += o.weight_decay * p;
      m = o.betas.first * m + (1 - o.betas.first) * g;
      v = o.betas.second * v + (1 - o.betas.second) * g * g;
      largest = std::max(largest, v);
      const double mhat = m / (1 - std::pow(o.betas.first, t + 1));
      const double vhat = (o.amsgrad ? largest : v) / (1 - std::pow(o.betas.second, t + 1));
      p -= o.lr * mhat / (std::sqrt(vhat) + o.eps);
    };
  };
  expect_follows<optim::Adam, optim::AdamOptions>({float64, float32},
                                                  {{.lr = 0.1},
                                                   {.lr = 0.01, .betas = {0.8, 0.9}, .eps = 1e-3, .weight_decay = 0.1},
                                                   {.lr = 0.1, .betas = {0.8, 0.6}, .amsgrad = true},
                                                   {.lr = 0.1, .maximize = true}},
                                                  step(false));
  expect_follows<optim::AdamW, optim::AdamWOptions>(
      {float64, float32},
      {{.lr = 0.1, .weight_decay = 0}, {.lr = 0.01, .betas = {0.8, 0.9}, .eps = 1e-3, .weight_decay = 0.1}},
      step(true));
}

TEST(RMSprop, follows_its_formula) {
  expect_follows<optim::RMSprop, optim::RMSpropOptions>(
      {float64, float32},
      {{.lr = 0.1},
       {.lr = 0.01, .alpha = 0.9, .eps = 1e-3, .weight_decay = 0.1, .momentum = 0.8},
       {.lr = 0.01, .alpha = 0.8, .eps = 0.1, .centered = true},
       {.lr = 0.01, .alpha = 0.8, .eps = 0.1, .weight_decay = 0.1, .momentum = 0.5, .centered = true}},
      [](double& p, double g, Memory& memory, int, const optim::RMSpropOptions& o) {
        auto& [v, m, b] = memory;
        g += o.weight_decay * p;
        v = o.alpha * v + (1 - o.alpha) * g * g;
        m = o.alpha * m + (1 - o.alpha) * g;
        b = o.momentum * b + g / (std::sqrt(o.centered ? v - m * m : v) + o.eps);
        p -= o.lr * b;
      });
}

TEST(RMSprop, a_variance_that_rounding_makes_negative_is_zero) {
  Tensor p = tensor({1.0f}).set_requires_grad();
  optim::RMSprop optimizer({p}, {.lr = 0.1, .alpha = 0.99, .eps = 1e-3, .centered = true});
  for (int t = 0; t < 2000; ++t) {
    p.set_grad(tensor({0.3f}));
    optimizer.step();
    ASSERT_TRUE(std::isfinite(p.item<float>())) << t;
  }
}

TEST(Adagrad, follows_its_formula) {
  expect_follows<optim::Adagrad, optim::AdagradOptions>(
      {float64, float32},
      {{.lr = 0.1}, {.lr = 0.1, .lr_decay = 0.5, .weight_decay = 0.1, .initial_accumulator_value = 0.2, .eps = 1e-3}},
      [](double& p, double g, Memory& memory, int t, const optim::AdagradOptions& o) {
        double& sum = memory[0];
        if (t == 0) sum = o.initial_accumulator_value;
        g += o.weight_decay * p;
        sum += g * g;
        p -= o.lr / (1 + t * o.lr_decay) * g / (std::sqrt(sum) + o.eps);
      });
}

TEST(Adadelta, follows_its_formula) {
  expect_follows<optim::Adadelta, optim::AdadeltaOptions>(
      {float64, float32, float16},
      {{.lr = 0.5, .eps = 1e-2}, {.lr = 0.5, .rho = 0.8, .eps = 1e-2, .weight_decay = 0.1}},
      [](double& p, double g, Memory& memory, int, const optim::AdadeltaOptions& o) {
        auto& [v, u, unused] = memory;
        g += o.weight_decay * p;
        v = o.rho * v + (1 - o.rho) * g * g;
        const double d = std::sqrt(u + o.eps) / std::sqrt(v + o.eps) * g;
        u = o.rho * u + (1 - o.rho) * d * d;
        p -= o.lr * d;
      });
}

TEST(Adamax, follows_its_formula) {
  expect_follows<optim::Adamax, optim::AdamaxOptions>(
      {float64, float32}, {{.lr = 0.1}, {.lr = 0.1, .betas = {0.8, 0.7}, .eps = 1e-3, .weight_decay = 0.1}},
      [](double& p, double g, Memory& memory, int t, const optim::AdamaxOptions& o) {
        auto& [m, u, unused] = memory;
        g += o.weight_decay * p;
        m = o.betas.first * m + (1 - o.betas.first) * g;
        u = std::max(o.betas.second * u, std::abs(g) + o.eps);
        p -= o.lr / (1 - std::pow(o.betas.first, t + 1)) * m / u;
      });
}

TEST(NAdam, follows_its_formula) {
  expect_follows<optim::NAdam, optim::NAdamOptions>(
      {float64, float32}, {{.lr = 0.1}, {.lr = 0.1, .betas = {0.8, 0.7}, .weight_decay = 0.1, .momentum_decay = 0.5}},
      [](double& p, double g, Memory& memory, int t, const optim::NAdamOptions& o) {
        auto& [m, v, product] = memory;
        const auto momentum = [&](int step) {
          return o.betas.first * (1 - 0.5 * std::pow(0.96, step * o.momentum_decay));
        };
        const double now = momentum(t + 1), next = momentum(t + 2);
        product = (t == 0 ? 1 : product) * now;
        g += o.weight_decay * p;
        m = o.betas.first * m + (1 - o.betas.first) * g;
        v = o.betas.second * v + (1 - o.betas.second) * g * g;
        const double d = next * m / (1 - product * next) + (1 - now) * g / (1 - product);
        p -= o.lr * d / (std::sqrt(v / (1 - std::pow(o.betas.second, t + 1))) + o.eps);
      });
}

TEST(RAdam, follows_its_formula) {
  expect_follows<optim::RAdam, optim::RAdamOptions>(
      {float64, float32}, {{.lr = 0.1}, {.lr = 0.1, .betas = {0.8, 0.9}, .eps = 1e-3, .weight_decay = 0.1}},
      [](double& p, double g, Memory& memory, int t, const optim::RAdamOptions& o) {
        auto& [m, v, unused] = memory;
        g += o.weight_decay * p;
        m = o.betas.first * m + (1 - o.betas.first) * g;
        v = o.betas.second * v + (1 - o.betas.second) * g * g;
        const double power = std::pow(o.betas.second, t + 1), mhat = m / (1 - std::pow(o.betas.first, t + 1));
        const double all = 2 / (1 - o.betas.second) - 1, r = all - 2 * (t + 1) * power / (1 - power);
        double d = o.lr * mhat;
        if (r > 5)
          d *= std::sqrt((r - 4) * (r - 2) * all / ((all - 4) * (all - 2) * r)) * std::sqrt(1 - power) /
               (std::sqrt(v) + o.eps);
        p -= d;
      });
}

TEST(Rprop, follows_its_formula) {
  expect_follows<optim::Rprop, optim::RpropOptions>(
      {float64, float32}, {{.lr = 0.1}, {.lr = 0.1, .eta_minus = 0.6, .eta_plus = 1.5, .least = 0.09, .largest = 0.2}},
      [](double& p, double g, Memory& memory, int t, const optim::RpropOptions& o) {
        auto& [before, size, unused] = memory;
        if (t == 0) size = o.lr;
        const double sign = g * before;
        if (sign > 0) size *= o.eta_plus;
        if (sign < 0) size *= o.eta_minus, g = 0;
        size = std::clamp(size, o.least, o.largest);
        p -= (g > 0 ? size : g < 0 ? -size : 0);
        before = g;
      });
}

TEST(Optimizers, parameters_are_frozen_and_freed) {
  Tensor body = tensor({1.0f}), head = tensor({1.0f}).set_requires_grad();
  optim::SGD optimizer({body, head}, {.lr = 0.5});
  const auto step = [&] {
    optimizer.zero_grad();
    (body * head).sum().backward();
    optimizer.step();
  };
  step();
  EXPECT_EQ(body.item(), 1);
  EXPECT_EQ(head.item(), 0.5);
  body.requires_grad_();
  step();
  EXPECT_EQ(body.item(), 0.75);
  EXPECT_EQ(head.item(), 0);
  body.requires_grad_(false);
  head.detach().fill_(1);
  step();
  EXPECT_EQ(body.item(), 0.75);
  EXPECT_EQ(head.item(), 0.625);
}

TEST(Optimizers, groups_come_later_and_options_change) {
  Tensor a = tensor({1.0f}).set_requires_grad(), b = tensor({1.0f}).set_requires_grad();
  optim::SGD optimizer({a}, {.lr = 0.5});
  optimizer.add_param_group({{b}, {.lr = 0.25, .momentum = 0.5}});
  const auto step = [&] {
    a.set_grad(tensor({1.0f})), b.set_grad(tensor({1.0f}));
    optimizer.step();
  };
  step();
  EXPECT_EQ(a.item(), 0.5);
  EXPECT_EQ(b.item(), 0.75);
  step();
  EXPECT_EQ(b.item(), 0.75 - 0.25 * 1.5);
  auto options = optimizer.options(1);
  EXPECT_EQ(options.momentum, 0.5);
  options.lr = 1, options.maximize = true, options.momentum = 0;
  optimizer.set_options(options, 1);
  step();
  EXPECT_EQ(b.item(), 1.375);
  optimizer.set_lr(0.125, 1);
  EXPECT_EQ(optimizer.options(1).lr, 0.125);
  EXPECT_ORDO_ERROR(optimizer.add_param_group({{a}, {}}), ValueError, "parameter 2 is given twice");
  EXPECT_ORDO_ERROR(optimizer.add_param_group({{tensor({1.0f})}, {.momentum = -1}}), ValueError, "momentum");
  EXPECT_ORDO_ERROR(optimizer.set_options({.nesterov = true}), ValueError, "nesterov");
  EXPECT_ORDO_ERROR(optimizer.set_options({}, 2), IndexError, "group 2");
  EXPECT_EQ(optimizer.group_count(), 2);
  optim::AdamW adam({a}, {.lr = 0.5});
  adam.add_param_group({{b}, {.weight_decay = 0}});
  EXPECT_EQ(adam.options(0).weight_decay, 1e-2);
  EXPECT_EQ(adam.options(1).weight_decay, 0);
}

TEST(Optimizers, memory_that_new_options_ask_for_begins_at_zero) {
  Tensor p = test_values({7}).to(float32).detach().set_requires_grad();
  optim::RMSprop optimizer({p}, {.lr = 0.1});
  steps_of(optimizer, 0, 2);
  optimizer.set_options({.lr = 0.1, .momentum = 0.9, .centered = true});
  const auto state = optimizer.state_dict();
  ASSERT_EQ(state.size(), 5u);
  EXPECT_EQ(state[3].name, "state.0.momentum_buffer");
  EXPECT_TRUE(state[3].tensor.equal(zeros({7})));
  optim::RMSprop other({p}, {.lr = 0.1, .momentum = 0.9, .centered = true});
  other.load_state_dict(state);
  steps_of(other, 2, 4);
}

TEST(Optimizers, a_module_that_was_replaced_is_noticed) {
  auto layer = std::make_unique<nn::Linear>(2, 1);
  optim::SGD optimizer(layer->parameters(), {.lr = 0.1});
  (*layer)(ones({1, 2})).sum().backward();
  optimizer.step();
  optimizer.zero_grad();
  optimizer.step();  // without gradients nothing happens
  layer = std::make_unique<nn::Linear>(2, 1);
  (*layer)(ones({1, 2})).sum().backward();
  EXPECT_ORDO_ERROR(optimizer.step(), ValueError, "[SGD] nobody but the optimiser has parameter 0 any more");
}

TEST(Optimizers, groups_have_their_own_options) {
  Tensor a = test_values({40}).to(float32).detach().set_requires_grad(), b = a.clone().detach().set_requires_grad();
  Tensor c = a.clone().detach().set_requires_grad(), d = a.clone().detach().set_requires_grad();
  optim::SGD together({{{a}, {.lr = 0.1}}, {{b}, {.lr = 0.2, .momentum = 0.9}}});
  optim::SGD first({c}, {.lr = 0.1}), second({d}, {.lr = 0.2, .momentum = 0.9});
  for (int t = 0; t < kSteps; ++t) {
    for (optim::Optimizer* o : {static_cast<optim::Optimizer*>(&together), static_cast<optim::Optimizer*>(&first),
                                static_cast<optim::Optimizer*>(&second)}) {
      for (Tensor p : o->parameters()) p.set_grad(gradient({40}, t).to(float32));
      o->set_lr_factor(t < 3 ? 1 : 0.5);
      o->step();
    }
  }
  EXPECT_EQ(bytes_of(a), bytes_of(c));
  EXPECT_EQ(bytes_of(b), bytes_of(d));
  EXPECT_NE(bytes_of(a), bytes_of(b));
  EXPECT_EQ(together.group_count(), 2);
  EXPECT_EQ(together.lr(1), 0.1);
  together.set_lr(0.4, 1);
  EXPECT_EQ(together.lr(1), 0.2);
  EXPECT_EQ(together.lr(0), 0.05);
  EXPECT_ORDO_ERROR(together.lr(2), IndexError, "[SGD] there is no group 2; there are 2");
  EXPECT_ORDO_ERROR(together.set_lr(1, -1), IndexError, "group -1");
  EXPECT_ORDO_ERROR(together.set_lr_factor(std::nan("")), ValueError, "factor");
  EXPECT_ORDO_ERROR(optim::SGD({{{a}, {.lr = 0.1}}, {{a}, {.lr = 0.1}}}), ValueError, "parameter 1 is given twice");
  EXPECT_ORDO_ERROR(optim::Adam({{{a}, {.lr = 0.1}}, {{b}, {.eps = -1}}}), ValueError, "eps");
}

using MakeOptimizer = std::function<std::unique_ptr<optim::Optimizer>(const TensorList&)>;
const std::pair<const char*, MakeOptimizer> kOptimizers[] = {
    {"SGD", [](const TensorList& p) { return std::make_unique<optim::SGD>(p, optim::SGDOptions{.momentum = 0.9}); }},
    {"plain SGD", [](const TensorList& p) { return std::make_unique<optim::SGD>(p); }},
    {"Adam", [](const TensorList& p) { return std::make_unique<optim::Adam>(p); }},
    {"AdamW", [](const TensorList& p) { return std::make_unique<optim::AdamW>(p); }},
    {"RMSprop",
     [](const TensorList& p) {
       return std::make_unique<optim::RMSprop>(p, optim::RMSpropOptions{.momentum = 0.9, .centered = true});
     }},
    {"Adagrad",
     [](const TensorList& p) { return std::make_unique<optim::Adagrad>(p, optim::AdagradOptions{.lr_decay = 0.1}); }},
    {"amsgrad",
     [](const TensorList& p) { return std::make_unique<optim::Adam>(p, optim::AdamOptions{.amsgrad = true}); }},
    {"Adadelta", [](const TensorList& p) { return std::make_unique<optim::Adadelta>(p); }},
    {"Adamax", [](const TensorList& p) { return std::make_unique<optim::Adamax>(p); }},
    {"NAdam", [](const TensorList& p) { return std::make_unique<optim::NAdam>(p); }},
    {"RAdam", [](const TensorList& p) { return std::make_unique<optim::RAdam>(p); }},
    {"Rprop", [](const TensorList& p) { return std::make_unique<optim::Rprop>(p); }},
};

TEST(Optimizers, a_saved_state_continues_with_the_same_bits) {
  for (Device device : test_devices())
    for (const auto& [name, make] : kOptimizers)
      for (int stop = 0; stop <= kSteps; ++stop) {
        TensorList straight, resumed;
        for (uint64_t i = 0; i < 3; ++i) {
          straight.push_back(test_values({7}, i).to(device, float32).detach().set_requires_grad());
          resumed.push_back(straight.back().clone().detach().set_requires_grad());
        }
        const auto whole = make(straight), before = make(resumed);
        steps_of(*whole, 0, kSteps);
        steps_of(*before, 0, stop);
        const auto after = make(resumed);
        steps_of(*after, 0, 0);
        after->set_lr(77);
        after->load_state_dict(before->state_dict());
        EXPECT_EQ(after->lr_factor(), before->lr_factor());
        steps_of(*after, stop, kSteps);
        for (size_t i = 0; i < 3; ++i)
          EXPECT_EQ(bytes_of(straight[i]), bytes_of(resumed[i])) << name << " " << stop << " " << i;
      }
}

TEST(Optimizers, a_loaded_state_is_a_copy_and_replaces_what_was_there) {
  Tensor p = test_values({7}).to(float32).detach().set_requires_grad();
  optim::Adam adam({p}), other({p});
  const auto fresh = adam.state_dict();
  EXPECT_EQ(fresh.size(), 2u) << "no state before the first step";
  steps_of(adam, 0, 2);
  other.load_state_dict(adam.state_dict());
  const auto kept = bytes_of(adam.state_dict()[2].tensor);
  steps_of(other, 2, 4);
  EXPECT_EQ(bytes_of(adam.state_dict()[2].tensor), kept);
  EXPECT_EQ(adam.state_dict()[2].name, "state.0.exp_avg");
  other.load_state_dict(fresh);
  EXPECT_EQ(other.state_dict().size(), 2u);
}

TEST(Optimizers, states_that_do_not_fit) {
  Tensor p = test_values({7}).to(float32).detach().set_requires_grad();
  optim::Adam adam({p});
  steps_of(adam, 0, 2);
  const auto state = adam.state_dict();
  const auto bytes = bytes_of(state[2].tensor);
  auto missing = state;
  missing.erase(missing.begin() + 3);
  EXPECT_ORDO_ERROR(adam.load_state_dict(missing), ValueError, "[Adam] missing: 'state.0.exp_avg_sq'");
  EXPECT_ORDO_ERROR(optim::SGD({p}).load_state_dict(state), ValueError, "unexpected: 'state.0.beta1_power', ");
  auto two = state;
  two[0].tensor = ones({2}, {.dtype = float64});
  EXPECT_ORDO_ERROR(adam.load_state_dict(two), ShapeError, "'lr' has sizes [1], but [2] were given");
  two[0].tensor = full({1}, -1.0, {.dtype = float64});
  EXPECT_ORDO_ERROR(adam.load_state_dict(two), ValueError, "'lr' must be at least 0");
  two = state;
  two[2].tensor = ones({8});
  EXPECT_ORDO_ERROR(adam.load_state_dict(two), ShapeError, "'state.0.exp_avg' has sizes [7], but [8] were given");
  EXPECT_EQ(bytes_of(adam.state_dict()[2].tensor), bytes);
}

TEST(ClipGrad, by_norm) {
  for (Device device : test_devices()) {
    Tensor a = zeros({2}, {.device = device}).set_requires_grad(),
           b = zeros({1}, {.device = device}).set_requires_grad();
    Tensor none = zeros({3}, {.device = device}).set_requires_grad();
    const auto set = [&] {
      a.set_grad(from_vector<float>({3, 0}, {2}).to(device));
      b.set_grad(from_vector<float>({-4}, {1}).to(device));
    };
    set();
    EXPECT_EQ(optim::clip_grad_norm_({a, none, b}, 1).item<float>(), 5);
    EXPECT_NEAR(a.grad().to_vector<float>()[0], 0.6, 1e-6);
    EXPECT_NEAR(b.grad().to_vector<float>()[0], -0.8, 1e-6);
    set();
    EXPECT_EQ(optim::clip_grad_norm_({a, none, b}, 6).item<float>(), 5);
    EXPECT_EQ(a.grad().to_vector<float>(), (std::vector<float>{3, 0})) << "shorter gradients stay as they are";
    EXPECT_EQ(optim::clip_grad_norm_({a, b}, 2, INFINITY).item<float>(), 4);
    EXPECT_NEAR(b.grad().to_vector<float>()[0], -2, 2e-6);
    set();
    optim::clip_grad_value_({a, none, b}, 2.5);
    EXPECT_EQ(a.grad().to_vector<float>(), (std::vector<float>{2.5, 0}));
    EXPECT_EQ(b.grad().to_vector<float>(), (std::vector<float>{-2.5}));
    EXPECT_EQ(optim::clip_grad_norm_({none}, 1).item<float>(), 0);
    b.set_grad(from_vector<float>({INFINITY}, {1}).to(device));
    EXPECT_ORDO_ERROR(optim::clip_grad_norm_({a, b}, 1, 2, true), ValueError, "the norm of the gradients is inf");
    EXPECT_EQ(a.grad().to_vector<float>(), (std::vector<float>{2.5, 0}));
    EXPECT_ORDO_ERROR(optim::clip_grad_norm_({a}, 0), ValueError, "largest norm");
    EXPECT_ORDO_ERROR(optim::clip_grad_value_({a}, -1), ValueError, "bound");
  }
}

// What is added to the norm shows where the norm is small: a gradient of 1e-6 has half of the factor's divisor.
TEST(ClipGrad, by_a_small_norm) {
  for (Device device : test_devices()) {
    Tensor a = zeros({2}, {.dtype = float64, .device = device}).set_requires_grad();
    a.set_grad(from_vector<double>({6e-7, -8e-7}, {2}).to(device));
    EXPECT_NEAR(optim::clip_grad_norm_({a}, 1e-6).item<double>(), 1e-6, 1e-20);
    const auto clipped = a.grad().to_vector<double>();
    EXPECT_NEAR(clipped[0], 3e-7, 1e-20);
    EXPECT_NEAR(clipped[1], -4e-7, 1e-20);
    a.set_grad(zeros({2}, {.dtype = float64, .device = device}));
    optim::clip_grad_norm_({a}, 1e-6);
    EXPECT_EQ(a.grad().to_vector<double>(), (std::vector<double>{0, 0})) << "and 0 is not divided by 0";
  }
}

TEST(EMA, averages_swaps_and_continues) {
  Tensor p = tensor({1.0f, 2.0f}).set_requires_grad();
  optim::EMA ema({p}, {.decay = 0.5}), other({p}, {.decay = 0.5});
  p.detach().copy_(tensor({3.0f, 2.0f}));
  ema.update();
  EXPECT_EQ(ema.averages()[0].to_vector<float>(), (std::vector<float>{2, 2}));
  other.load_state_dict(ema.state_dict());
  ema.swap();
  EXPECT_EQ(p.to_vector<float>(), (std::vector<float>{2, 2}));
  ema.swap();
  EXPECT_EQ(p.to_vector<float>(), (std::vector<float>{3, 2}));
  ema.update();
  other.update();
  EXPECT_EQ(bytes_of(ema.averages()[0]), bytes_of(other.averages()[0]));
  EXPECT_EQ(other.averages()[0].to_vector<float>(), (std::vector<float>{2.5, 2}));
  optim::EMA young({p}, {.decay = 0.5, .warm_up = true});
  p.detach().copy_(tensor({13.0f, 2.0f}));
  young.update();
  EXPECT_EQ(young.averages()[0].to_vector<float>()[0], 12) << "1 / 10 of the first value is left";
  EXPECT_ORDO_ERROR(optim::EMA({p}, {.decay = 2}), ValueError, "decay");
  EXPECT_ORDO_ERROR(optim::EMA(TensorList{}), ValueError, "no parameters");
}

TEST(Optimizers, same_bits_on_every_device_and_thread_count) {
  const ThreadsScope scope;
  for (const auto& [name, make] : kOptimizers) {
    std::vector<uint8_t> first;
    for (Device device : test_devices())
      for (int n : {1, 4}) {
        set_num_threads(n);
        Tensor p = test_values({70000}).to(device, float32).detach().set_requires_grad();
        const auto optimizer = make({p});
        run_steps(*optimizer, p);
        if (first.empty()) first = bytes_of(p);
        EXPECT_EQ(bytes_of(p), first) << name << " " << device.str();
      }
  }
}

TEST(Optimizers, parameters_without_gradient_stay_and_the_learning_rate_can_change) {
  Tensor a = tensor({1.0f}).set_requires_grad(), b = tensor({1.0f}).set_requires_grad();
  optim::SGD optimizer({a, b}, {.lr = 0.5, .weight_decay = 1});
  a.set_grad(tensor({1.0f}));
  optimizer.set_lr(0.25);
  EXPECT_EQ(optimizer.lr(), 0.25);
  optimizer.step();
  EXPECT_EQ(a.item<float>(), 0.5f);
  EXPECT_EQ(b.item<float>(), 1);
  optimizer.zero_grad();
  EXPECT_FALSE(a.grad().defined());
  EXPECT_ORDO_ERROR(optimizer.set_lr(-1), ValueError, "SGD");
}

TEST(Optimizers, non_contiguous_parameters_and_gradients) {
  for (Device device : test_devices()) {
    Tensor memory = zeros({3, 2}, {.device = device});
    Tensor p = memory.t().detach().set_requires_grad();
    p.set_grad(from_vector<float>({1, 2, 3, 4, 5, 6}, {3, 2}).to(device).t().detach());
    optim::SGD(TensorList{p}, {.lr = 1}).step();
    EXPECT_EQ(memory.to_vector<float>(), (std::vector<float>{-1, -2, -3, -4, -5, -6}));
  }
}

TEST(Optimizers, a_step_counts_as_a_change_in_place) {
  Tensor p = tensor({2.0f}).set_requires_grad();
  const Tensor loss = p * p;
  p.set_grad(tensor({1.0f}));
  optim::SGD({p}, {.lr = 1}).step();
  EXPECT_ORDO_ERROR(loss.backward(), AutogradError, "SGD");
}

TEST(Optimizers, impossible_arguments) {
  Tensor p = tensor({2.0f}).set_requires_grad();
  EXPECT_ORDO_ERROR(optim::SGD(TensorList{Tensor()}), ValueError, "SGD");
  EXPECT_ORDO_ERROR(optim::Adam(TensorList{tensor({1})}), ValueError, "parameter 0 is int64, which has no gradient");
  EXPECT_ORDO_ERROR(optim::SGD({p}, {.momentum = -1}), ValueError, "momentum");
  EXPECT_ORDO_ERROR(optim::SGD({p}, {.weight_decay = -1}), ValueError, "weight decay");
  EXPECT_ORDO_ERROR(optim::Adam({p}, {.betas = {1, 0.9}}), ValueError, "betas");
  EXPECT_ORDO_ERROR(optim::Adam({p}, {.eps = -1}), ValueError, "eps");
  EXPECT_ORDO_ERROR(optim::AdamW({p}, {.weight_decay = -1}), ValueError, "AdamW");
  EXPECT_ORDO_ERROR(optim::RMSprop({p}, {.alpha = 1}), ValueError, "alpha");
  EXPECT_ORDO_ERROR(optim::RMSprop({p}, {.momentum = -1}), ValueError, "momentum");
  EXPECT_ORDO_ERROR(optim::Adagrad({p}, {.lr_decay = -1}), ValueError, "decay of the learning rate");
  EXPECT_ORDO_ERROR(optim::Adadelta({p}, {.rho = 2}), ValueError, "rho");
  EXPECT_ORDO_ERROR(optim::Adamax({p}, {.betas = {0.9, 1}}), ValueError, "[Adamax] needs betas");
  EXPECT_ORDO_ERROR(optim::NAdam({p}, {.momentum_decay = -1}), ValueError, "decay of the momentum");
  EXPECT_ORDO_ERROR(optim::RAdam({p}, {.eps = -1}), ValueError, "[RAdam] needs eps");
  EXPECT_ORDO_ERROR(optim::Rprop({p}, {.eta_plus = 0.9}), ValueError, "eta_plus");
  EXPECT_ORDO_ERROR(optim::Rprop({p}, {.least = 2, .largest = 1}), ValueError, "least <= largest");
  EXPECT_ORDO_ERROR(optim::Adagrad({p}, {.initial_accumulator_value = -1}), ValueError, "initial sum");
}

}  // namespace
}  // namespace ordo::test::optimizers_test

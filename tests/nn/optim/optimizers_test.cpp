// SGD and Adam against a literal transcription of the formulas in double, and the rules around them.
#include <gtest/gtest.h>

#include <cmath>

#include <ordo/autograd/autograd.h>
#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/engine/error.h>
#include <ordo/engine/parallel.h>
#include <ordo/nn/optim/adam.h>
#include <ordo/nn/optim/sgd.h>
#include "tests/support/op_samples.h"

namespace ordo::test {
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

double epsilon(DType t) {
  switch (t) {
    case DType::float64:
      return 0x1p-52;
    case DType::float32:
      return 0x1p-23;
    case DType::float16:
      return 0x1p-10;
    default:
      return 0x1p-7;
  }
}

std::vector<double> sgd_reference(std::vector<double> p, const Dims& sizes, const optim::SGDOptions& o) {
  std::vector<double> buffer(p.size());
  for (int t = 0; t < kSteps; ++t) {
    const auto grads = gradient(sizes, t).to_vector<double>();
    for (size_t i = 0; i < p.size(); ++i) {
      double g = grads[i] + o.weight_decay * p[i];
      if (o.momentum != 0) {
        buffer[i] = t == 0 ? g : o.momentum * buffer[i] + (1 - o.dampening) * g;
        g = o.nesterov ? g + o.momentum * buffer[i] : buffer[i];
      }
      p[i] -= o.lr * g;
    }
  }
  return p;
}

std::vector<double> adam_reference(std::vector<double> p, const Dims& sizes, const optim::AdamOptions& o,
                                   bool decoupled) {
  std::vector<double> m(p.size()), v(p.size());
  for (int t = 0; t < kSteps; ++t) {
    const auto grads = gradient(sizes, t).to_vector<double>();
    for (size_t i = 0; i < p.size(); ++i) {
      double g = grads[i];
      if (decoupled)
        p[i] *= 1 - o.lr * o.weight_decay;
      else
        g += o.weight_decay * p[i];
      m[i] = o.betas.first * m[i] + (1 - o.betas.first) * g;
      v[i] = o.betas.second * v[i] + (1 - o.betas.second) * g * g;
      const double mhat = m[i] / (1 - std::pow(o.betas.first, t + 1));
      const double vhat = v[i] / (1 - std::pow(o.betas.second, t + 1));
      p[i] -= o.lr * mhat / (std::sqrt(vhat) + o.eps);
    }
  }
  return p;
}

template <class Optimizer>
void run_steps(Optimizer& optimizer, Tensor& p) {
  for (int t = 0; t < kSteps; ++t) {
    p.set_grad(gradient(p.sizes(), t).to(p.device(), p.dtype()));
    optimizer.step();
  }
}

// Every step rounds a handful of times; with all values of the order of 1, 8 units in the last place per step suffice.
void expect_close(const Tensor& p, const std::vector<double>& expected) {
  EXPECT_LT(error(p, expected), kSteps * 8 * epsilon(p.dtype())) << name(p.dtype()) << " " << p.device().str();
}

const Dims kShapes[] = {{}, {0}, {1}, {3, 5}, {20001}};

TEST(SGD, follows_its_formula) {
  const optim::SGDOptions variants[] = {{.lr = 0.1},
                                        {.lr = 0.1, .weight_decay = 0.2},
                                        {.lr = 0.1, .momentum = 0.9},
                                        {.lr = 0.1, .momentum = 0.9, .dampening = 0.3, .weight_decay = 0.1},
                                        {.lr = 0.1, .momentum = 0.8, .weight_decay = 0.1, .nesterov = true}};
  for (Device device : test_devices())
    for (DType dtype : {float64, float32, float16, bfloat16})
      for (const Dims& sizes : kShapes)
        for (const auto& options : variants) {
          Tensor p = test_values(sizes).to(device, dtype).detach().set_requires_grad();
          const auto expected = sgd_reference(p.to_vector<double>(), sizes, options);
          optim::SGD optimizer({p}, options);
          run_steps(optimizer, p);
          expect_close(p, expected);
        }
}

TEST(Adam, follows_its_formula) {
  const optim::AdamOptions variants[] = {{.lr = 0.1},
                                         {.lr = 0.01, .betas = {0.8, 0.9}, .eps = 1e-3, .weight_decay = 0.1}};
  for (Device device : test_devices())
    for (DType dtype : {float64, float32})
      for (const Dims& sizes : kShapes)
        for (const auto& options : variants)
          for (bool decoupled : {false, true}) {
            Tensor p = test_values(sizes).to(device, dtype).detach().set_requires_grad();
            const auto expected = adam_reference(p.to_vector<double>(), sizes, options, decoupled);
            if (decoupled) {
              optim::AdamW optimizer({p}, {options.lr, options.betas, options.eps, options.weight_decay});
              run_steps(optimizer, p);
            } else {
              optim::Adam optimizer({p}, options);
              run_steps(optimizer, p);
            }
            expect_close(p, expected);
          }
}

TEST(Optimizers, same_bits_on_every_device_and_thread_count) {
  const int threads = num_threads();
  std::vector<uint8_t> sgd_bytes, adam_bytes;
  for (Device device : test_devices())
    for (int n : {1, 4}) {
      set_num_threads(n);
      Tensor a = test_values({70000}).to(device, float32).detach().set_requires_grad();
      Tensor b = test_values({70000}).to(device, float32).detach().set_requires_grad();
      optim::SGD sgd({a}, {.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01});
      optim::Adam adam({b}, {.lr = 0.1});
      run_steps(sgd, a);
      run_steps(adam, b);
      if (sgd_bytes.empty()) sgd_bytes = bytes_of(a), adam_bytes = bytes_of(b);
      EXPECT_EQ(bytes_of(a), sgd_bytes) << device.str();
      EXPECT_EQ(bytes_of(b), adam_bytes) << device.str();
    }
  set_num_threads(threads);
}

TEST(Optimizers, parameters_without_gradient_stay) {
  Tensor a = tensor({1.0f}).set_requires_grad(), b = tensor({1.0f}).set_requires_grad();
  optim::SGD optimizer({a, b}, {.lr = 0.5, .weight_decay = 1});
  a.set_grad(tensor({1.0f}));
  optimizer.step();
  EXPECT_EQ(a.item<float>(), 0);
  EXPECT_EQ(b.item<float>(), 1);
  optimizer.zero_grad();
  EXPECT_FALSE(a.grad().defined());
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

TEST(Optimizers, learning_rate_can_change) {
  Tensor p = tensor({1.0f}).set_requires_grad();
  optim::SGD optimizer({p}, {.lr = 0.5});
  p.set_grad(tensor({1.0f}));
  optimizer.set_lr(0.25);
  EXPECT_EQ(optimizer.lr(), 0.25);
  optimizer.step();
  EXPECT_EQ(p.item<float>(), 0.75f);
  EXPECT_ORDO_ERROR(optimizer.set_lr(-1), ValueError, "SGD");
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
  EXPECT_ORDO_ERROR(optim::SGD(TensorList{}), ValueError, "no parameters");
  EXPECT_ORDO_ERROR(optim::SGD(TensorList{Tensor()}), ValueError, "SGD");
  EXPECT_ORDO_ERROR(optim::SGD(TensorList{p, p}), ValueError, "parameter 1 is given twice");
  EXPECT_ORDO_ERROR(optim::Adam(TensorList{tensor({1.0f})}), ValueError, "not a leaf");
  EXPECT_ORDO_ERROR(optim::Adam(TensorList{p * p}), ValueError, "not a leaf");
  EXPECT_ORDO_ERROR(optim::SGD({p}, {.lr = -0.1}), ValueError, "learning rate");
  EXPECT_ORDO_ERROR(optim::SGD({p}, {.momentum = -1}), ValueError, "momentum");
  EXPECT_ORDO_ERROR(optim::SGD({p}, {.weight_decay = -1}), ValueError, "weight decay");
  EXPECT_ORDO_ERROR(optim::SGD({p}, {.nesterov = true}), ValueError, "nesterov");
  EXPECT_ORDO_ERROR(optim::Adam({p}, {.betas = {1, 0.9}}), ValueError, "betas");
  EXPECT_ORDO_ERROR(optim::Adam({p}, {.eps = -1}), ValueError, "eps");
  EXPECT_ORDO_ERROR(optim::AdamW({p}, {.weight_decay = -1}), ValueError, "AdamW");
}

}  // namespace
}  // namespace ordo::test

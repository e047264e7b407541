// Parameters that are computed from others: weight_norm and spectral_norm.
#include <cmath>

#include "tests/support/names_of.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::parametrizations_test {
namespace {

/// Of each parameter, the gradient of the sum of square(f()) beside central differences.
void expect_gradients(const std::function<Tensor()>& f, const TensorList& parameters) {
  const auto loss = [&] { return f().square().sum(); };
  for (Tensor p : parameters) p.zero_grad();
  loss().backward();
  for (const Tensor& p : parameters) {
    const auto got = p.grad().to_vector<double>();
    const NoGrad guard;
    Tensor flat = p.detach().view({p.numel()});
    for (int64_t i = 0; i < p.numel(); ++i) {
      const double value = flat[i].item(), h = 1e-6;
      flat[i].fill_(value + h);
      const double more = loss().item();
      flat[i].fill_(value - h);
      const double less = loss().item();
      flat[i].fill_(value);
      EXPECT_NEAR(got[size_t(i)], (more - less) / (2 * h), 1e-6 * (1 + std::abs(got[size_t(i)]))) << i;
    }
  }
}

TEST(WeightNorm, is_its_formula_along_any_dimension) {
  for (const std::optional<int64_t> dim :
       {std::optional<int64_t>(0), std::optional<int64_t>(-1), std::optional<int64_t>()}) {
    nn::Linear plain(3, 2);
    plain.to(float64);
    nn::Linear layer = nn::weight_norm(nn::clone(plain), "weight", dim);
    EXPECT_EQ(names_of(layer.named_parameters()), "bias weight_g weight_v");
    const auto v = plain.weight.to_vector<double>();
    const TensorList parts = layer.parameters();
    parts[1].detach().mul_(2);  // g: twice the weight
    const Tensor x = test_values({4, 3});
    const Tensor y = layer(x);
    EXPECT_EQ(parts[1].sizes(), !dim ? Dims() : *dim == 0 ? Dims({2, 1}) : Dims({1, 3}));
    const auto g = parts[1].expand(dim ? parts[1].sizes() : Dims({1, 1})).to_vector<double>(),
               w = layer.weight.to_vector<double>();
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 3; ++j) {
        double square = 0;
        for (int64_t k = 0; k < 2; ++k)
          for (int64_t l = 0; l < 3; ++l)
            if (!dim || (*dim == 0 ? k == i : l == j)) square += v[size_t(3 * k + l)] * v[size_t(3 * k + l)];
        const double expected = v[size_t(3 * i + j)] * g[size_t(!dim ? 0 : *dim == 0 ? i : j)] / std::sqrt(square);
        EXPECT_NEAR(w[size_t(3 * i + j)], expected, 1e-15);
        EXPECT_NEAR(expected, 2 * v[size_t(3 * i + j)], 1e-14);
      }
    EXPECT_EQ(bytes_of(y), bytes_of(linear(x, layer.weight, layer.bias)));
    expect_gradients([&] { return layer(x); }, parts);
  }
}

TEST(WeightNorm, of_modules_of_any_forward) {
  nn::GRU gru(2, 3);
  gru.to(float64);
  const Tensor x = test_values({4, 1, 2}), before = gru(x).output.detach();
  nn::weight_norm(gru, "weight_hh_l0");
  const auto difference = (gru(x).output - before).abs().max().item();
  EXPECT_LT(difference, 1e-15);
  expect_gradients([&] { return gru(x).output; }, gru.parameters());
}

TEST(WeightNorm, belongs_to_the_model) {
  manual_seed(1);
  nn::Sequential model{nn::weight_norm(nn::Linear(3, 4)), nn::Tanh(), nn::weight_norm(nn::Conv1d(1, 2, 3))};
  EXPECT_EQ(names_of(model.state_dict()), "0.bias 0.weight_g 0.weight_v 2.bias 2.weight_g 2.weight_v");
  const Tensor x = test_values({5, 3}).to(float32);
  nn::Linear& first = static_cast<nn::Linear&>(model[0]);
  const auto f = [&] { return first(x); };
  nn::Linear clone = nn::clone(first);
  EXPECT_FALSE(clone.weight.requires_grad()) << "until the first call";
  EXPECT_EQ(bytes_of(clone(x)), bytes_of(f()));
  optim::SGD optimizer(clone.parameters(), {.lr = 0.1});
  clone(x).square().sum().backward();
  optimizer.step();
  EXPECT_NE(bytes_of(clone(x)), bytes_of(f()));
  EXPECT_FALSE(first.parameters()[1].grad().defined());
  first.load_state_dict(clone.state_dict());
  EXPECT_EQ(bytes_of(clone(x)), bytes_of(f()));
  nn::Linear shared = first;
  f();
  EXPECT_TRUE(shared.weight.is_same(first.weight)) << "a copy shares what is computed";
  first.to(float64);
  EXPECT_EQ(first(x.to(float64)).dtype(), float64);
}

TEST(WeightNorm, errors) {
  nn::Linear layer(2, 2, {.bias = false});
  EXPECT_ORDO_ERROR(nn::weight_norm(layer, "bias"), ValueError,
                    "[weight_norm] Linear(2, 2, bias=false) has no parameter 'bias'");
  EXPECT_ORDO_ERROR(nn::weight_norm(layer, "weight", 2), IndexError, "no dimension 2: its sizes are [2, 2]");
  nn::weight_norm(layer);
  EXPECT_ORDO_ERROR(nn::weight_norm(layer), ValueError, "'weight' is computed from other parameters already");
  EXPECT_ORDO_ERROR(layer.weight = ones({2, 2}), ValueError, "'weight' is computed from other parameters");
  EXPECT_ORDO_ERROR(nn::spectral_norm(nn::Linear(2, 2), "weight", -1), ValueError, "n_power_iterations");
  EXPECT_ORDO_ERROR(nn::spectral_norm(nn::Linear(2, 2), "weight", 1, 0), ValueError, "eps");
}

TEST(SpectralNorm, divides_by_the_largest_singular_value) {
  nn::Linear layer(3, 2, {.bias = false});
  layer.weight = tensor({{3.0, 0.0, 4.0}, {0.0, 2.0, 0.0}});  // singular values 5 and 2
  layer.to(float64);
  manual_seed(4);
  nn::spectral_norm(layer);
  EXPECT_EQ(names_of(layer.state_dict()), "weight_orig weight_u weight_v");
  const Tensor x = eye(3, {.dtype = float64});
  for (int i = 0; i < 40; ++i) layer(x);
  const auto w = layer.weight.to_vector<double>();
  const std::vector<double> expected{0.6, 0, 0.8, 0, 0.4, 0};
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(w[i], expected[i], 1e-12);
  layer.eval();
  const auto before = bytes_of(layer.state_dict()[1].tensor);
  layer(x);
  EXPECT_EQ(bytes_of(layer.state_dict()[1].tensor), before) << "iterates while training only";
}

TEST(SpectralNorm, makes_one_iteration_a_call) {
  manual_seed(5);
  nn::Conv2d layer(2, 3, 2);
  layer.to(float64);
  const auto w = layer.weight.to_vector<double>();  // [3, 8]
  nn::spectral_norm(layer);
  const auto state = layer.state_dict();
  EXPECT_EQ(names_of(state), "bias weight_orig weight_u weight_v");
  auto u = state[2].tensor.to_vector<double>(), v = state[3].tensor.to_vector<double>();
  const auto unit = [](std::vector<double>& x) {
    double square = 0;
    for (double value : x) square += value * value;
    for (double& value : x) value /= std::sqrt(square);
  };
  auto u1 = u, v1 = v;
  unit(u1);
  unit(v1);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(u1[i], u[i], 1e-15) << "it begins with unit vectors";
  const Tensor x = test_values({1, 2, 4, 4});
  layer(x);
  double sigma = 0;
  for (size_t j = 0; j < 8; ++j) v[j] = w[j] * u[0] + w[8 + j] * u[1] + w[16 + j] * u[2];
  unit(v);
  for (size_t i = 0; i < 3; ++i) {
    u[i] = 0;
    for (size_t j = 0; j < 8; ++j) u[i] += w[8 * i + j] * v[j];
  }
  unit(u);
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 8; ++j) sigma += u[i] * w[8 * i + j] * v[j];
  const auto got = layer.weight.to_vector<double>();
  for (size_t i = 0; i < 24; ++i) EXPECT_NEAR(got[i], w[i] / sigma, 1e-14);
  layer.eval();
  expect_gradients([&] { return layer(x); }, layer.parameters());
}

TEST(SpectralNorm, two_calls_then_one_backward_pass) {
  const auto trained = [] {
    manual_seed(6);
    nn::Sequential critic{nn::spectral_norm(nn::ConvTranspose2d(2, 3, 3), "weight", 2, 1e-12, 1), nn::LeakyReLU(0.2)};
    EXPECT_EQ(critic.named_buffers()[0].tensor.sizes(), Dims({3}));
    optim::Adam optimizer(critic.parameters(), {.lr = 0.1});
    const Tensor real = test_values({2, 2, 5, 5}, 1).to(float32), fake = test_values({2, 2, 5, 5}, 2).to(float32);
    for (int i = 0; i < 3; ++i) {
      optimizer.zero_grad();
      const Tensor a = critic(real).mean(), b = critic(fake).mean();
      (a - b).backward();
      optimizer.step();
    }
    return nn::clone(critic).parameters();
  };
  expect_same_with_any_threads("spectral_norm", trained);
}

}  // namespace
}  // namespace ordo::test::parametrizations_test

// L-BFGS beside recorded steps of PyTorch's, on Rosenbrock's valley, and its state.
#include "tests/support/threads_scope.h"

namespace ordo::test::lbfgs_test {
namespace {

using optim::LineSearch;

/// A function of three numbers in two parameters, and how often it was computed.
struct Valley {
  Tensor a = tensor({-1.2}, float64).requires_grad_(), b = tensor({1.0, 0.5}, float64).requires_grad_();
  int calls = 0;
  Tensor loss() {
    ++calls;
    const Tensor first = b[0] - a[0].square(), second = 1 - a[0], third = b[1] - b[0] * a[0];
    return 100 * first.square() + second.square() + third.square();
  }
  double step(optim::LBFGS& optimizer) {
    return optimizer
        .step([&] {
          optimizer.zero_grad();
          Tensor f = loss();
          f.backward();
          return f;
        })
        .item();
  }
};

// f before the step, the parameters after it, and the calls so far: torch.optim.LBFGS of PyTorch 2, float64.
struct Row {
  double loss, a, b0, b1;
  int calls;
};

void expect_rows(const optim::LBFGSOptions& options, const std::vector<Row>& rows) {
  Valley valley;
  optim::LBFGS optimizer({valley.a, valley.b}, options);
  for (const Row& row : rows) {
    // The valley multiplies differences by its curvature, a thousand, in each of up to 25 iterations.
    EXPECT_NEAR(valley.step(optimizer), row.loss, 1e-9 * (1 + row.loss));
    EXPECT_NEAR(valley.a.item(), row.a, 1e-9);
    EXPECT_NEAR(valley.b[0].item(), row.b0, 1e-9);
    EXPECT_NEAR(valley.b[1].item(), row.b1, 1e-9);
    EXPECT_EQ(valley.calls, row.calls);
  }
}

TEST(LBFGS, follows_pytorch) {
  expect_rows({.max_iter = 5, .history_size = 3, .line_search = LineSearch::strong_wolfe},
              {{27.089999999999996, -1.0109534566713638, 0.9968546380169094, 0.46175693998767164, 6},
               {6.266818171418051, -0.5307971646838732, 0.25121078414662124, -0.018646741737197117, 12},
               {2.4497326365922345, -0.18227545268426706, 0.05409182487460275, -0.22091202177129582, 18},
               {1.4858635555279864, 0.09348466198821487, -0.013525640495330275, -0.31135796917506514, 24}});
  expect_rows({.lr = 0.1, .max_iter = 4, .history_size = 2},
              {{27.089999999999996, -1.1037144852138787, 1.0361787737348092, 0.49711553222570365, 4},
               {10.430362313948761, -1.0768388208424398, 1.0416129245401289, 0.49203100955449336, 8},
               {8.308890059146993, -1.0547182062810703, 1.039555058970004, 0.4839087347833866, 12},
               {7.2504445067526815, -1.0325462113919384, 1.0268261763578648, 0.4698214326162559, 16}});
  expect_rows({.line_search = LineSearch::strong_wolfe},
              {{27.089999999999996, 0.42481346799867953, 0.17430524116466306, 0.02742710588395389, 25},
               {0.3368090706693853, 0.9999948736777236, 0.999986326503015, 0.9999942436793433, 47}});
}

TEST(LBFGS, reaches_the_minimum_of_rosenbrocks_valley) {
  Tensor p = tensor({-1.2, 1.0}, float64).requires_grad_();
  optim::LBFGS optimizer({p}, {.max_iter = 100, .tolerance_change = 0, .line_search = LineSearch::strong_wolfe});
  const auto loss = [&] {
    optimizer.zero_grad();
    Tensor f = 100 * (p[1] - p[0].square()).square() + (1 - p[0]).square();
    f.backward();
    return f;
  };
  const Tensor first = optimizer.step(loss);
  EXPECT_NEAR(first.item(), 24.2, 1e-13);
  for (double value : p.to_vector<double>()) EXPECT_NEAR(value, 1, 1e-8);
  EXPECT_LT(loss().item(), 1e-16);
  const auto before = bytes_of(p);
  optimizer.step(loss);
  EXPECT_EQ(bytes_of(p), before) << "a gradient within tolerance_grad ends a step at once";
}

TEST(LBFGS, goes_on_from_its_state) {
  const optim::LBFGSOptions options{.max_iter = 3, .history_size = 4, .line_search = LineSearch::strong_wolfe};
  Valley whole;
  optim::LBFGS optimizer({whole.a, whole.b}, options);
  for (int stop : {0, 1, 3}) {
    for (int i = 0; i < stop; ++i) whole.step(optimizer);
    Valley resumed;
    no_grad([&] { resumed.a.copy_(whole.a), resumed.b.copy_(whole.b); });
    optim::LBFGS other({resumed.a, resumed.b}, options);
    other.load_state_dict(optimizer.state_dict());
    for (int i = 0; i < 2; ++i) EXPECT_EQ(whole.step(optimizer), resumed.step(other));
    EXPECT_EQ(bytes_of(whole.a), bytes_of(resumed.a));
    EXPECT_EQ(bytes_of(whole.b), bytes_of(resumed.b));
  }
  optim::LBFGS shorter({whole.a, whole.b}, {.history_size = 2});
  EXPECT_ORDO_ERROR(shorter.load_state_dict(optimizer.state_dict()), ValueError, "'state.0.pairs'");
  auto state = optimizer.state_dict();
  std::erase_if(state, [](const auto& entry) { return entry.name == "state.0.d"; });
  EXPECT_ORDO_ERROR(optimizer.load_state_dict(state), ValueError, "state.0.d");
}

TEST(LBFGS, gives_the_same_bits_with_any_threads) {
  for (DType dtype : {float32, bfloat16})
    expect_same_with_any_threads("LBFGS", [&] {
      manual_seed(2);
      nn::Sequential model{nn::Linear(40, 60), nn::Tanh(), nn::Linear(60, 1)};
      model.to(dtype);
      const Tensor x = randn({300, 40}).to(dtype), y = x.sum(1, true) / 6;
      optim::LBFGS optimizer(model.parameters(), {.max_iter = 4, .line_search = LineSearch::strong_wolfe});
      TensorList losses;
      for (int i = 0; i < 3; ++i)
        losses.push_back(optimizer.step([&] {
          optimizer.zero_grad();
          const Tensor loss = mse_loss(model(x), y);
          loss.backward();
          return loss;
        }));
      EXPECT_LT(losses.back().item(), losses.front().item());
      for (const Tensor& p : model.parameters()) losses.push_back(p.detach());
      return losses;
    });
}

TEST(LBFGS, errors) {
  Tensor p = ones({2}).requires_grad_();
  EXPECT_ORDO_ERROR(optim::LBFGS({p}, {.history_size = 0}), ValueError, "history_size");
  EXPECT_ORDO_ERROR(optim::LBFGS({p}, {.max_iter = -1}), ValueError, "max_iter");
  EXPECT_ORDO_ERROR(optim::LBFGS({p, tensor({1.0}, float64).requires_grad_()}), ValueError, "one dtype");
  optim::LBFGS optimizer({p});
  EXPECT_ORDO_ERROR(optimizer.step(nullptr), ValueError, "[LBFGS] needs a function");
  optim::Optimizer& base = optimizer;
  p.set_grad(ones({2}));
  EXPECT_ORDO_ERROR(base.step(), ValueError, "call step([&] { ...; return loss; })");
}

}  // namespace
}  // namespace ordo::test::lbfgs_test

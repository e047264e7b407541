// Functions with gradients of their own.
#include "tests/support/op_samples.h"

namespace ordo::test::function_test {
namespace {

/// factor x^3, with an argument that is no tensor.
struct Cube : Function<Cube> {
  static constexpr const char* name = "cube";
  static Tensor forward(AutogradContext* ctx, const Tensor& x, double factor) {
    ctx->save_for_backward({x});
    ctx->saved_data.emplace("factor", factor);
    return x * x * x * factor;
  }
  static TensorList backward(AutogradContext* ctx, const TensorList& grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    return {grads[0] * x * x * 3 * ctx->saved_data.at("factor").to_double(), Tensor()};
  }
};

/// Saves its result.
struct Exponential : Function<Exponential> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor y = exp(x);
    ctx->save_for_backward({y});
    return y;
  }
  static TensorList backward(AutogradContext* ctx, const TensorList& grads) {
    return {grads[0] * ctx->get_saved_variables()[0]};
  }
};

struct SumAndProduct : Function<SumAndProduct> {
  static TensorList forward(AutogradContext* ctx, const Tensor& a, const Tensor& b) {
    ctx->save_for_backward({a, b});
    return {a + b, a * b};
  }
  static TensorList backward(AutogradContext* ctx, const TensorList& grads) {
    const TensorList saved = ctx->get_saved_variables();
    TensorList of_inputs(2);
    for (int i = 0; i < 2; ++i) {
      if (!ctx->needs_input_grad(i)) continue;
      Tensor& grad = of_inputs[size_t(i)];
      if (grads[0].defined()) grad = grads[0];
      if (grads[1].defined()) {
        const Tensor through = grads[1] * saved[size_t(1 - i)];
        grad = grad.defined() ? grad + through : through;
      }
    }
    return of_inputs;
  }
};

/// The gradient passes unchanged: PyTorch's straight-through estimator.
struct StraightThrough : Function<StraightThrough> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x; }
  static TensorList backward(AutogradContext*, const TensorList& grads) { return {grads[0]}; }
};

struct Wrong : Function<Wrong> {
  static constexpr const char* name = "wrong";
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor&) {
    ctx->save_for_backward({x});
    return x * 2;
  }
  static TensorList backward(AutogradContext* ctx, const TensorList& grads) {
    ctx->get_saved_variables();
    return {grads[0]};
  }
};

TEST(Function, gradients_of_both_orders) {
  const Tensor x = test_values({3, 4}, 1).detach().set_requires_grad(),
               y = test_values({3, 4}, 2).detach().set_requires_grad();
  EXPECT_EQ(gradcheck([](const TensorList& in) { return Cube::apply(in[0], 0.5); }, {x}, {.second_order = true}), "");
  EXPECT_EQ(gradcheck([](const TensorList& in) { return Exponential::apply(in[0]); }, {x}, {.second_order = true}), "");
  const auto product = [](const TensorList& in) {
    const TensorList both = SumAndProduct::apply(in[0], in[1]);
    return both[0] * both[1];
  };
  EXPECT_EQ(gradcheck(product, {x, y}, {.second_order = true}), "");
  EXPECT_EQ(gradcheck([](const TensorList& in) { return SumAndProduct::apply(in[0], in[1])[1]; }, {x, y}), "");
}

TEST(Function, on_every_device) {
  for (Device device : test_devices()) {
    const Tensor x = tensor({1.0f, 2.0f}).to(device).detach().set_requires_grad();
    const Tensor y = Cube::apply(x, 2);
    EXPECT_EQ(y.grad_name(), "cube");
    y.sum().backward();
    EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{2, 16}));
    EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{6, 24}));
    EXPECT_FALSE(no_grad([&] { return Cube::apply(x, 2); }).requires_grad());
    EXPECT_FALSE(Cube::apply(x.detach(), 2).requires_grad());
  }
}

TEST(Function, a_result_that_is_the_argument) {
  const Tensor x = tensor({1.5f}).set_requires_grad();
  const Tensor y = StraightThrough::apply(x);
  EXPECT_FALSE(y.is_same(x));
  (y * 2).sum().backward();
  EXPECT_EQ(x.grad().item(), 2);
}

TEST(Function, a_function_that_saves_its_result_is_freed) {
  const Tensor x = tensor({1.5f}).set_requires_grad();
  std::weak_ptr<TensorImpl> gone;
  {
    const Tensor y = Exponential::apply(x);
    gone = y.impl_ptr();
    y.sum().backward({}, true);
  }
  EXPECT_TRUE(gone.expired());
}

TEST(Function, errors) {
  Tensor x = tensor({1.0f}).set_requires_grad(), z = tensor({1.0f});
  EXPECT_ORDO_ERROR(Wrong::apply(x, z).sum().backward(), AutogradError,
                    "[wrong] backward() gave 1 gradients for 2 tensors among 2 arguments");
  const Tensor loss = Wrong::apply(x, z).sum();
  no_grad([&] { x.mul_(2); });
  EXPECT_ORDO_ERROR(loss.backward(), AutogradError, "mul_");
  struct Curious : Function<Curious> {
    static Tensor forward(AutogradContext* ctx, const Tensor& t) { return ctx->needs_input_grad(1) ? t : t * 2; }
    static TensorList backward(AutogradContext*, const TensorList& grads) { return grads; }
  };
  EXPECT_ORDO_ERROR(Curious::apply(x), IndexError, "there is no tensor 1 among 1");
}

}  // namespace
}  // namespace ordo::test::function_test

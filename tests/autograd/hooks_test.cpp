// Hooks on gradients, and nodes with any number of inputs and results.
#include <ordo/autograd/tape.h>
#include "tests/autograd/leaf.h"
#include "tests/support/op_samples.h"

namespace ordo::test::hooks_test {
namespace {

TEST(Hooks, may_register_others_while_they_run) {
  for (bool is_leaf : {true, false}) {
    const Tensor x = leaf({1}), y = is_leaf ? x : x * 1;
    int calls = 0;
    register_hook(y, [&](const Tensor&) {
      ++calls;
      for (int i = 0; i < 50; ++i) register_hook(y, [&](const Tensor& g) { return ++calls, g; });
      return Tensor();
    });
    const Tensor loss = (y * 2).sum();
    loss.backward({}, true);
    EXPECT_EQ(calls, 1);
    loss.backward();
    EXPECT_EQ(calls, 1 + 1 + 50);
    EXPECT_EQ(values(x.grad()), (V{4}));
  }
}

TEST(RetainGrad, keeps_the_gradient_of_a_result) {
  for (Device device : test_devices()) {
    const Tensor x = tensor({1.0f, 2.0f}).to(device).detach().set_requires_grad();
    Tensor y = x * 3;
    y.retain_grad().retain_grad();
    EXPECT_FALSE(y.grad().defined());
    const Tensor loss = (y * y).sum();
    loss.backward({}, true);
    EXPECT_EQ(values(y.grad()), (V{6, 12}));
    loss.backward();
    EXPECT_EQ(values(y.grad()), (V{12, 24})) << "like a leaf's, it is added to";
    EXPECT_EQ(values(x.grad()), (V{36, 72}));
    y.zero_grad();
    EXPECT_FALSE(y.grad().defined());
  }
  Tensor x = leaf({1}), constant = zeros({1});
  EXPECT_TRUE(x.retain_grad().is_same(x)) << "nothing to do";
  EXPECT_ORDO_ERROR(constant.retain_grad(), AutogradError, "[retain_grad] the tensor does not require a gradient");
  EXPECT_FALSE(constant.grad().defined());
}

TEST(Hooks, must_be_functions_on_what_has_a_gradient) {
  const Tensor x = leaf({1}), constant = zeros({1});
  EXPECT_ORDO_ERROR(register_hook(x, {}), ValueError, "[register_hook]");
  EXPECT_ORDO_ERROR(register_hook(Tensor(), [](const Tensor& g) { return g; }), ValueError, "[register_hook]");
  EXPECT_ORDO_ERROR(register_hook(constant, [](const Tensor& g) { return g; }), AutogradError, "require");
  EXPECT_ORDO_ERROR(register_post_accumulate_grad_hook(x, {}), ValueError, "function");
  EXPECT_ORDO_ERROR(register_post_accumulate_grad_hook(x * 2, [](const Tensor&) {}), AutogradError, "leaf");
}

TEST(Hooks, run_after_a_leaf_has_accumulated) {
  const Tensor x = leaf({1, 2});
  std::vector<V> seen;
  register_post_accumulate_grad_hook(x, [&](const Tensor& t) { seen.push_back(values(t.grad())); });
  (x * 3 + x).sum().backward();
  (x * 1).sum().backward();
  EXPECT_EQ(seen, (std::vector<V>{{4, 4}, {5, 5}}));
  grad({x.sum()}, {x});
  EXPECT_EQ(seen.size(), 2u) << "grad() accumulates nothing";
}

/// The sum of any number of tensors, as an operation outside of the library would record it.
Tensor add_all(const TensorList& inputs) {
  const OpCall call("add_all", inputs);
  Tensor sum = inputs[0].detach().clone();
  for (size_t i = 1; i < inputs.size(); ++i) sum = sum + inputs[i].detach();
  const std::vector<std::reference_wrapper<const Tensor>> all(inputs.begin(), inputs.end());
  return record(call, sum, all, [n = inputs.size()](const Tensor& grad) { return TensorList(n, grad); });
}

TEST(Node, takes_any_number_of_inputs) {
  TensorList inputs;
  for (int i = 0; i < 40; ++i) inputs.push_back(leaf({double(i)}));
  (add_all(inputs) * 2).sum().backward();
  for (const Tensor& t : inputs) EXPECT_EQ(values(t.grad()), (V{2}));
  const Tensor a = leaf({1});
  const OpCall call("nine", a);
  Tensor sum = record(call, a.detach().clone(), {a, a, a, a, a, a, a, a, a},
                      [](const Tensor& grad) { return TensorList(9, grad); });
  sum.backward();
  EXPECT_EQ(values(a.grad()), (V{9}));
}

/// x + y and x y.
TensorList sum_and_product(const Tensor& x, const Tensor& y) {
  const OpCall call("sum_and_product", x, y);
  return record(call, TensorList{x.detach() + y.detach(), x.detach() * y.detach()}, {x, y},
                [x = Saved(x), y = Saved(y)](const TensorList& grads) -> TensorList {
                  TensorList out(2);
                  const auto add_to = [](Tensor& sum, const Tensor& t) { sum = sum.defined() ? sum + t : t; };
                  for (Tensor& t : out)
                    if (grads[0].defined()) add_to(t, grads[0]);
                  if (grads[1].defined()) {
                    add_to(out[0], grads[1] * y.get());
                    add_to(out[1], grads[1] * x.get());
                  }
                  return out;
                });
}

TEST(Node, has_several_results) {
  const Tensor x = leaf({0.5, -1.5}), y = leaf({2.5, 0.25});
  const auto both = [](const TensorList& in) {
    const TensorList r = sum_and_product(in[0], in[1]);
    return r[0] * r[1];
  };
  EXPECT_EQ(gradcheck(both, {x, y}, {.second_order = true}), "");
  for (size_t only : {0u, 1u}) {
    const auto one = [only](const TensorList& in) { return sum_and_product(in[0], in[1])[only] * 3; };
    EXPECT_EQ(gradcheck(one, {x, y}), "");
  }
  const TensorList r = sum_and_product(x, y);
  const TensorList g = grad({(r[0] * 2 + r[1]).sum()}, {r[1], r[0], x}, {}, true);
  EXPECT_EQ(values(g[0]), (V{1, 1}));
  EXPECT_EQ(values(g[1]), (V{2, 2}));
  EXPECT_EQ(values(g[2]), (V{4.5, 2.25}));
  int calls = 0;
  register_hook(r[1], [&](const Tensor& grad) {
    ++calls;
    return grad * 0;
  });
  (r[0] + r[1]).sum().backward();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(values(x.grad()), (V{1, 1}));
}

}  // namespace
}  // namespace ordo::test::hooks_test

// Low-rank parts of linear layers: what they add, that only they train, and that merging keeps what was learnt.
#include "tests/support/op_samples.h"

namespace ordo::test::lora_test {
namespace {

struct Block : nn::Module {
  nn::Linear query = add("query", nn::Linear(4, 6)), value = add("value", nn::Linear(4, 6, {.transposed = true})),
             out = add("out", nn::Linear(6, 2));
  Tensor forward(const Tensor& x) override { return out(tanh(query(x)) * value(x)); }
};

std::vector<std::string> trained(const nn::ModuleBase& model) {
  std::vector<std::string> names;
  for (const auto& [name, p] : model.named_parameters())
    if (p.requires_grad()) names.push_back(name);
  return names;
}

TEST(LoRA, adds_nothing_at_first_and_only_its_parts_train) {
  Block model;
  const Tensor x = randn({3, 4}), before = model(x).detach();
  const TensorList weights{model.query.weight.detach().clone(), model.value.weight.detach().clone()};
  nn::add_lora(model, {"query", "value"}, {.rank = 2, .dropout = 0.1});
  model.eval();
  EXPECT_TRUE(equal(model(x), before));
  EXPECT_EQ(trained(model), (std::vector<std::string>{"query.lora.A", "query.lora.B", "value.lora.A", "value.lora.B"}));
  EXPECT_NE(model.str().find("lora: LoRA(4, 6, rank=2)"), std::string::npos) << model.str();
  model.train();
  optim::Adam optimizer(model.parameters(), {.lr = 0.1});
  for (int i = 0; i < 3; ++i) {
    optimizer.zero_grad();
    model(x).pow(2).sum().backward();
    optimizer.step();
  }
  EXPECT_TRUE(equal(model.query.weight, weights[0]));
  EXPECT_TRUE(equal(model.value.weight, weights[1]));
  model.eval();
  const Tensor learnt = model(x).detach();
  EXPECT_FALSE(allclose(learnt, before));
  const Block other = nn::clone(model);
  EXPECT_EQ(trained(other), trained(model));
  EXPECT_TRUE(equal(Block(other)(x), learnt)) << "a clone has the parts, too";
  nn::merge_lora(model);
  EXPECT_TRUE(allclose(model(x), learnt));
  EXPECT_EQ(model.named_parameters().size(), 6u);
  EXPECT_EQ(trained(model).size(), 0u);
  EXPECT_TRUE(equal(Block(other)(x), learnt)) << "its own";
  nn::merge_lora(model);  // nothing is left to do
}

TEST(LoRA, is_a_product_of_low_rank) {
  for (const bool transposed : {false, true}) {
    nn::Linear layer(4, 3, {.transposed = transposed});
    EXPECT_EQ(layer.weight.sizes(), (transposed ? Dims{4, 3} : Dims{3, 4}));
    EXPECT_EQ(layer.in_features(), 4);
    EXPECT_EQ(layer.out_features(), 3);
    layer.to(float64);
    layer.add_lora(nn::LoRA(4, 3, {.rank = 2, .alpha = 6}));
    const nn::NamedTensorList all = layer.named_parameters();
    ASSERT_EQ(all.size(), 4u);
    const Tensor &a = all[2].tensor, &b = all[3].tensor;
    EXPECT_EQ(all[2].name, "lora.A");
    EXPECT_EQ(a.dtype(), float64);
    EXPECT_TRUE(equal(b, zeros_like(b)));
    {
      const NoGrad guard;
      nn::init::normal_(b);
    }
    const Tensor x = randn({5, 4}, {float64}), g = randn({5, 3}, {float64});
    const Tensor w = transposed ? layer.weight.t() : Tensor(layer.weight);
    const Tensor want = linear(x, w + matmul(b, a) * 3.0, layer.bias);
    EXPECT_TRUE(allclose(layer(x), want, 1e-12, 1e-12));
    const TensorList gradients = grad({layer(x)}, {a, b}, {g}), wanted = grad({want}, {a, b}, {g});
    for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(allclose(gradients[i], wanted[i], 1e-12, 1e-12));
  }
}

TEST(LoRA, mistakes) {
  Block model;
  EXPECT_ORDO_ERROR(nn::add_lora(model, {"q_proj"}), ValueError, "[add_lora] the model has no Linear of these names");
  EXPECT_EQ(trained(model).size(), 6u) << "nothing is frozen then";
  EXPECT_ORDO_ERROR(nn::add_lora(model, {"query"}, {.rank = 0}), ValueError, "a positive rank");
  EXPECT_EQ(trained(model).size(), 6u);
  nn::add_lora(model, {"query"});
  const size_t parts = model.named_parameters().size();
  EXPECT_ORDO_ERROR(nn::add_lora(model, {"value", "query"}), ValueError, "'query' has its part already");
  EXPECT_EQ(model.named_parameters().size(), parts) << "nor has any other";
  EXPECT_ORDO_ERROR(nn::add_lora(model, {"value"}, {.dropout = 1}), ValueError, "a dropout in [0, 1)");
  struct Tied : Block {
    Tied() { value.weight = query.weight; }
  } tied;
  EXPECT_ORDO_ERROR(nn::add_lora(tied, {"value"}), ValueError, "'value.weight' is computed from others, or shared");
  struct Normed : nn::Module {
    nn::Linear a = add("a", nn::weight_norm(nn::Linear(2, 2)));
  } normed;
  EXPECT_ORDO_ERROR(nn::add_lora(normed, {"a"}), ValueError, "'a.weight' is computed from others, or shared");
}

struct WithActivation : nn::Linear {
  WithActivation() : Linear(3, 3) { add("activation", nn::ReLU()); }
};
TEST(LoRA, layers_may_have_other_parts) {
  WithActivation layer;
  EXPECT_EQ(layer(ones({2, 3})).sizes(), (Dims{2, 3}));
  layer.merge_lora();
}

}  // namespace
}  // namespace ordo::test::lora_test

// Modules of any forward, lists and dictionaries of modules, shared parameters, and what must not happen to a module.
#include "tests/support/names_of.h"
#include "tests/support/op_samples.h"

namespace ordo::test::sharing_test {
namespace {

struct Cell : nn::ModuleOf<Cell> {
  nn::Linear input = add("input", nn::Linear(3, 4)), state = add("state", nn::Linear(4, 4));
  struct Result {
    Tensor output, state;
  };
  Result forward(const Tensor& x, const Tensor& h, const Tensor& mask = {}) {
    const Tensor next = tanh(input(x) + state(h));
    return {mask.defined() ? next.masked_fill(mask, 0) : next, next};
  }
};

struct Recurrent : nn::ModuleOf<Recurrent> {
  nn::ModuleList<Cell> cells = add("cells", nn::ModuleList<Cell>{Cell()});
  nn::ModuleDict<nn::Linear> heads = add("heads", nn::ModuleDict<nn::Linear>());
  std::optional<nn::Dropout> dropout = add("dropout", std::optional(nn::Dropout(0.5)));
  std::optional<nn::Linear> missing = add("missing", std::optional<nn::Linear>());
  nn::Buffer steps = add_buffer("steps", zeros({}, float32));

  Recurrent() { heads.insert("one", nn::Linear(4, 1)).insert("two", nn::Linear(4, 2)); }
  std::vector<Tensor> forward(const TensorList& sequence, Tensor h) {
    steps = steps + double(sequence.size());
    for (const Tensor& x : sequence)
      for (Cell& cell : cells) h = cell(x, h).state;
    std::vector<Tensor> out;
    for (auto [name, head] : heads.items()) out.push_back(head((*dropout)(h)));
    return out;
  }
};

TEST(ModuleOf, any_arguments_and_results) {
  Cell cell;
  const Tensor x = test_values({2, 3}).to(float32), h = zeros({2, 4});
  const auto [output, state] = cell(x, h, x.sum(1, true) > 0);
  EXPECT_EQ(bytes_of(state), bytes_of(tanh(cell.input(x) + cell.state(h))));
  EXPECT_TRUE(bool((output == state).logical_or(output == 0).all()));
  Recurrent net;
  net.cells.push_back(Cell());
  net.eval();
  EXPECT_FALSE(net.dropout->is_training());
  EXPECT_FALSE(net.missing.has_value());
  const auto out = net(TensorList{x, x}, h);
  EXPECT_EQ(out.at(1).sizes(), (Dims{2, 2}));
  EXPECT_ORDO_ERROR(net.cells[1](Tensor(), h), ValueError, "undefined");
}

TEST(ModuleOf, contents) {
  Recurrent net;
  EXPECT_EQ(names_of(net.named_parameters()),
            "cells.0.input.weight cells.0.input.bias cells.0.state.weight cells.0.state.bias heads.one.weight "
            "heads.one.bias heads.two.weight heads.two.bias");
  EXPECT_EQ(names_of(net.named_buffers()), "steps");
  std::string modules;
  for (const auto& [name, module] : net.named_modules()) modules += name + ",";
  EXPECT_EQ(modules, ",cells,cells.0,cells.0.input,cells.0.state,heads,heads.one,heads.two,dropout,");
  int linear = 0;
  net.apply([&](nn::ModuleBase& module) {
    if (auto* layer = dynamic_cast<nn::Linear*>(&module)) nn::init::ones_(layer->weight), ++linear;
  });
  EXPECT_EQ(linear, 4);
  EXPECT_EQ(net.heads["two"].weight.to_vector<float>(), std::vector<float>(8, 1));
  net.to(float64);
  const auto out = net.forward({test_values({2, 3})}, zeros({2, 4}, float64));
  EXPECT_EQ(out[0].dtype(), float64);
  (out[0].sum() + out[1].sum()).backward();
  for (const Tensor& p : net.parameters()) EXPECT_TRUE(p.grad().defined());
  net.zero_grad();
  for (const Tensor& p : net.parameters()) EXPECT_FALSE(p.grad().defined());
  net.train(false);
  for (const auto& [name, module] : net.named_modules()) EXPECT_FALSE(module->is_training()) << name;
}

TEST(ModuleList, grows_and_is_indexed) {
  nn::ModuleList<> list{nn::ReLU(), nn::Linear(2, 3)};
  EXPECT_EQ(list.size(), 2);
  list.push_back(nn::Tanh());
  EXPECT_EQ(list[-1](ones({1})).item<float>(), tanh(ones({1})).item<float>());
  Tensor x = ones({2});
  for (nn::Module& module : list) x = module(x);
  EXPECT_EQ(x.sizes(), (Dims{3}));
  EXPECT_ORDO_ERROR(list[3], IndexError, "[ModuleList] module 3 does not exist; there are 3");
  EXPECT_TRUE(nn::ModuleList<Cell>().empty());
}

TEST(ModuleDict, by_name) {
  nn::ModuleDict<> dict;
  dict.insert("b", nn::ReLU()).insert("a", nn::Linear(2, 2));
  EXPECT_EQ(dict.size(), 2);
  EXPECT_TRUE(dict.contains("a"));
  EXPECT_FALSE(dict.contains("c"));
  EXPECT_EQ(dict.items()[0].first, "b") << "in the order of insertion";
  EXPECT_EQ(dict["b"](-ones({1})).item(), 0);
  EXPECT_ORDO_ERROR(dict["c"], ValueError, "[ModuleDict] there is no module 'c'; there are: 'b', 'a'");
  EXPECT_ORDO_ERROR(dict.insert("a", nn::ReLU()), ValueError, "'a' is taken");
  EXPECT_ORDO_ERROR(dict.insert("x.y", nn::ReLU()), ValueError, "dot");
}

struct Language : nn::Module {
  nn::Embedding tokens = add("tokens", nn::Embedding(5, 3));
  nn::Linear head = add("head", nn::Linear(3, 5, {.bias = false}));
  Language() { head.weight = tokens.weight; }
  Tensor forward(const Tensor& x) override { return head(tokens(x)); }
};

TEST(Parameter, tied_by_assignment) {
  Language net;
  EXPECT_EQ(names_of(net.named_parameters()), "tokens.weight");
  EXPECT_EQ(net.parameter_count(), 15);
  EXPECT_TRUE(net.head.weight.is_same(net.tokens.weight));
  const Tensor text = tensor<int64_t>({1, 2});
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  net(text).square().sum().backward();
  // Its gradient is that of both uses.
  const Tensor w = net.tokens.weight.detach().clone().set_requires_grad();
  linear(embedding(text, w), w).square().sum().backward();
  EXPECT_EQ(bytes_of(net.tokens.weight.grad()), bytes_of(w.grad()));
  const auto before = net.head.weight.to_vector<float>();
  optimizer.step();
  EXPECT_NE(net.head.weight.to_vector<float>(), before) << "what the head computes with is what was trained";
  net.to(float64);
  EXPECT_TRUE(net.head.weight.is_same(net.tokens.weight));
  EXPECT_EQ(net.head.weight.dtype(), float64);
}

TEST(Parameter, assignment_reaches_every_copy) {
  nn::Linear layer(2, 2);
  nn::Sequential model{layer, nn::ReLU()};
  nn::Linear copy = layer;
  const Tensor value = tensor({1.0f, 2.0f, 3.0f, 4.0f}).view({2, 2});
  layer.weight = value;
  EXPECT_TRUE(value.requires_grad());
  EXPECT_TRUE(copy.weight.is_same(value));
  EXPECT_TRUE(model.named_parameters()[0].tensor.is_same(value));
  layer.bias = Tensor();
  EXPECT_EQ(names_of(model.named_parameters()), "0.weight");
  EXPECT_EQ(model(ones({2})).to_vector<float>(), (std::vector<float>{3, 7})) << "the copy in the list has no bias now";
  const Tensor plain = layer.weight;  // a tensor, no entry
  layer.weight = zeros({2, 2});
  EXPECT_EQ(plain.to_vector<float>(), (std::vector<float>{1, 2, 3, 4}));
}

TEST(Parameter, what_may_be_assigned) {
  nn::Linear layer(2, 2);
  EXPECT_ORDO_ERROR(layer.weight = layer.weight * 2, AutogradError, "[Parameter] 'weight' takes a leaf");
  EXPECT_ORDO_ERROR(layer.weight = zeros({2, 2}, int64), DTypeError, "floating");
  nn::Linear without(2, 2, {.bias = false});
  EXPECT_ORDO_ERROR(without.bias = zeros({2}), ValueError, "not one of a module");
  nn::BatchNorm2d norm(3);
  norm.running_mean = ones({3});
  EXPECT_FALSE(norm.running_mean.requires_grad());
  EXPECT_EQ(norm.named_buffers()[0].tensor.to_vector<float>(), (std::vector<float>{1, 1, 1}));
  nn::Parameter loose;
  EXPECT_ORDO_ERROR(loose = zeros({2}), ValueError, "add_parameter");
  // Neither a module nor a plain tensor member can come apart from its entry.
  static_assert(!std::is_assignable_v<nn::Linear&, nn::Linear>);
  static_assert(!std::is_convertible_v<nn::NewParameter, Tensor>);
  static_assert(!std::is_assignable_v<Tensor&, nn::NewParameter>);
}

struct Nest : nn::Module {
  void put(const std::string& name, const nn::Sequential& module) { add(name, module); }
  void put_self() { add("self", *this); }
};

TEST(Module, cannot_contain_itself) {
  nn::Sequential a, b;
  EXPECT_ORDO_ERROR(a.push_back(a), ValueError, "[Module] '0' cannot be added: it is the module");
  a.push_back(b);
  EXPECT_ORDO_ERROR(b.push_back(a), ValueError, "it contains the module");
  nn::Sequential copy = b;
  EXPECT_ORDO_ERROR(copy.push_back(nn::Sequential{a, nn::ReLU()}), ValueError, "it contains the module");
  EXPECT_EQ(b.size(), 0);
  EXPECT_EQ(a.named_modules().size(), 2u);
  Nest nest;
  EXPECT_ORDO_ERROR(nest.put_self(), ValueError, "'self' cannot be added");
}

TEST(Module, moved_from_is_an_error) {
  nn::Linear layer(2, 2);
  nn::Linear taken = std::move(layer);
  EXPECT_EQ(taken.parameters().size(), 2u);
  EXPECT_EQ(taken(ones({2})).numel(), 2);
  // NOLINTBEGIN: using what was moved from is the test
  nn::Sequential model{nn::ReLU()};
  const nn::Sequential other = std::move(model);
  const std::function<void()> uses[] = {
      [&] { layer.parameters(); },      [&] { layer.state_dict(); }, [&] { layer.named_children(); },
      [&] { layer.named_modules(); },   [&] { layer.train(); },      [&] { layer.is_training(); },
      [&] { layer.zero_grad(); },       [&] { layer.to(cpu); },      [&] { layer.to(float64); },
      [&] { layer.parameter_count(); }, [&] { layer(ones({2})); },   [&] { nn::Sequential{layer}; },
      [&] { model(ones({2})); },        [&] { model.size(); },       [&] { model.push_back(nn::ReLU()); }};
  for (size_t i = 0; i < std::size(uses); ++i) {
    SCOPED_TRACE(i);
    EXPECT_ORDO_ERROR(uses[i](), ValueError, "[Module] this module was moved from");
  }
  EXPECT_ORDO_ERROR(layer.weight = ones({2, 2}), ValueError, "was moved from");
  // NOLINTEND
}

}  // namespace
}  // namespace ordo::test::sharing_test

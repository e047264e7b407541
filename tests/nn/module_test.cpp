// Module: names, sharing, modes, moving, saving.
#include "tests/support/names_of.h"
#include "tests/support/op_samples.h"

namespace ordo::test::module_test {
namespace {

struct Scale : nn::Module {
  nn::Parameter factor = add_parameter("factor", tensor({2.0f}));
  nn::Buffer calls = add_buffer("calls", zeros({}, {.dtype = int64}));
  Tensor forward(const Tensor& x) override { return x * factor; }
};

struct Net : nn::Module {
  nn::Linear hidden = add("hidden", nn::Linear(3, 4));
  nn::Sequential tail = add("tail", nn::Sequential{nn::ReLU(), nn::Linear(4, 2, {.bias = false}), Scale()});
  Tensor forward(const Tensor& x) override { return tail(hidden(x)); }
};

TEST(Module, dotted_names_in_order) {
  Net net;
  const std::string parameters = "hidden.weight hidden.bias tail.1.weight tail.2.factor";
  EXPECT_EQ(names_of(net.named_parameters()), parameters);
  EXPECT_EQ(names_of(net.named_buffers()), "tail.2.calls");
  EXPECT_EQ(names_of(net.state_dict()), parameters + " tail.2.calls");
  EXPECT_EQ(net.parameters().size(), 4u);
  EXPECT_EQ(net.parameter_count(), 3 * 4 + 4 + 4 * 2 + 1);
  EXPECT_EQ(net.named_children().at(1).first, "tail");
  for (const Tensor& p : net.parameters()) EXPECT_TRUE(p.requires_grad() && p.is_leaf());
  for (const auto& b : net.named_buffers()) EXPECT_FALSE(b.tensor.requires_grad());
}

TEST(Module, forward_and_gradients) {
  for (Device device : test_devices()) {
    Net net;
    net.to(device);
    const Tensor y = net(test_values({5, 3}).to(device, float32));
    EXPECT_EQ(y.sizes(), (Dims{5, 2}));
    y.sum().backward();
    for (const auto& [name, p] : net.named_parameters()) EXPECT_EQ(p.grad().sizes(), p.sizes()) << name;
    net.zero_grad();
    for (const auto& [name, p] : net.named_parameters()) EXPECT_FALSE(p.grad().defined()) << name;
  }
}

TEST(Module, a_clone_has_memory_of_its_own) {
  Net net;
  net.tail.eval();
  net.hidden.bias.set_requires_grad(false);
  Net target = nn::clone(net);
  EXPECT_EQ(names_of(target.state_dict()), names_of(net.state_dict()));
  for (size_t i = 0; i < net.state_dict().size(); ++i) {
    const Tensor a = net.state_dict()[i].tensor, b = target.state_dict()[i].tensor;
    EXPECT_EQ(bytes_of(a), bytes_of(b));
    EXPECT_NE(a.data(), b.data());
    EXPECT_EQ(a.requires_grad(), b.requires_grad());
  }
  EXPECT_TRUE(target.hidden.is_training());
  EXPECT_FALSE(target.tail[0].is_training());
  const Tensor x = test_values({5, 3}).to(float32);
  const auto before = bytes_of(net(x));
  EXPECT_EQ(bytes_of(target(x)), before);
  nn::init::ones_(target.hidden.weight);
  EXPECT_EQ(bytes_of(net(x)), before);
  EXPECT_NE(bytes_of(target(x)), before) << "members and entries are the same parameters";
  target(x).sum().backward();
  EXPECT_TRUE(target.hidden.weight.grad().defined());
  EXPECT_FALSE(net.hidden.weight.grad().defined());
  target.load_state_dict(net.state_dict());
  EXPECT_EQ(bytes_of(target(x)), before);
  const Net shared = target;
  EXPECT_EQ(shared.hidden.weight.data(), target.hidden.weight.data()) << "a copy of the clone shares with it";
  const nn::Sequential layers = nn::clone(net.tail);
  EXPECT_EQ(layers.size(), 3);
  EXPECT_NE(layers.parameters()[0].data(), net.tail.parameters()[0].data());
}

struct Tied : nn::Module {
  nn::Linear first = add("first", nn::Linear(2, 2)), second = add("second", nn::Linear(2, 2, {.bias = false}));
  Tied() { second.weight = first.weight; }
};

TEST(Module, a_clone_ties_what_was_tied) {
  const Tied tied, copy = nn::clone(tied);
  EXPECT_EQ(copy.parameters().size(), 2u);
  EXPECT_TRUE(copy.first.weight.is_same(copy.second.weight));
  EXPECT_FALSE(copy.first.weight.is_same(tied.first.weight));
}

TEST(Module, tied_parameters_load_under_any_of_their_names) {
  Tied from, to;
  const auto state = from.state_dict();
  EXPECT_EQ(names_of(state), "first.weight first.bias");
  auto both = state, second = state, differing = state;
  both.push_back({"second.weight", from.first.weight.detach().clone()});
  second[0].name = "second.weight";
  differing.push_back({"second.weight", ones({2, 2})});
  for (const auto& given : {state, both, second}) {
    nn::init::zeros_(to.first.weight);
    const auto report = to.load_state_dict(given);
    EXPECT_EQ(bytes_of(to.second.weight), bytes_of(from.first.weight));
    EXPECT_EQ(report.tied, given.size() == 2 && given[0].name == "first.weight"
                               ? std::vector<std::string>()
                               : std::vector<std::string>{"second.weight"});
  }
  EXPECT_ORDO_ERROR(to.load_state_dict(differing), ValueError,
                    "'first.weight' and 'second.weight' are one tensor here, but their values differ");
  auto unknown = state;
  unknown.push_back({"third.weight", ones({2, 2})});
  EXPECT_ORDO_ERROR(to.load_state_dict(unknown), ValueError, "third.weight");
}

TEST(Module, forward_hooks_see_and_replace) {
  Net net;
  const Tensor x = test_values({5, 3}).to(float32);
  const auto plain = bytes_of(net(x));
  std::vector<std::string> calls;
  auto seen = net.hidden.register_forward_hook([&](nn::Module& module, const Tensor& input, const Tensor& output) {
    calls.push_back(module.description());
    EXPECT_TRUE(input.is_same(x));
    EXPECT_EQ(output.sizes(), Dims({5, 4}));
  });
  EXPECT_EQ(bytes_of(net(x)), plain);
  EXPECT_EQ(calls, std::vector<std::string>{"Linear(3, 4)"});
  auto twice = net.hidden.register_forward_pre_hook([](nn::Module&, const Tensor& input) { return input * 2; });
  auto minus =
      net.hidden.register_forward_hook([](nn::Module&, const Tensor&, const Tensor& output) { return output * -1; });
  seen.remove();
  EXPECT_EQ(bytes_of(net.hidden(x)), bytes_of(nn::clone(net.hidden)(x * 2) * -1)) << "a clone has no hooks";
  EXPECT_EQ(bytes_of(nn::Linear(net.hidden)(x)), bytes_of(net.hidden(x))) << "a copy has them";
  EXPECT_EQ(calls.size(), 1u);
  twice.remove();
  twice.remove();
  minus.remove();
  EXPECT_EQ(bytes_of(net(x)), plain);
  EXPECT_ORDO_ERROR(net.register_forward_hook(std::function<Tensor(nn::Module&, const Tensor&, const Tensor&)>()),
                    ValueError, "[register_forward_hook] needs a function");
}

TEST(Module, a_copy_shares) {
  Net net;
  Net copy = net;
  nn::init::ones_(copy.hidden.weight);
  EXPECT_EQ(net.hidden.weight.to_vector<float>(), std::vector<float>(12, 1));
  copy.eval();
  EXPECT_FALSE(net.is_training());
  EXPECT_FALSE(net.tail.is_training());
}

TEST(Module, a_module_in_two_places_is_listed_once) {
  const nn::Linear shared(2, 2);
  nn::Sequential model{shared, nn::ReLU(), shared};
  EXPECT_EQ(model.size(), 3);
  EXPECT_EQ(names_of(model.named_parameters()), "0.weight 0.bias");
  optim::SGD optimizer(model.parameters());
}

TEST(Module, training_mode_reaches_all) {
  nn::Sequential model{nn::Dropout(0.9), nn::Sequential{nn::Dropout(0.9)}};
  EXPECT_TRUE(model.is_training());
  const Tensor x = ones({100});
  EXPECT_NE(bytes_of(model(x)), bytes_of(x));
  model.eval();
  EXPECT_FALSE(model[1].named_children().at(0).second->is_training());
  EXPECT_EQ(bytes_of(model(x)), bytes_of(x));
  model.train();
  EXPECT_TRUE(model[1].named_children().at(0).second->is_training());
}

TEST(Module, to_keeps_handles_and_optimisers) {
  for (Device device : test_devices()) {
    Net net;
    const Tensor handle = net.hidden.weight;
    const auto before = handle.to_vector<double>();
    net(test_values({5, 3}).to(float32)).sum().backward();
    optim::SGD optimizer(net.parameters(), {.lr = 0.5});
    net.to(float64);
    net.to(device);
    EXPECT_EQ(handle.dtype(), float64);
    EXPECT_EQ(handle.device(), device);
    EXPECT_EQ(handle.grad().dtype(), float64);
    EXPECT_EQ(handle.to_vector<double>(), before);
    EXPECT_TRUE(handle.requires_grad() && handle.is_leaf());
    EXPECT_EQ(net.tail.state_dict().back().tensor.dtype(), int64) << "integer buffers keep their dtype";
    optimizer.step();
    EXPECT_NE(handle.to_vector<double>(), before);
    EXPECT_EQ(net(test_values({5, 3}).to(device)).dtype(), float64);
  }
}

TEST(Module, saving_and_loading) {
  Net from, to;
  EXPECT_NE(bytes_of(from.hidden.weight), bytes_of(to.hidden.weight));
  to.load_state_dict(from.state_dict());
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(bytes_of(from.state_dict()[i].tensor), bytes_of(to.state_dict()[i].tensor)) << i;
  EXPECT_FALSE(from.hidden.weight.is_same(to.hidden.weight));

  const auto before = to.state_dict()[1].tensor.to_vector<float>();
  nn::NamedTensorList state = from.state_dict();
  state[1].tensor = state[1].tensor + 1;  // never copied: every load below fails
  state.pop_back();
  EXPECT_ORDO_ERROR(to.load_state_dict(state), ValueError, "missing: 'tail.2.calls'");
  state.push_back({"extra", zeros({1})});
  state.push_back({"more", zeros({1})});
  EXPECT_ORDO_ERROR(to.load_state_dict(state), ValueError, "missing: 'tail.2.calls'; unexpected: 'extra', 'more'");
  state.back().name = "hidden.weight";
  EXPECT_ORDO_ERROR(to.load_state_dict(state), ValueError, "'hidden.weight' is given twice");
  state = from.state_dict();
  state[1].tensor = state[1].tensor + 1;
  state[0].tensor = zeros({4, 4});
  state[2].tensor = zeros({1, 1, 1});
  EXPECT_ORDO_ERROR(to.load_state_dict(state), ShapeError,
                    "'hidden.weight' has sizes [4, 3], but [4, 4] were given; '");
  EXPECT_ORDO_ERROR(to.load_state_dict(state, false), ShapeError, "'hidden.weight' has sizes [4, 3]");
  EXPECT_EQ(to.state_dict()[1].tensor.to_vector<float>(), before) << "an error changes nothing";
}

TEST(Module, partial_loading_says_what_it_left) {
  Net from, to;
  nn::NamedTensorList state = from.state_dict();
  const auto own = to.state_dict().back().tensor.to_vector<int64_t>();
  state.pop_back();
  state.push_back({"extra", zeros({1})});
  const nn::LoadReport report = to.load_state_dict(state, false);
  EXPECT_EQ(report.missing, (std::vector<std::string>{"tail.2.calls"}));
  EXPECT_EQ(report.unexpected, (std::vector<std::string>{"extra"}));
  EXPECT_EQ(bytes_of(from.hidden.weight), bytes_of(to.hidden.weight));
  EXPECT_EQ(to.state_dict().back().tensor.to_vector<int64_t>(), own);
}

TEST(Module, names_are_checked) {
  struct Bad : nn::Module {
    explicit Bad(const std::string& name) {
      add_parameter("taken", ones({1}));
      add("child", nn::ReLU());
      add_buffer(name, ones({1}));
    }
  };
  EXPECT_ORDO_ERROR(Bad("taken"), ValueError, "'taken' is taken");
  EXPECT_ORDO_ERROR(Bad("child"), ValueError, "'child' is taken");
  EXPECT_ORDO_ERROR(Bad("a.b"), ValueError, "dot");
  EXPECT_ORDO_ERROR(Bad(""), ValueError, "needs a name");
}

TEST(Sequential, grows_and_is_indexed) {
  nn::Sequential model;
  EXPECT_EQ(model(tensor({-1.0f})).item<float>(), -1);
  model.push_back(nn::ReLU()).push_back(Scale());
  EXPECT_EQ(model(tensor({3.0f})).item<float>(), 6);
  EXPECT_EQ(model[1](tensor({-3.0f})).item<float>(), -6);
  EXPECT_EQ(model[-1](tensor({-3.0f})).item<float>(), -6);
  EXPECT_ORDO_ERROR(model[2], IndexError, "there are 2");
  EXPECT_ORDO_ERROR(model[-3], IndexError, "there are 2");
  EXPECT_EQ(nn::Sequential{nn::ReLU()}.size(), 1);
  EXPECT_EQ(nn::Sequential{model}.size(), 2) << "a copy";
}

TEST(Sequential, initial_weights_are_drawn_from_left_to_right) {
  manual_seed(5);
  nn::Sequential model{nn::Linear(2, 2), nn::Linear(2, 2)};
  manual_seed(5);
  nn::Linear first(2, 2), second(2, 2);
  EXPECT_EQ(bytes_of(model.parameters()[0]), bytes_of(first.weight));
  EXPECT_EQ(bytes_of(model.parameters()[2]), bytes_of(second.weight));
}

}  // namespace
}  // namespace ordo::test::module_test

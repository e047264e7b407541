// Operations have the path of the module that calls them, and gradients that of the forward call they go back to.
#include <gtest/gtest.h>

#include <ordo/ordo.h>

namespace ordo::test::module_path_test {
namespace {

struct Block : nn::Module {
  nn::Linear first = add("first", nn::Linear(4, 4)), second = add("second", nn::Linear(4, 4));
  Tensor forward(const Tensor& x) override { return x + second(relu(first(x))); }
};

struct Net : nn::ModuleOf<Net> {
  nn::ModuleList<Block> blocks = add("blocks", nn::ModuleList<Block>{Block(), Block()});
  nn::Sequential head = add("head", nn::Sequential{nn::ReLU(), nn::Linear(4, 2)});
  Tensor forward(const Tensor& x, const Tensor& scale) {
    Tensor y = x;
    for (Block& block : blocks) y = block(y);
    return head(y) * scale;
  }
};

struct Event {
  std::string name, scope, node;
  bool operator==(const Event&) const = default;
};

std::vector<Event> recorded(const std::function<void()>& f, int depth, bool backward = false) {
  std::vector<Event> events;
  const OpListener listener([&](const OpEvent& e) {
    if (e.depth == depth && (e.phase == OpEvent::Phase::backward) == backward)
      events.push_back({std::string(e.name), e.scope, std::string(e.node)});
  });
  f();
  return events;
}

TEST(ModulePath, is_made_of_the_names_of_parts) {
  Net net;
  const Tensor x = ones({3, 4}), scale = ones({1});
  const std::vector<Event> expected{{"linear", "Net.blocks.0.first", ""},
                                    {"relu", "Net.blocks.0", ""},
                                    {"linear", "Net.blocks.0.second", ""},
                                    {"add", "Net.blocks.0", ""},
                                    {"linear", "Net.blocks.1.first", ""},
                                    {"relu", "Net.blocks.1", ""},
                                    {"linear", "Net.blocks.1.second", ""},
                                    {"add", "Net.blocks.1", ""},
                                    {"relu", "Net.head.0", ""},
                                    {"linear", "Net.head.1", ""},
                                    {"mul", "Net", ""}};
  EXPECT_EQ(recorded([&] { net(x, scale); }, 0), expected);
  Net copy = net;
  EXPECT_EQ(recorded([&] { copy(x, scale); }, 0), expected) << "a copy is the same module";
  Net moved = std::move(copy);
  EXPECT_EQ(recorded([&] { moved(x, scale); }, 0), expected);
}

TEST(ModulePath, of_gradients_is_that_of_the_forward_call) {
  Net net;
  const Tensor x = ones({3, 4}), scale = ones({1});
  Tensor loss;
  {
    const OpListener listener([](const OpEvent&) {});
    loss = net(x, scale).sum();
  }
  const auto events = recorded([&] { loss.backward(); }, 1, true);
  std::vector<std::string> of_linears;
  for (const Event& e : events) {
    EXPECT_EQ(e.name, e.node);
    if (e.name == "linear") of_linears.push_back(e.scope);
    if (e.name == "sum") {
      EXPECT_EQ(e.scope, "") << "it was called outside of modules";
    }
  }
  EXPECT_EQ(of_linears, (std::vector<std::string>{"Net.head.1", "Net.blocks.1.second", "Net.blocks.1.first",
                                                  "Net.blocks.0.second", "Net.blocks.0.first"}));
  int leaves = 0;
  for (const Event& e : events)
    if (e.name == "accumulate_grad") {
      ++leaves;
      EXPECT_NE(e.scope, "");
    }
  EXPECT_EQ(leaves, 10);
}

TEST(ModulePath, is_empty_outside_and_after_an_exception) {
  nn::Linear layer(4, 4);
  EXPECT_EQ(recorded([&] { layer(ones({1, 4})); }, 0).back().scope, "Linear");
  EXPECT_EQ(recorded([&] { EXPECT_THROW(layer(ones({1, 3})), ShapeError); }, 0).back().scope, "Linear");
  EXPECT_EQ(ordo::detail::OpScope::innermost(), nullptr);
  EXPECT_EQ(recorded([&] { ones({1}) + 1; }, 0).back().scope, "");
  layer(ones({1, 4}));  // nobody listens
  EXPECT_EQ(ordo::detail::OpScope::innermost(), nullptr);
}

TEST(RandomDraws, are_heard_with_the_operation_that_takes_them) {
  struct Draw {
    GeneratorState from;
    uint64_t blocks;
    std::string op, scope;
  };
  std::vector<Draw> draws;
  Generator generator(5);
  nn::Dropout dropout(0.5);
  const OpListener listener([](const OpEvent&) {}, {},
                            [&](const RandomDraw& d) {
                              draws.push_back({d.from, d.blocks, std::string(d.op), std::string(d.scope)});
                              generator.reserve(1);  // what a listener draws is not heard
                            });
  rand({10}, {}, &generator);
  generator.reserve(7);
  dropout(ones({8}));
  ASSERT_EQ(draws.size(), 3u);
  EXPECT_EQ(draws[0].from, (GeneratorState{5, 0, 0}));
  EXPECT_EQ(draws[0].blocks, 3u);
  EXPECT_EQ(draws[0].op, "rand");
  EXPECT_EQ(draws[1].from.offset, 4u);
  EXPECT_EQ(draws[1].blocks, 7u);
  EXPECT_EQ(draws[1].op, "");
  EXPECT_EQ(draws[2].scope, "Dropout");
}

}  // namespace
}  // namespace ordo::test::module_path_test

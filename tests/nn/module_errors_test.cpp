// Errors that leave the forward() of a model's part say where it is; layers that are declared first; functions as
// modules.
#include "tests/support/names_of.h"
#include "tests/support/op_samples.h"

namespace ordo::test::module_errors_test {
namespace {

struct Net : nn::Module {
  nn::Sequential layers = add("layers", nn::Sequential{nn::Linear(4, 4), nn::ReLU(), nn::Linear(3, 2)});
  Tensor forward(const Tensor& x) override { return layers(x); }
};

struct Model : nn::ModuleOf<Model> {
  Net net = add("net", Net());
  nn::ModuleList<nn::LSTM> heads = add("heads", nn::ModuleList<nn::LSTM>{nn::LSTM(2, 2)});
  Tensor forward(const Tensor& x, bool lstm) { return lstm ? heads[0](x).output : net(x); }
};

/// The message of the error of type E that f throws.
template <class E>
std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (E& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

TEST(ModuleErrors, name_the_part) {
  const Tensor x = ones({1, 4}), narrow = ones({1, 3});
  Net net;
  Model model;
  const std::string in_net = message_of<ShapeError>([&] { net(x); });
  nn::Linear last(3, 2);
  EXPECT_EQ(in_net, message_of<ShapeError>([&] { last(x); }) + " [in layers.2 (Linear)]")
      << "and none of one by itself";
  EXPECT_TRUE(message_of<ShapeError>([&] { model(x, false); }).ends_with(" [in net.layers.2 (Linear)]"));
  EXPECT_TRUE(message_of<ShapeError>([&] { model(narrow, false); }).ends_with(" [in net.layers.0 (Linear)]"));
  EXPECT_TRUE(message_of<ShapeError>([&] { model(ones({1, 1, 3}), true); }).ends_with(" [in heads.0 (LSTM)]"));
  for (auto& [name, module] : model.named_modules())
    if (name == "net.layers.2") {
      EXPECT_EQ(module->description().substr(0, 6), "Linear");
    }
  // A part that is called from beside its own place.
  struct Beside : nn::Module {
    Net shared;
    explicit Beside(const Net& net) : shared(net) {}
    Tensor forward(const Tensor& x) override { return shared(x); }
  };
  struct Both : nn::Module {
    Net net = add("net", Net());
    Beside beside = add("beside", Beside(net));
    Tensor forward(const Tensor& x) override { return beside(x); }
  } both;
  EXPECT_TRUE(message_of<ShapeError>([&] { both(x); }).ends_with(" [in net.layers.2 (Linear)]"));
}

struct Own : ValueError {
  explicit Own(int code_) : ValueError("own"), code(code_) {}
  int code;
};

struct Throws : nn::Module {
  std::function<void()> f;
  explicit Throws(std::function<void()> f_) : f(std::move(f_)) {}
  Tensor forward(const Tensor& x) override { return f(), x; }
};

TEST(ModuleErrors, keep_their_type_and_data) {
  const Tensor x = ones({1});
  nn::Sequential own{Throws([] { throw Own(7); })};
  try {
    own(x);
    ADD_FAILURE();
  } catch (const Own& error) {
    EXPECT_EQ(error.code, 7);
    EXPECT_STREQ(error.what(), "own [in 0 (Throws)]");
    EXPECT_STREQ(static_cast<const std::runtime_error&>(error).what(), error.what());
  }
  nn::Sequential full{nn::ReLU(), nn::Sequential{Throws([] { throw OutOfMemoryError("full"); })}};
  EXPECT_EQ(message_of<std::bad_alloc>([&] { full(x); }), "full [in 1.0 (Throws)]");
  nn::Sequential foreign{Throws([] { throw std::logic_error("foreign"); })};
  EXPECT_EQ(message_of<std::logic_error>([&] { foreign(x); }), "foreign");
}

TEST(ModuleErrors, of_an_error_that_was_caught_nothing_is_left) {
  struct Tries : nn::Module {
    Throws part = add("part", Throws([] { throw ValueError("same"); }));
    Tensor forward(const Tensor& x) override {
      try {
        return part(x);
      } catch (const ValueError&) {
      }
      throw ValueError("same");
    }
  };
  nn::Sequential model{nn::ReLU(), Tries()};
  EXPECT_EQ(message_of<ValueError>([&] { model(ones({1})); }), "same [in 1 (Tries)]");
  EXPECT_EQ(message_of<ValueError>([&] { model(ones({1})); }), "same [in 1 (Tries)]") << "again";
}

struct Declared : nn::Module {
  nn::Later<nn::Linear> fc{"fc"};
  explicit Declared(bool made) {
    if (made) fc = add("fc", nn::Linear(2, 3));
  }
  Tensor forward(const Tensor& x) override { return fc(x); }
};

TEST(Later, is_the_module_that_was_assigned) {
  Declared net(true);
  const Tensor x = ones({1, 2});
  EXPECT_EQ(names_of(net.named_parameters()), "fc.weight fc.bias");
  EXPECT_EQ(bytes_of(net(x)), bytes_of(linear(x, net.fc->weight, net.fc->bias)));
  Declared shared = net, own = nn::clone(net);
  EXPECT_TRUE(shared.fc->weight.is_same(net.fc->weight));
  EXPECT_FALSE(own.fc->weight.is_same(net.fc->weight));
  EXPECT_TRUE(own.fc->weight.is_same(own.parameters()[0]));
  EXPECT_EQ((*own.fc).description(), "Linear(2, 3)");
}

TEST(Later, names_the_member_that_was_not) {
  Declared net(false);
  EXPECT_FALSE(net.fc.has_value());
  EXPECT_ORDO_ERROR(net(ones({1, 2})), ValueError, "'fc' was declared but not made");
  EXPECT_ORDO_ERROR(net.fc->weight, ValueError, "fc = add(\"fc\", ...)");
}

TEST(Functional, is_a_part_of_a_sequence) {
  nn::Sequential model{nn::Linear(2, 2), nn::Functional("square", [](const Tensor& x) { return x * x; }),
                       nn::Functional([](const Tensor& x) { return x.sum(1); })};
  const Tensor x = test_values({3, 2}).to(float32);
  const nn::Linear& first = static_cast<nn::Linear&>(model[0]);
  const Tensor expected = linear(x, first.weight, first.bias).square().sum(1);
  EXPECT_EQ(bytes_of(model(x)), bytes_of(expected));
  EXPECT_EQ(bytes_of(nn::clone(model)(x)), bytes_of(expected));
  EXPECT_EQ(model[1].description(), "Functional(square)");
  EXPECT_EQ(model[2].description(), "Functional");
  EXPECT_ORDO_ERROR(nn::Functional("none", nullptr), ValueError, "[Functional] needs a function");
}

}  // namespace
}  // namespace ordo::test::module_errors_test

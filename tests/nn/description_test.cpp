// The text of modules and models.
#include <sstream>

#include "tests/support/op_samples.h"

namespace ordo::test::description_test {
namespace {

TEST(Description, says_the_options_that_are_not_as_usual) {
  const auto expect = [](const nn::ModuleBase& module, const char* text) { EXPECT_EQ(module.description(), text); };
  expect(nn::Linear(784, 10), "Linear(784, 10)");
  expect(nn::Linear(784, 10, {.bias = false}), "Linear(784, 10, bias=false)");
  expect(nn::Conv2d(1, 8, 3), "Conv2d(1, 8, kernel_size=3)");
  expect(nn::Conv2d(4, 8, {3, 5}, {.stride = 2, .padding = {0, 1}, .groups = 2}),
         "Conv2d(4, 8, kernel_size={3, 5}, stride=2, padding={0, 1}, groups=2)");
  expect(nn::ConvTranspose1d(4, 6, 3, {.output_padding = 0, .bias = false}),
         "ConvTranspose1d(4, 6, kernel_size=3, bias=false)");
  expect(nn::ConvTranspose3d(4, 6, 2, {.groups = 2, .dilation = 2}),
         "ConvTranspose3d(4, 6, kernel_size=2, groups=2, dilation=2)");
  expect(nn::ReLU(), "ReLU");
  expect(nn::GELU(), "GELU");
  expect(nn::GELU({.approximate = GELUApproximate::tanh}), "GELU(approximate=tanh)");
  expect(nn::LeakyReLU(0.2), "LeakyReLU(0.2)");
  expect(nn::Hardtanh(), "Hardtanh(-1, 1)");
  expect(nn::Softplus(2), "Softplus(beta=2)");
  expect(nn::Softmax(-1), "Softmax(-1)");
  expect(nn::BatchNorm2d(8), "BatchNorm2d(8)");
  expect(nn::BatchNorm1d(8, {.eps = 0.001, .momentum = {}}), "BatchNorm1d(8, eps=0.001, momentum=none)");
  expect(nn::LayerNorm({4, 5}, {.bias = false}), "LayerNorm({4, 5}, bias=false)");
  expect(nn::LayerNorm({4}, {.elementwise_affine = false}), "LayerNorm({4}, elementwise_affine=false)");
  expect(nn::RMSNorm({4}), "RMSNorm({4})");
  expect(nn::GroupNorm(2, 8), "GroupNorm(2, 8)");
  expect(nn::InstanceNorm3d(8, {.affine = true}), "InstanceNorm3d(8, affine=true)");
  expect(nn::MaxPool2d(3, {.stride = 2}), "MaxPool2d(3, stride=2)");
  expect(nn::MaxPool2d(3, {.stride = 3}), "MaxPool2d(3)");
  expect(nn::AvgPool2d({2, 1}, {.divisor_override = 3}), "AvgPool2d({2, 1}, divisor_override=3)");
  expect(nn::AdaptiveAvgPool2d({2, 3}), "AdaptiveAvgPool2d({2, 3})");
  expect(nn::LPPool1d(2, 3), "LPPool1d(2, 3)");
  expect(nn::MaxUnpool2d(2), "MaxUnpool2d(2)");
  expect(nn::FractionalMaxPool2d(2, {.output_ratio = {0.5}}), "FractionalMaxPool2d(2, output_ratio={0.5})");
  expect(nn::ZeroPad2d(1), "ZeroPad2d(1)");
  expect(nn::ReflectionPad1d({1, 2}), "ReflectionPad1d({1, 2})");
  expect(nn::ConstantPad1d(2, 0.5), "ConstantPad1d(2, 0.5)");
  expect(nn::Upsample({.scale_factor = {2}, .mode = InterpolateMode::bilinear}),
         "Upsample(scale_factor=2, mode=bilinear)");
  expect(nn::Fold({6, 8}, 2, {.stride = 2}), "Fold({6, 8}, 2, stride=2)");
  expect(nn::Flatten(), "Flatten");
  expect(nn::Unflatten(1, {2, 2}), "Unflatten(1, {2, 2})");
  expect(nn::Dropout(0.2), "Dropout(0.2)");
  expect(nn::Embedding(10, 4, {.padding_idx = -1}), "Embedding(10, 4, padding_idx=9)");
  expect(nn::EmbeddingBag(10, 4), "EmbeddingBag(10, 4, mode=mean)");
  expect(nn::LSTM(3, 4, {.num_layers = 2, .bidirectional = true}), "LSTM(3, 4, num_layers=2, bidirectional=true)");
  expect(nn::RNN(3, 4, {}, nn::RecurrentNonlinearity::relu), "RNN(3, 4, nonlinearity=relu)");
  expect(nn::MultiheadAttention(8, 2, {.batch_first = true}), "MultiheadAttention(8, 2, batch_first=true)");
  expect(nn::TransformerEncoderLayer(8, 2, {.dim_feedforward = 16, .activation = "gelu"}),
         "TransformerEncoderLayer(8, 2, dim_feedforward=16, activation=gelu)");
  expect(nn::Bilinear(2, 3, 4), "Bilinear(2, 3, 4)");
  expect(nn::LSTMCell(3, 4, {.bias = false}), "LSTMCell(3, 4, bias=false)");
}

struct Silent : nn::Module {};
template <class T>
struct Generic : nn::Module {};
struct Spoken : nn::Module {
  std::string description() const override { return "Spoken, says the user"; }
};

TEST(Description, of_classes_that_say_nothing) {
  struct Local : nn::ModuleOf<Local> {};
  EXPECT_EQ(Silent().description(), "Silent");
  EXPECT_EQ(Generic<std::vector<int>>().description(), "Generic");
  EXPECT_EQ(Local().description(), "Local");
  EXPECT_EQ(Spoken().description(), "Spoken, says the user");
  EXPECT_EQ(nn::Sequential().description(), "Sequential");
  EXPECT_EQ(nn::ModuleList<nn::Linear>().description(), "ModuleList");
}

TEST(Description, of_a_model) {
  const nn::Sequential model{nn::Conv2d(1, 8, 3), nn::BatchNorm2d(8), nn::ReLU(),
                             nn::Sequential{nn::Flatten(), nn::Linear(5408, 10, {.bias = false})}};
  const std::string expected =
      "Sequential\n"
      "0: Conv2d(1, 8, kernel_size=3) weight [8, 1, 3, 3], bias [8] 80\n"
      "1: BatchNorm2d(8) weight [8], bias [8]; buffers running_mean [8], running_var [8], num_batches_tracked [] int64 "
      "16\n"
      "2: ReLU\n"
      "3: Sequential\n"
      "0: Flatten\n"
      "1: Linear(5408, 10, bias=false) weight [10, 5408] 54080\n"
      "54176 parameters; 17 numbers in buffers";
  // The columns are the next test's.
  const auto words = [](const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> all;
    for (std::string word; in >> word;) all.push_back(word);
    return all;
  };
  EXPECT_EQ(words(model.str()), words(expected));
  std::ostringstream out;
  out << model;
  EXPECT_EQ(out.str(), model.str());
}

TEST(Description, aligns_columns) {
  const nn::Sequential model{nn::Linear(2, 3), nn::ReLU(), nn::PReLU(12)};
  EXPECT_EQ(model.str(),
            "Sequential\n"
            "  0: Linear(2, 3)  weight [3, 2], bias [3]   9\n"
            "  1: ReLU\n"
            "  2: PReLU(12)     weight [12]              12\n"
            "21 parameters");
}

struct Tied : nn::ModuleOf<Tied> {
  nn::Embedding tokens = add("tokens", nn::Embedding(5, 4));
  nn::Linear head = add("head", nn::Linear(4, 5));
  Tied() { head.weight = tokens.weight; }
};

TEST(Description, counts_what_is_shared_once) {
  Tied model;
  EXPECT_EQ(model.str(),
            "Tied\n"
            "  tokens: Embedding(5, 4)  weight [5, 4]                     20\n"
            "  head: Linear(4, 5)       weight [5, 4] (shared), bias [5]   5\n"
            "25 parameters");
  model.to(float64);
  model.head.bias.set_requires_grad(false);
  EXPECT_EQ(model.str(),
            "Tied\n"
            "  tokens: Embedding(5, 4)  weight [5, 4] float64                             20\n"
            "  head: Linear(4, 5)       weight [5, 4] float64 (shared), bias [5] float64   5\n"
            "25 parameters, 5 of them without a gradient");
}

}  // namespace
}  // namespace ordo::test::description_test

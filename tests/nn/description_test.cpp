// The text of modules and models.
#include <gtest/gtest.h>

#include <sstream>

#include <ordo/nn/nn.h>
#include "tests/support/op_samples.h"

namespace ordo::test::description_test {
namespace {

TEST(Description, says_the_options_that_are_not_as_usual) {
  EXPECT_EQ(nn::Linear(784, 10).description(), "Linear(784, 10)");
  EXPECT_EQ(nn::Linear(784, 10, {.bias = false}).description(), "Linear(784, 10, bias=false)");
  EXPECT_EQ(nn::Conv2d(1, 8, 3).description(), "Conv2d(1, 8, kernel_size=3)");
  EXPECT_EQ(nn::Conv2d(4, 8, {3, 5}, {.stride = 2, .padding = {0, 1}, .groups = 2}).description(),
            "Conv2d(4, 8, kernel_size={3, 5}, stride=2, padding={0, 1}, groups=2)");
  EXPECT_EQ(nn::ConvTranspose1d(4, 6, 3, {.output_padding = 0, .bias = false}).description(),
            "ConvTranspose1d(4, 6, kernel_size=3, bias=false)");
  EXPECT_EQ(nn::ConvTranspose3d(4, 6, 2, {.groups = 2, .dilation = 2}).description(),
            "ConvTranspose3d(4, 6, kernel_size=2, groups=2, dilation=2)");
  EXPECT_EQ(nn::ReLU().description(), "ReLU");
  EXPECT_EQ(nn::GELU().description(), "GELU");
  EXPECT_EQ(nn::GELU({.approximate = GELUApproximate::tanh}).description(), "GELU(approximate=tanh)");
  EXPECT_EQ(nn::LeakyReLU(0.2).description(), "LeakyReLU(0.2)");
  EXPECT_EQ(nn::Hardtanh().description(), "Hardtanh(-1, 1)");
  EXPECT_EQ(nn::Softplus(2).description(), "Softplus(beta=2)");
  EXPECT_EQ(nn::Softmax(-1).description(), "Softmax(-1)");
  EXPECT_EQ(nn::BatchNorm2d(8).description(), "BatchNorm2d(8)");
  EXPECT_EQ(nn::BatchNorm1d(8, {.eps = 0.001, .momentum = {}}).description(),
            "BatchNorm1d(8, eps=0.001, momentum=none)");
  EXPECT_EQ(nn::LayerNorm({4, 5}, {.bias = false}).description(), "LayerNorm({4, 5}, bias=false)");
  EXPECT_EQ(nn::LayerNorm({4}, {.elementwise_affine = false}).description(),
            "LayerNorm({4}, elementwise_affine=false)");
  EXPECT_EQ(nn::RMSNorm({4}).description(), "RMSNorm({4})");
  EXPECT_EQ(nn::GroupNorm(2, 8).description(), "GroupNorm(2, 8)");
  EXPECT_EQ(nn::InstanceNorm3d(8, {.affine = true}).description(), "InstanceNorm3d(8, affine=true)");
  EXPECT_EQ(nn::MaxPool2d(3, {.stride = 2}).description(), "MaxPool2d(3, stride=2)");
  EXPECT_EQ(nn::MaxPool2d(3, {.stride = 3}).description(), "MaxPool2d(3)");
  EXPECT_EQ(nn::AvgPool2d({2, 1}, {.divisor_override = 3}).description(), "AvgPool2d({2, 1}, divisor_override=3)");
  EXPECT_EQ(nn::AdaptiveAvgPool2d({2, 3}).description(), "AdaptiveAvgPool2d({2, 3})");
  EXPECT_EQ(nn::LPPool1d(2, 3).description(), "LPPool1d(2, 3)");
  EXPECT_EQ(nn::MaxUnpool2d(2).description(), "MaxUnpool2d(2)");
  EXPECT_EQ(nn::FractionalMaxPool2d(2, {.output_ratio = {0.5}}).description(),
            "FractionalMaxPool2d(2, output_ratio={0.5})");
  EXPECT_EQ(nn::ZeroPad2d(1).description(), "ZeroPad2d(1)");
  EXPECT_EQ(nn::ReflectionPad1d({1, 2}).description(), "ReflectionPad1d({1, 2})");
  EXPECT_EQ(nn::ConstantPad1d(2, 0.5).description(), "ConstantPad1d(2, 0.5)");
  EXPECT_EQ(nn::Upsample({.scale_factor = {2}, .mode = InterpolateMode::bilinear}).description(),
            "Upsample(scale_factor=2, mode=bilinear)");
  EXPECT_EQ(nn::Fold({6, 8}, 2, {.stride = 2}).description(), "Fold({6, 8}, 2, stride=2)");
  EXPECT_EQ(nn::Flatten().description(), "Flatten");
  EXPECT_EQ(nn::Unflatten(1, {2, 2}).description(), "Unflatten(1, {2, 2})");
  EXPECT_EQ(nn::Dropout(0.2).description(), "Dropout(0.2)");
  EXPECT_EQ(nn::Embedding(10, 4, {.padding_idx = -1}).description(), "Embedding(10, 4, padding_idx=9)");
  EXPECT_EQ(nn::EmbeddingBag(10, 4).description(), "EmbeddingBag(10, 4, mode=mean)");
  EXPECT_EQ(nn::LSTM(3, 4, {.num_layers = 2, .bidirectional = true}).description(),
            "LSTM(3, 4, num_layers=2, bidirectional=true)");
  EXPECT_EQ(nn::RNN(3, 4, {}, nn::RecurrentNonlinearity::relu).description(), "RNN(3, 4, nonlinearity=relu)");
  EXPECT_EQ(nn::MultiheadAttention(8, 2, {.batch_first = true}).description(),
            "MultiheadAttention(8, 2, batch_first=true)");
  EXPECT_EQ(nn::TransformerEncoderLayer(8, 2, {.dim_feedforward = 16, .activation = "gelu"}).description(),
            "TransformerEncoderLayer(8, 2, dim_feedforward=16, activation=gelu)");
  EXPECT_EQ(nn::Bilinear(2, 3, 4).description(), "Bilinear(2, 3, 4)");
  EXPECT_EQ(nn::LSTMCell(3, 4, {.bias = false}).description(), "LSTMCell(3, 4, bias=false)");
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

// The layers: shapes, initial values, and that each computes what its function does with the right arguments.
#include <cmath>

#include "tests/support/names_of.h"
#include "tests/support/op_samples.h"

namespace ordo::test::layers_test {
namespace {

/// All values lie in [-bound, bound), spread over the whole range.
void expect_uniform(const Tensor& t, double bound, const char* what) {
  const double low = t.min().item(), high = t.max().item(), n = double(t.numel());
  EXPECT_GE(low, -bound) << what;
  EXPECT_LE(high, bound) << what;
  EXPECT_LT(low, -0.9 * bound) << what;
  EXPECT_GT(high, 0.9 * bound) << what;
  // Five standard errors of the mean and of the mean square of a uniform distribution.
  const Tensor exact = t.detach().to(float64);
  EXPECT_NEAR(exact.mean().item(), 0, 5 * bound / std::sqrt(3 * n)) << what;
  EXPECT_NEAR(square(exact).mean().item(), bound * bound / 3, 5 * bound * bound * std::sqrt(4.0 / 45 / n)) << what;
}

void expect_normal(const Tensor& t, double std, const char* what) {
  const Tensor exact = t.detach().to(float64);
  const double n = double(t.numel());
  EXPECT_NEAR(exact.mean().item(), 0, 5 * std / std::sqrt(n)) << what;
  EXPECT_NEAR(square(exact).mean().item(), std * std, 5 * std * std * std::sqrt(2 / n)) << what;
}

TEST(Layers, initial_values) {
  manual_seed(1);
  nn::Linear linear(50, 80);
  EXPECT_EQ(linear.weight.sizes(), (Dims{80, 50}));
  EXPECT_EQ(linear.bias.sizes(), (Dims{80}));
  expect_uniform(linear.weight, 1 / std::sqrt(50.0), "Linear.weight");
  expect_uniform(linear.bias, 1 / std::sqrt(50.0), "Linear.bias");
  EXPECT_FALSE(nn::Linear(5, 8, {.bias = false}).bias.defined());

  nn::Conv2d conv(8, 64, {3, 5}, {.groups = 4});
  EXPECT_EQ(conv.weight.sizes(), (Dims{64, 2, 3, 5}));
  expect_uniform(conv.weight, 1 / std::sqrt(2 * 15.0), "Conv2d.weight");
  expect_uniform(conv.bias, 1 / std::sqrt(2 * 15.0), "Conv2d.bias");

  nn::Embedding embedding(100, 20, {.padding_idx = -1});
  expect_normal(embedding.weight.narrow(0, 0, 99), 1, "Embedding.weight");
  EXPECT_EQ(embedding.weight[99].to_vector<float>(), std::vector<float>(20, 0));
  nn::EmbeddingBag bag(100, 20, {.padding_idx = 3});
  expect_normal(bag.weight.narrow(0, 4, 96), 1, "EmbeddingBag.weight");
  EXPECT_EQ(bag.weight[3].to_vector<float>(), std::vector<float>(20, 0));

  nn::BatchNorm2d norm(3);
  EXPECT_EQ(norm.weight.to_vector<float>(), std::vector<float>(3, 1));
  EXPECT_EQ(norm.bias.to_vector<float>(), std::vector<float>(3, 0));
  EXPECT_EQ(norm.running_mean.to_vector<float>(), std::vector<float>(3, 0));
  EXPECT_EQ(norm.running_var.to_vector<float>(), std::vector<float>(3, 1));
}

TEST(Layers, initialisers) {
  namespace init = nn::init;
  const Tensor t = zeros({60, 10, 2, 3});
  EXPECT_EQ(init::fans(t).in, 60);
  EXPECT_EQ(init::fans(t).out, 360);
  expect_uniform(init::kaiming_uniform_(t), std::sqrt(6.0 / 60), "kaiming_uniform_");
  expect_uniform(init::kaiming_uniform_(t, {.fan = init::Fan::fan_out, .nonlinearity = init::Nonlinearity::tanh}),
                 5.0 / 3 * std::sqrt(3.0 / 360), "kaiming_uniform_ fan_out tanh");
  expect_normal(init::kaiming_normal_(t, {.nonlinearity = init::Nonlinearity::relu}), std::sqrt(2.0 / 60),
                "kaiming_normal_");
  expect_uniform(init::xavier_uniform_(t, 2), 2 * std::sqrt(6.0 / 420), "xavier_uniform_");
  expect_normal(init::xavier_normal_(t), std::sqrt(2.0 / 420), "xavier_normal_");
  expect_uniform(init::uniform_(t, -3, 3), 3, "uniform_");
  expect_normal(init::normal_(t, 0, 4), 4, "normal_");
  EXPECT_EQ(init::constant_(t, 2.5)[0][0][0][0].item(), 2.5);
  EXPECT_ORDO_ERROR(init::kaiming_uniform_(zeros({3})), ShapeError, "two dimensions");
  EXPECT_EQ(init::kaiming_uniform_(zeros({0, 3})).numel(), 0);
}

TEST(Layers, impossible_arguments) {
  EXPECT_ORDO_ERROR(nn::Linear(-1, 2), ValueError, "Linear");
  EXPECT_ORDO_ERROR(nn::Conv2d(0, 2, 3), ValueError, "Conv2d");
  EXPECT_ORDO_ERROR(nn::Conv2d(1, 2, 0), ValueError, "kernel");
  EXPECT_ORDO_ERROR(nn::Conv2d(1, 2, 3, {.stride = 0}), ValueError, "stride");
  EXPECT_ORDO_ERROR(nn::Conv2d(1, 2, 3, {.padding = {0, -1}}), ValueError, "padding");
  EXPECT_ORDO_ERROR(nn::Conv2d(6, 4, 3, {.groups = 3}), ValueError, "groups = 3");
  EXPECT_ORDO_ERROR(nn::Embedding(10, 2, {.padding_idx = 10}), ValueError, "padding_idx = 10");
  EXPECT_ORDO_ERROR(nn::EmbeddingBag(10, 2, {.padding_idx = -11}), ValueError, "padding_idx = -11");
  EXPECT_ORDO_ERROR(nn::EmbeddingBag(0, 2), ValueError, "EmbeddingBag");
  EXPECT_ORDO_ERROR(nn::EmbeddingBag(4, 2)(zeros({3}, {.dtype = int64})), ShapeError, "give offsets");
  EXPECT_ORDO_ERROR(nn::BatchNorm2d(0), ValueError, "BatchNorm2d");
  EXPECT_ORDO_ERROR(nn::BatchNorm2d(2)(zeros({3, 2})), ShapeError, "[N, C, H, W]");
  EXPECT_ORDO_ERROR(nn::Dropout(1.5), ValueError, "Dropout");
  EXPECT_ORDO_ERROR(nn::GELU({.approximate = GELUApproximate(2)})(ones({2})), ValueError, "number 2");
}

TEST(Layers, linear_and_conv_compute_their_formula) {
  nn::Linear linear(2, 2);
  linear.load_state_dict({{"weight", from_vector<float>({1, 2, 3, 4}, {2, 2})}, {"bias", tensor({10.0f, 20.0f})}});
  EXPECT_EQ(linear(from_vector<float>({1, 1, 2, 0}, {2, 2})).to_vector<float>(), (std::vector<float>{13, 27, 12, 26}));
  nn::Conv2d conv(1, 1, 2, {.stride = {1, 2}, .padding = {0, 1}});
  conv.load_state_dict({{"weight", from_vector<float>({1, 2, 3, 4}, {1, 1, 2, 2})}, {"bias", tensor({0.5f})}});
  // Windows begin at columns -1 and 1.
  EXPECT_EQ(conv(from_vector<float>({1, 2, 3, 4, 5, 6}, {1, 1, 2, 3})).to_vector<float>(),
            (std::vector<float>{2 * 1 + 4 * 4 + 0.5f, 2 + 2 * 3 + 3 * 5 + 4 * 6 + 0.5f}));
}

TEST(Layers, batch_norm_tracks_and_uses_statistics) {
  nn::BatchNorm2d norm(1, {.momentum = 0.5});
  const Tensor x = from_vector<float>({0, 2, 4, 6}, {1, 1, 2, 2});  // mean 3, variance 5 biased, 20/3 unbiased
  const auto y = norm(x).to_vector<double>();
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(y[size_t(i)], (2 * i - 3) / std::sqrt(5 + 1e-5), 1e-6);
  EXPECT_FLOAT_EQ(norm.running_mean.item<float>(), 1.5f);
  EXPECT_FLOAT_EQ(norm.running_var.item<float>(), float(0.5 + 0.5 * 20 / 3));
  EXPECT_EQ(norm.num_batches_tracked.item<int>(), 1);
  norm.eval();
  EXPECT_NEAR(norm(x)[0][0][0][0].item(), (0 - 1.5) / std::sqrt(0.5 + 10.0 / 3 + 1e-5), 1e-6);
  EXPECT_EQ(norm.num_batches_tracked.item<int>(), 1);

  nn::BatchNorm2d average(1, {.momentum = {}, .affine = false});
  EXPECT_TRUE(average.parameters().empty());
  average(x);
  average(x * 3);
  EXPECT_FLOAT_EQ(average.running_mean.item<float>(), 6);  // (3 + 9) / 2
  nn::BatchNorm2d untracked(1, {.track_running_stats = false});
  untracked.eval();
  EXPECT_NEAR(untracked(x)[0][0][0][0].item(), -3 / std::sqrt(5 + 1e-5), 1e-6);
}

TEST(Layers, embedding_bag_forms_agree) {
  for (Device device : test_devices()) {
    nn::EmbeddingBag bag(10, 3, {.mode = EmbeddingBagMode::sum});
    bag.to(device);
    const Tensor matrix = test_indices({4, 5}, 10).to(device);
    const Tensor offsets = from_vector<int64_t>({0, 5, 10, 15}, {4}).to(device);
    EXPECT_EQ(bytes_of(bag(matrix)), bytes_of(bag(matrix.reshape({-1}), offsets)));
    EXPECT_EQ(bytes_of(bag(matrix)), bytes_of(bag(matrix.reshape({-1}), offsets, ones({20}, {.device = device}))));
    nn::Embedding embedding(10, 3);
    embedding.load_state_dict(bag.state_dict());
    embedding.to(device);
    EXPECT_EQ(embedding(matrix).sizes(), (Dims{4, 5, 3}));
    EXPECT_EQ(bytes_of(embedding(matrix)[2][1]), bytes_of(bag.weight[matrix[2][1].item<int64_t>()]));
  }
}

TEST(Layers, embedding_max_norm) {
  for (Device device : test_devices()) {
    nn::Embedding embedding(4, 2, {.max_norm = 1, .norm_type = 1});
    EXPECT_EQ(embedding.description(), "Embedding(4, 2, max_norm=1, norm_type=1)");
    no_grad([&] { embedding.weight.copy_(tensor({{3.0f, -1.0f}, {0.25f, 0.5f}, {4.0f, 4.0f}, {-2.0f, 0.0f}})); });
    embedding.to(device);
    const Tensor y = embedding(tensor<int64_t>({0, 1, 0, 3}).to(device));
    const auto rows = embedding.weight.detach().to(cpu);
    const std::vector<float> want{0.75f, -0.25f, 0.25f, 0.5f, 4, 4, -1, 0};
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(rows.to_vector<float>()[i], want[i], 1e-6) << i;
    EXPECT_EQ(bytes_of(y), bytes_of(index_select(rows, 0, tensor<int64_t>({0, 1, 0, 3})))) << "rows of the new table";
    y.sum().backward();
    EXPECT_EQ(embedding.weight.grad().to_vector<float>(), (std::vector<float>{2, 2, 1, 1, 0, 0, 1, 1}));
  }
  EXPECT_ORDO_ERROR(nn::Embedding(4, 2, {.max_norm = -1}), ValueError, "[Embedding] max_norm = -1");
  const Tensor table = full({3, 2}, 5.0);
  EXPECT_ORDO_ERROR(embedding(tensor<int64_t>({0}), table, {}, std::nan("")), ValueError, "[embedding] max_norm = nan");
  EXPECT_ORDO_ERROR(embedding(tensor<int64_t>({0}), table, {}, 1, 0), ValueError, "norm_type = 0 must be positive");
  EXPECT_ORDO_ERROR(embedding(tensor<int64_t>({0, 3}), table, {}, 1), IndexError, "embedding");
  EXPECT_EQ(table.to_vector<float>(), std::vector<float>(6, 5.0f)) << "an error changes nothing";
}

TEST(Layers, recurrent) {
  manual_seed(5);
  nn::LSTM layers(3, 40, {.num_layers = 2, .batch_first = true, .bidirectional = true});
  EXPECT_EQ(names_of(layers.named_parameters()),
            "weight_ih_l0 weight_hh_l0 bias_ih_l0 bias_hh_l0 weight_ih_l0_reverse weight_hh_l0_reverse "
            "bias_ih_l0_reverse bias_hh_l0_reverse weight_ih_l1 weight_hh_l1 bias_ih_l1 bias_hh_l1 "
            "weight_ih_l1_reverse weight_hh_l1_reverse bias_ih_l1_reverse bias_hh_l1_reverse");
  for (const Tensor& t : layers.parameters()) expect_uniform(t, 1 / std::sqrt(40.0), "LSTM");
  EXPECT_EQ(layers.weights()[8].sizes(), (Dims{160, 80}));

  const Tensor x = test_values({2, 5, 3}).to(float32);
  const auto [output, h, c] = layers(x);
  EXPECT_EQ(output.sizes(), (Dims{2, 5, 80}));
  EXPECT_EQ(h.sizes(), (Dims{4, 2, 40}));
  const Tensor none = zeros({4, 2, 40});
  const LstmResult same =
      lstm(x, none, none, layers.parameters(), {.num_layers = 2, .bidirectional = true, .batch_first = true});
  EXPECT_EQ(bytes_of(output), bytes_of(same.output));
  EXPECT_EQ(bytes_of(c), bytes_of(same.c));

  nn::GRU gru(3, 4, {.bias = false});
  EXPECT_EQ(gru.parameters().size(), 2u);
  EXPECT_EQ(gru(x).output.sizes(), (Dims{2, 5, 4}));
  nn::RNN rnn(3, 4, {}, nn::RecurrentNonlinearity::relu);
  EXPECT_EQ(bytes_of(rnn(x).h), bytes_of(rnn_relu(x, zeros({1, 5, 4}), rnn.parameters()).h));
  EXPECT_ORDO_ERROR(nn::LSTM(3, 0), ValueError, "LSTM");
  nn::LSTM projected(3, 4, {.num_layers = 2, .bidirectional = true, .proj_size = 2});
  EXPECT_TRUE(names_of(projected.named_parameters())
                  .starts_with("weight_ih_l0 weight_hh_l0 bias_ih_l0 bias_hh_l0 weight_hr_l0 weight_ih_l0_reverse "));
  const LstmResult of_projected = projected(x);
  EXPECT_EQ(of_projected.output.sizes(), (Dims{2, 5, 4}));
  EXPECT_EQ(of_projected.h.sizes(), (Dims{4, 5, 2}));
  EXPECT_EQ(of_projected.c.sizes(), (Dims{4, 5, 4}));
  EXPECT_EQ(projected.description(), "LSTM(3, 4, num_layers=2, bidirectional=true, proj_size=2)");
  EXPECT_ORDO_ERROR(nn::LSTM(3, 4, {.proj_size = 4}), ValueError, "proj_size = 4 must lie in [0, 4)");
  EXPECT_ORDO_ERROR(nn::GRU(3, 4, {.proj_size = 2}), ValueError, "[GRU] has no proj_size");
  EXPECT_ORDO_ERROR(rnn(x[0]), ShapeError, "RNN");
}

}  // namespace
}  // namespace ordo::test::layers_test

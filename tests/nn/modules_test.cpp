// Modules without parameters of their own rules: each computes what its function does, with its options.
#include <cmath>
#include <set>

#include "tests/support/op_samples.h"

namespace ordo::test::modules_test {
namespace {

void expect_same(const Tensor& got, const Tensor& expected, const char* what) {
  EXPECT_EQ(got.sizes(), expected.sizes()) << what;
  EXPECT_EQ(bytes_of(got), bytes_of(expected)) << what;
}
#define EXPECT_COMPUTES(module, ...) expect_same(module, __VA_ARGS__, #module)
// nn::Module(arguments...) computes function(input..., arguments...), of one input or of two.
#define EXPECT_IS(Module, function, x, ...) EXPECT_COMPUTES(nn::Module(__VA_ARGS__)(x), function(x, __VA_ARGS__))
#define EXPECT_IS2(Module, function, x, y, ...) \
  EXPECT_COMPUTES(nn::Module(__VA_ARGS__)(x, y), function(x, y, __VA_ARGS__))

TEST(Modules, activations) {
  const Tensor x = test_values({2, 4, 3}, 0, -4, 4).to(float32);
  EXPECT_COMPUTES(nn::ReLU()(x), relu(x));
  EXPECT_COMPUTES(nn::ReLU6()(x), relu6(x));
  EXPECT_COMPUTES(nn::Sigmoid()(x), sigmoid(x));
  EXPECT_COMPUTES(nn::Tanh()(x), tanh(x));
  EXPECT_COMPUTES(nn::GELU()(x), gelu(x));
  EXPECT_COMPUTES(nn::SiLU()(x), silu(x));
  EXPECT_COMPUTES(nn::Mish()(x), mish(x));
  EXPECT_COMPUTES(nn::SELU()(x), selu(x));
  EXPECT_COMPUTES(nn::LogSigmoid()(x), logsigmoid(x));
  EXPECT_COMPUTES(nn::Hardsigmoid()(x), hardsigmoid(x));
  EXPECT_COMPUTES(nn::Hardswish()(x), hardswish(x));
  EXPECT_COMPUTES(nn::GELU({.approximate = GELUApproximate::tanh})(x), gelu(x, GELUApproximate::tanh));
  EXPECT_COMPUTES(nn::LeakyReLU(0.2)(x), leaky_relu(x, 0.2));
  EXPECT_COMPUTES(nn::ELU(0.5)(x), elu(x, 0.5));
  EXPECT_COMPUTES(nn::CELU(0.5)(x), celu(x, 0.5));
  EXPECT_COMPUTES(nn::Softplus(2, 3)(x), softplus(x, 2, 3));
  EXPECT_COMPUTES(nn::Hardtanh(-2, 0.5)(x), hardtanh(x, -2, 0.5));
  EXPECT_COMPUTES(nn::Hardshrink(1)(x), hardshrink(x, 1));
  EXPECT_COMPUTES(nn::Softshrink(1)(x), softshrink(x, 1));
  EXPECT_COMPUTES(nn::Softmax(1)(x), softmax(x, 1));
  EXPECT_COMPUTES(nn::LogSoftmax(2)(x), log_softmax(x, 2));
  EXPECT_COMPUTES(nn::GLU(1)(x), glu(x, 1));
  nn::PReLU slopes(4, 0.5);
  EXPECT_COMPUTES(slopes(x), prelu(x, full({4}, 0.5)));
  EXPECT_EQ(slopes.named_parameters()[0].name, "weight");
  EXPECT_ORDO_ERROR(nn::PReLU(0), ValueError, "PReLU");
}

TEST(Modules, padding) {
  const Tensor line = test_values({2, 3, 4}, 0).to(float32), image = test_values({2, 3, 4, 5}).to(float32),
               volume = test_values({1, 2, 3, 4, 5}).to(float32);
  EXPECT_COMPUTES(nn::ConstantPad1d(2, 7)(line), pad(line, {2, 2}, PadMode::constant, 7));
  EXPECT_COMPUTES(nn::ConstantPad2d({1, 2, 0, 3}, 0.5)(image), pad(image, {1, 2, 0, 3}, PadMode::constant, 0.5));
  EXPECT_COMPUTES(nn::ConstantPad3d(1, -1)(volume), pad(volume, {1, 1, 1, 1, 1, 1}, PadMode::constant, -1));
  EXPECT_COMPUTES(nn::ZeroPad1d({0, 1})(line), pad(line, {0, 1}));
  EXPECT_COMPUTES(nn::ZeroPad2d(1)(image), pad(image, {1, 1, 1, 1}));
  EXPECT_COMPUTES(nn::ReflectionPad1d({1, 2})(line), pad(line, {1, 2}, PadMode::reflect));
  EXPECT_COMPUTES(nn::ReflectionPad2d({1, 2, 3, 0})(image), pad(image, {1, 2, 3, 0}, PadMode::reflect));
  EXPECT_COMPUTES(nn::ReflectionPad3d(1)(volume), pad(volume, {1, 1, 1, 1, 1, 1}, PadMode::reflect));
  EXPECT_COMPUTES(nn::ReplicationPad1d(3)(line), pad(line, {3, 3}, PadMode::replicate));
  EXPECT_COMPUTES(nn::ReplicationPad2d(2)(image), pad(image, {2, 2, 2, 2}, PadMode::replicate));
  EXPECT_COMPUTES(nn::ReplicationPad3d({1, 0, 0, 2, 3, 0})(volume),
                  pad(volume, {1, 0, 0, 2, 3, 0}, PadMode::replicate));
  EXPECT_COMPUTES(nn::CircularPad1d(2)(line), pad(line, {2, 2}, PadMode::circular));
  EXPECT_COMPUTES(nn::CircularPad2d({0, 1, 2, 3})(image), pad(image, {0, 1, 2, 3}, PadMode::circular));
  EXPECT_COMPUTES(nn::CircularPad3d(1)(volume), pad(volume, {1, 1, 1, 1, 1, 1}, PadMode::circular));
}

TEST(Modules, pooling) {
  const Tensor line = test_values({2, 3, 9}, 0, 0.5, 2).to(float32), image = test_values({2, 3, 7, 8}).to(float32),
               volume = test_values({1, 2, 6, 4, 5}, 0, 0.5, 2).to(float32);
  EXPECT_IS(MaxPool1d, max_pool1d, line, 3, {.stride = 2, .padding = 1});
  EXPECT_COMPUTES(nn::MaxPool2d(3, {.stride = 2})(image), max_pool2d(image, 3, {.stride = 2}));
  EXPECT_IS(MaxPool3d, max_pool3d, volume, {2, 1, 2}, {.ceil_mode = true});
  EXPECT_IS(AvgPool1d, avg_pool1d, line, 4, {.padding = 2, .count_include_pad = false});
  EXPECT_COMPUTES(nn::AvgPool2d(2, {.divisor_override = 3})(image), avg_pool2d(image, 2, {.divisor_override = 3}));
  EXPECT_COMPUTES(nn::AvgPool3d(2, {.stride = {1, 2, 1}})(volume), avg_pool3d(volume, 2, {.stride = {1, 2, 1}}));
  EXPECT_COMPUTES(nn::AdaptiveAvgPool1d(4)(line), adaptive_avg_pool1d(line, 4));
  EXPECT_COMPUTES(nn::AdaptiveAvgPool2d({2, 3})(image), adaptive_avg_pool2d(image, {2, 3}));
  EXPECT_COMPUTES(nn::AdaptiveAvgPool3d({1, 2, 3})(volume), adaptive_avg_pool3d(volume, {1, 2, 3}));
  EXPECT_COMPUTES(nn::AdaptiveMaxPool1d(4)(line), adaptive_max_pool1d(line, 4));
  EXPECT_COMPUTES(nn::AdaptiveMaxPool2d({4, 3})(image), adaptive_max_pool2d(image, {4, 3}));
  EXPECT_COMPUTES(nn::AdaptiveMaxPool3d(2)(volume), adaptive_max_pool3d(volume, 2));
  EXPECT_COMPUTES(nn::LPPool1d(3, 2, {.stride = 1})(line), lp_pool1d(line, 3, 2, {.stride = 1}));
  EXPECT_IS(LPPool2d, lp_pool2d, image, 2, {2, 3}, {.ceil_mode = true});
  EXPECT_COMPUTES(nn::LPPool3d(1, 2)(volume), lp_pool3d(volume, 1, 2));

  const MaxPoolResult a = max_pool1d_with_indices(line, 2), b = max_pool2d_with_indices(image, 2),
                      c = max_pool3d_with_indices(volume, 2);
  EXPECT_COMPUTES(nn::MaxUnpool1d(2)(a.values, a.indices, Dims{9}),
                  max_unpool1d(a.values, a.indices, 2, {.output_size = {9}}));
  EXPECT_IS2(MaxUnpool2d, max_unpool2d, b.values, b.indices, 2, {.stride = 3});
  const Dims whole{6, 4, 5};
  EXPECT_COMPUTES(nn::MaxUnpool3d(2)(c.values, c.indices, whole),
                  max_unpool3d(c.values, c.indices, 2, {.output_size = whole}));
}

TEST(Modules, resampling) {
  const Tensor x = test_values({2, 4, 6, 8}).to(float32);
  EXPECT_COMPUTES(nn::Upsample({.size = {9, 5}})(x), interpolate(x, {.size = {9, 5}}));
  EXPECT_IS(Upsample, interpolate, x, {.scale_factor = {2}, .mode = InterpolateMode::bilinear, .align_corners = true});
  EXPECT_COMPUTES(nn::PixelShuffle(2)(x), pixel_shuffle(x, 2));
  EXPECT_COMPUTES(nn::PixelUnshuffle(2)(x), pixel_unshuffle(x, 2));
  const Tensor columns = unfold(x, {2, 3}, {.padding = {0, 1}, .stride = 2});
  EXPECT_COMPUTES(nn::Unfold({2, 3}, {.padding = {0, 1}, .stride = 2})(x), columns);
  EXPECT_IS(Fold, fold, columns, {6, 8}, {2, 3}, {.padding = {0, 1}, .stride = 2});
  EXPECT_COMPUTES(nn::Flatten()(x), x.view({2, 4 * 6 * 8}));
  EXPECT_COMPUTES(nn::Unflatten(1, {2, 2})(x), x.view({2, 2, 2, 6, 8}));
}

TEST(Modules, distances) {
  const Tensor a = test_values({3, 4}).to(float32), b = test_values({3, 4}, 1).to(float32);
  EXPECT_COMPUTES(nn::CosineSimilarity({.dim = 0})(a, b), cosine_similarity(a, b, 0));
  EXPECT_COMPUTES(nn::PairwiseDistance({.p = 1, .keepdim = true})(a, b), pairwise_distance(a, b, 1, 1e-6, true));
}

TEST(Modules, normalization) {
  const Tensor x = test_values({3, 4, 5}).to(float32), none;
  EXPECT_COMPUTES(nn::LayerNorm({4, 5}, {.eps = 0.1})(x), layer_norm(x, {4, 5}, ones({4, 5}), zeros({4, 5}), 0.1));
  EXPECT_COMPUTES(nn::LayerNorm({5}, {.elementwise_affine = false})(x), layer_norm(x, {5}));
  EXPECT_EQ(nn::LayerNorm({5}, {.bias = false}).parameters().size(), 1u);
  EXPECT_COMPUTES(nn::RMSNorm(5)(x), rms_norm(x, {5}, ones({5})));
  EXPECT_COMPUTES(nn::GroupNorm(2, 4)(x), group_norm(x, 2, ones({4}), zeros({4})));
  EXPECT_COMPUTES(nn::LocalResponseNorm(3, {.alpha = 2, .k = 0.5})(x), local_response_norm(x, 3, 2, 0.75, 0.5));
  EXPECT_COMPUTES(nn::BatchNorm1d(4)(x), batch_norm(x, none, none, ones({4}), zeros({4}), true));
  EXPECT_EQ(nn::BatchNorm1d(5)(x[0]).sizes(), (Dims{4, 5}));
  EXPECT_EQ(nn::BatchNorm3d(2)(ones({3, 2, 1, 2, 2})).sizes(), (Dims{3, 2, 1, 2, 2}));
  EXPECT_ORDO_ERROR(nn::BatchNorm3d(2)(x), ShapeError, "[BatchNorm3d] takes inputs [N, C, D, H, W]");
  EXPECT_ORDO_ERROR(nn::GroupNorm(3, 4), ValueError, "GroupNorm");
}

TEST(Modules, convolutions) {
  manual_seed(3);
  const Tensor line = test_values({2, 4, 9}).to(float32), volume = test_values({1, 2, 4, 5, 3}).to(float32);
  nn::Conv1d conv1(4, 6, 3, {.stride = 2, .padding = 1, .groups = 2});
  EXPECT_EQ(conv1.weight.sizes(), (Dims{6, 2, 3}));
  nn::Conv2d as_large(2, 3, 3, {.padding = same});
  EXPECT_EQ(as_large.description(), "Conv2d(2, 3, kernel_size=3, padding=same)");
  EXPECT_COMPUTES(conv1(line), conv1d(line, conv1.weight, conv1.bias, {.stride = 2, .padding = 1, .groups = 2}));
  nn::Conv3d conv3(2, 3, {2, 3, 1}, {.bias = false});
  EXPECT_COMPUTES(conv3(volume), conv3d(volume, conv3.weight));
  nn::ConvTranspose1d up1(4, 6, 3, {.stride = 2, .output_padding = 1, .groups = 2});
  EXPECT_EQ(up1.weight.sizes(), (Dims{4, 3, 3}));
  EXPECT_COMPUTES(up1(line),
                  conv_transpose1d(line, up1.weight, up1.bias, {.stride = 2, .output_padding = 1, .groups = 2}));
  nn::ConvTranspose2d up2(4, 2, {3, 2}, {.padding = 1, .dilation = {1, 2}});
  const Tensor image = test_values({1, 4, 5, 6}).to(float32);
  EXPECT_COMPUTES(up2(image), conv_transpose2d(image, up2.weight, up2.bias, {.padding = 1, .dilation = {1, 2}}));
  nn::ConvTranspose3d up3(2, 1, 2);
  EXPECT_COMPUTES(up3(volume), conv_transpose3d(volume, up3.weight, up3.bias));
  EXPECT_ORDO_ERROR(nn::ConvTranspose2d(3, 4, 2, {.groups = 2}), ValueError, "[ConvTranspose2d] groups = 2");
}

TEST(Modules, made_of_other_operations) {
  const Tensor x = test_values({2, 4, 3}, 0, -4, 4).to(float32);
  EXPECT_COMPUTES(nn::Identity()(x), x);
  EXPECT_COMPUTES(nn::Softsign()(x), x / (abs(x) + 1));
  EXPECT_COMPUTES(nn::Tanhshrink()(x), x - tanh(x));
  EXPECT_COMPUTES(nn::Threshold(0.5, -7)(x), where(x > 0.5, x, -7));
  EXPECT_COMPUTES(nn::Softmin(1)(x), softmax(neg(x), 1));
  EXPECT_COMPUTES(nn::Softmax2d()(x), softmax(x, 0));
  EXPECT_COMPUTES(nn::Softmax2d()(x.unsqueeze(0)), softmax(x, 0).unsqueeze(0));
  EXPECT_ORDO_ERROR(nn::Softmax2d()(x[0]), ShapeError, "Softmax2d");
  EXPECT_COMPUTES(nn::ChannelShuffle(2)(from_vector<float>({0, 1, 2, 3, 4, 5}, {6, 1, 1})),
                  from_vector<float>({0, 3, 1, 4, 2, 5}, {6, 1, 1}));
  EXPECT_ORDO_ERROR(nn::ChannelShuffle(4)(x), ShapeError, "4 groups");

  nn::RReLU random(0.25, 0.5);
  manual_seed(2);
  const auto y = random(x).to_vector<double>(), given = x.to_vector<double>();
  std::set<double> slopes;
  for (size_t i = 0; i < y.size(); ++i) {
    const double slope = y[i] / given[i];
    if (given[i] > 0) {
      EXPECT_EQ(y[i], given[i]);
      continue;
    }
    EXPECT_GE(slope, 0.25 - 1e-6);
    EXPECT_LE(slope, 0.5 + 1e-6);
    slopes.insert(slope);
  }
  EXPECT_GT(slopes.size(), 5u);
  random.eval();
  EXPECT_COMPUTES(random(x), leaky_relu(x, 0.375));
}

TEST(Modules, losses_keep_their_options) {
  const Tensor logits = test_values({4, 3}).to(float32), other = test_values({4, 3}, 1).to(float32);
  const Tensor classes = from_vector<int64_t>({0, 2, 1, 1}, {4});
  EXPECT_IS2(CrossEntropyLoss, cross_entropy, logits, classes, {.ignore_index = 1, .label_smoothing = 0.1});
  EXPECT_IS2(NLLLoss, nll_loss, logits, classes, {.reduction = Reduction::sum});
  EXPECT_COMPUTES(nn::MSELoss()(logits, other), mse_loss(logits, other));
  EXPECT_COMPUTES(nn::L1Loss({.reduction = Reduction::none})(logits, other), l1_loss(logits, other, Reduction::none));
  EXPECT_COMPUTES(nn::BCEWithLogitsLoss()(logits, other), binary_cross_entropy_with_logits(logits, other));
  EXPECT_COMPUTES(nn::SmoothL1Loss({.beta = 0.5})(logits, other), smooth_l1_loss(logits, other, {.beta = 0.5}));
  EXPECT_COMPUTES(nn::HuberLoss({.delta = 0.5})(logits, other), huber_loss(logits, other, {.delta = 0.5}));
  const Tensor weight = test_values({3}, 2, 0.5, 2).to(float32), p = sigmoid(logits), q = sigmoid(other);
  EXPECT_COMPUTES(nn::BCELoss({.weight = weight})(p, q), binary_cross_entropy(p, q, {.weight = weight}));
  EXPECT_IS2(BCEWithLogitsLoss, binary_cross_entropy_with_logits, logits, q, {.weight = weight, .pos_weight = weight});
  EXPECT_IS2(KLDivLoss, kl_div, logits, other, {.reduction = Reduction::batchmean, .log_target = true});
  EXPECT_COMPUTES(nn::GaussianNLLLoss({.full = true, .eps = 0.5})(logits, other, q),
                  gaussian_nll_loss(logits, other, q, {.full = true, .eps = 0.5}));
  EXPECT_IS2(PoissonNLLLoss, poisson_nll_loss, p, q, {.log_input = false, .full = true, .eps = 0.5});
}

TEST(Modules, losses_of_margins_keep_their_options) {
  const Tensor x = test_values({4, 3}).to(float32), y = test_values({4, 3}, 1).to(float32);
  const Tensor z = test_values({4, 3}, 2).to(float32), weight = test_values({3}, 3, 0.5, 2).to(float32);
  const Tensor signs = test_indices({4, 3}, 2) * 2 - 1, classes = from_vector<int64_t>({0, 2, 1, 1}, {4});
  constexpr Reduction sum = Reduction::sum;
  EXPECT_IS2(HingeEmbeddingLoss, hinge_embedding_loss, x, signs, {.margin = 2, .reduction = sum});
  EXPECT_COMPUTES(nn::CosineEmbeddingLoss({.margin = -1})(x, y, signs.select(1, 0)),
                  cosine_embedding_loss(x, y, signs.select(1, 0), {.margin = -1}));
  EXPECT_COMPUTES(nn::MarginRankingLoss({.margin = 2})(x, y, signs), margin_ranking_loss(x, y, signs, {.margin = 2}));
  EXPECT_COMPUTES(nn::SoftMarginLoss({.reduction = sum})(x, signs), soft_margin_loss(x, signs, sum));
  EXPECT_IS2(MultiMarginLoss, multi_margin_loss, x, classes, {.p = 2, .margin = 2, .weight = weight, .reduction = sum});
  EXPECT_COMPUTES(nn::MultiLabelMarginLoss({.reduction = sum})(x, signs), multilabel_margin_loss(x, signs, sum));
  EXPECT_IS2(MultiLabelSoftMarginLoss, multilabel_soft_margin_loss, x, signs, {.weight = weight, .reduction = sum});
  EXPECT_COMPUTES(nn::TripletMarginLoss({.margin = 3, .p = 1, .eps = 0.5, .swap = true, .reduction = sum})(x, y, z),
                  triplet_margin_loss(x, y, z, {.margin = 3, .p = 1, .eps = 0.5, .swap = true, .reduction = sum}));
}

TEST(Modules, bilinear) {
  manual_seed(1);
  nn::Bilinear layer(2, 3, 4);
  const Tensor a = test_values({5, 2}).to(float32), b = test_values({5, 3}, 1).to(float32);
  const auto got = layer(a, b).to_vector<double>();
  const auto w = layer.weight.to_vector<double>(), bias = layer.bias.to_vector<double>();
  const auto x1 = a.to_vector<double>(), x2 = b.to_vector<double>();
  for (size_t n = 0; n < 5; ++n)
    for (size_t o = 0; o < 4; ++o) {
      double sum = bias[o];
      for (size_t i = 0; i < 2; ++i)
        for (size_t j = 0; j < 3; ++j) sum += x1[n * 2 + i] * w[(o * 2 + i) * 3 + j] * x2[n * 3 + j];
      EXPECT_NEAR(got[n * 4 + o], sum, 1e-5);  // six products of numbers up to 4, in float32
    }
  EXPECT_EQ(layer(a[0], b[0]).sizes(), (Dims{4}));
  EXPECT_EQ(nn::Bilinear(2, 3, 4, {.bias = false}).parameters().size(), 1u);
  EXPECT_ORDO_ERROR(layer(a, b[0]), ShapeError, "bilinear");
  EXPECT_ORDO_ERROR(nn::Bilinear(2, 0, 4), ValueError, "Bilinear");
}

TEST(Modules, dropout_of_channels) {
  const Tensor image = ones({4, 16, 3, 5});
  manual_seed(1);
  nn::Dropout2d dropout(0.25);
  const Tensor y = dropout(image);
  const auto lowest = y.amin({2, 3}).to_vector<double>(), highest = y.amax({2, 3}).to_vector<double>();
  int dropped = 0;
  for (size_t i = 0; i < lowest.size(); ++i) {
    EXPECT_EQ(lowest[i], highest[i]);  // whole channels
    EXPECT_TRUE(lowest[i] == 0 || lowest[i] == float(1 / 0.75)) << lowest[i];
    dropped += lowest[i] == 0;
  }
  EXPECT_GT(dropped, 4);
  EXPECT_LT(dropped, 32);
  dropout.eval();
  EXPECT_COMPUTES(dropout(image), image);
  EXPECT_EQ(nn::Dropout1d()(image[0][0]).sizes(), (Dims{3, 5}));
  EXPECT_ORDO_ERROR(nn::Dropout3d()(image[0][0]), ShapeError, "[Dropout3d] takes inputs [N, C, D, H, W]");

  nn::AlphaDropout alpha(0.3);
  const Tensor normal = randn({200, 100});
  const Tensor z = alpha(normal);
  // Five standard errors of mean and variance of 20000 numbers.
  EXPECT_NEAR(z.mean().item(), 0, 5 / std::sqrt(20000.0));
  EXPECT_NEAR(z.var().item(), 1, 5 * std::sqrt(4.0 / 20000));
  EXPECT_COMPUTES(nn::AlphaDropout(1)(normal), normal * 0);
  EXPECT_ORDO_ERROR(nn::AlphaDropout(-1), ValueError, "AlphaDropout");
}

TEST(Modules, recurrent_cells_are_steps_of_the_layers) {
  manual_seed(1);
  const Tensor x = test_values({3, 2, 4}).to(float32);
  const auto copy = [](nn::RecurrentCell& to, const nn::RecurrentModule& from) {
    nn::NamedTensorList state;
    for (const auto& [name, tensor] : from.state_dict()) state.push_back({name.substr(0, name.size() - 3), tensor});
    to.load_state_dict(state);
  };
  const auto expect_near = [](const Tensor& a, const Tensor& b, const char* what) {
    ASSERT_EQ(a.sizes(), b.sizes()) << what;
    EXPECT_LT((a - b).abs().max().item(), 1e-6) << what;  // another order of a few sums of float32
  };
  const auto expect_steps = [&](auto cell, auto layer, const char* what) {
    copy(cell, layer);
    const Tensor all = layer(x).output;
    Tensor h;
    for (int64_t t = 0; t < 3; ++t) expect_near(h = cell(x[t], h), all[t], what);
  };
  for (const auto kind : {nn::RecurrentNonlinearity::tanh, nn::RecurrentNonlinearity::relu})
    expect_steps(nn::RNNCell(4, 5, {}, kind), nn::RNN(4, 5, {}, kind), "RNNCell");
  expect_steps(nn::GRUCell(4, 5), nn::GRU(4, 5), "GRUCell");
  nn::GRUCell gru_cell(4, 5);
  Tensor h, c;
  nn::LSTM lstm(4, 5);
  nn::LSTMCell lstm_cell(4, 5);
  copy(lstm_cell, lstm);
  const LstmResult of_lstm = lstm(x);
  for (int64_t t = 0; t < 3; ++t) {
    std::tie(h, c) = lstm_cell(x[t], h, c);
    expect_near(h, of_lstm.output[t], "LSTMCell");
  }
  expect_near(c, of_lstm.c[0], "LSTMCell c");
  expect_near(lstm_cell(x[0][1]).first, lstm_cell(x[0]).first[1], "without a batch");
  EXPECT_EQ(nn::GRUCell(4, 5, {.bias = false}).parameters().size(), 2u);
  EXPECT_ORDO_ERROR(gru_cell(x), ShapeError, "GRUCell");
  EXPECT_ORDO_ERROR(gru_cell(x[0], zeros({2, 4})), ShapeError, "a state must have sizes");
}

}  // namespace
}  // namespace ordo::test::modules_test

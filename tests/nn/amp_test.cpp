// Autocast: dtypes of results and gradients, bits that repeat, a training. GradScaler: scales, skipped steps, state.
#include <cmath>
#include <optional>
#include <thread>

#include <ordo/nn/state/entries.h>
#include "tests/support/op_samples.h"

namespace ordo::test::amp_test {
namespace {

using amp::Autocast;

template <class... Tensors>
void expect_dtype(DType dtype, const Tensors&... results) {
  for (const Tensor& result : {results...}) EXPECT_EQ(result.dtype(), dtype);
}

TEST(Autocast, dtypes_of_results) {
  const Tensor m = test_values({2, 4, 4}).to(float32), x = test_values({2, 4, 6}, 1).to(float32);
  const Tensor h = zeros({1, 2, 5});
  nn::LSTM lstm(4, 5);
  nn::GRU gru(4, 5);
  nn::RNN rnn(4, 5);
  for (const DType dtype : {bfloat16, float16}) {
    const Autocast guard(dtype);
    EXPECT_TRUE(amp::autocast_enabled());
    EXPECT_EQ(amp::autocast_dtype(), dtype);
    const Tensor low = m.to(dtype);
    expect_dtype(dtype, matmul(m, m), mm(m[0], m[1]), bmm(m, low), matmul(m, x), linear(m, m[0], m[0][0]),
                 addmm(m[0], m[0], m[1]), baddbmm(m, m, m), addbmm(m[0], m, m), einsum("bij,bjk->bik", {m, low}),
                 tensordot(m, m[0], 1), mv(m[0], m[0][0]), conv1d(m, m.narrow(0, 0, 1)),
                 conv_transpose1d(m, test_values({4, 3, 2}).to(float32)),
                 conv2d(m.unsqueeze(0), test_values({1, 2, 3, 3}).to(float32)), scaled_dot_product_attention(m, low, m),
                 scaled_dot_product_attention(m, m, m, test_values({4, 4}).to(float32)), lstm(m).output, gru(m).output,
                 rnn(m).h, nn::Linear(4, 2)(m));
    const Tensor weight = ones({4});
    expect_dtype(float32, low.sum(), low.mean(1), low.var(), std(low, 1), norm(low), prod(low, 1), cumsum(low, 1),
                 softmax(low, 1), log_softmax(low, 1), logsumexp(low, 1), layer_norm(low, {4}, weight, weight),
                 rms_norm(low, {4}, weight), group_norm(low, 2, weight, weight),
                 batch_norm(low, zeros({4}), ones({4}), weight, weight, true),
                 instance_norm(low, {}, {}, weight, weight), mse_loss(low, m), l1_loss(m, low),
                 cross_entropy(low[0], from_vector<int64_t>({0, 1, 2, 3}, {4}), {.weight = weight}), kl_div(low, m),
                 binary_cross_entropy_with_logits(low, m), cosine_similarity(low, m), prelu(low, full({1}, 0.5)),
                 dot(low[0][0], m[0][0]), index_add(zeros({4}), 0, test_indices({4}, 4), low[0][0]),
                 scatter_add(low[0][0], 0, test_indices({4}, 4), m[0][0]),
                 embedding_bag(test_indices({2, 3}, 4), low[0]),
                 grid_sample(low.unsqueeze(0), test_values({1, 3, 3, 2}, 0, -1, 1).to(float32)));
    // Others take what they get, and float64 and integers stay.
    EXPECT_EQ(relu(low).dtype(), dtype);
    EXPECT_EQ((low + m).dtype(), float32);
    EXPECT_EQ(matmul(m.to(float64), m.to(float64)).dtype(), float64);
    EXPECT_EQ(low.to(int64).sum().dtype(), int64);
    EXPECT_EQ(mm(ones({2, 2}, int64), ones({2, 2}, int64)).dtype(), int64);
    {
      const Autocast off(bfloat16, false);
      EXPECT_FALSE(amp::autocast_enabled());
      EXPECT_EQ(matmul(m, m).dtype(), float32);
      EXPECT_EQ(low.sum().dtype(), dtype);
    }
    EXPECT_EQ(amp::autocast_dtype(), dtype);
  }
  EXPECT_FALSE(amp::autocast_enabled());
  EXPECT_EQ(matmul(m, m).dtype(), float32);
  EXPECT_ORDO_ERROR(Autocast(float32), DTypeError, "bfloat16 or float16, not float32");
}

TEST(Autocast, computes_what_conversions_by_hand_do) {
  manual_seed(1);
  nn::Linear layer(8, 5);
  const Tensor x = test_values({3, 8}).to(float32);
  const Tensor by_hand =
      softmax(linear(x.to(bfloat16), layer.weight.to(bfloat16), layer.bias.to(bfloat16)).to(float32), -1);
  const Tensor weight = test_values({3, 5}, 1).to(float32);
  const TensorList expected = grad({(by_hand * weight).sum()}, layer.parameters());
  for (const bool inside : {false, true}) {  // a backward pass in the scope is the same
    std::optional<Autocast> guard(bfloat16);
    const Tensor y = softmax(layer(x), -1);
    EXPECT_EQ(bytes_of(y), bytes_of(by_hand));
    const Tensor loss = (y * weight).sum();
    if (!inside) guard.reset();
    const TensorList got = grad({loss}, layer.parameters());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].dtype(), float32);
      EXPECT_EQ(bytes_of(got[i]), bytes_of(expected[i]));
    }
  }
}

TEST(Autocast, is_of_this_thread) {
  const Autocast guard(bfloat16);
  bool other = true;
  std::thread([&] { other = amp::autocast_enabled(); }).join();
  EXPECT_FALSE(other);
}

TEST(Autocast, every_gradient_is_float32) {
  manual_seed(2);
  for (Device device : test_devices()) {
    const nn::Unflatten unflatten(1, {3, 12});
    const nn::TransformerEncoderLayer encoder(12, 2, {.dim_feedforward = 8});
    nn::Sequential model{nn::Conv2d(1, 4, 3), nn::BatchNorm2d(4), nn::ReLU(), nn::MaxPool2d(2),
                         nn::Flatten(),       unflatten,          encoder,    nn::PReLU(3),
                         nn::Flatten(),       nn::Linear(36, 5)};
    model.to(device);
    const Tensor images = test_values({2, 1, 8, 8}).to(device, float32);
    const Autocast guard;
    const Tensor logits = model(images);
    EXPECT_EQ(logits.dtype(), bfloat16);
    cross_entropy(logits, from_vector<int64_t>({1, 4}, {2}).to(device)).backward();
    for (const auto& [name, p] : model.named_parameters()) {
      ASSERT_TRUE(p.grad().defined()) << name;
      EXPECT_EQ(p.grad().dtype(), float32) << name;
      EXPECT_EQ(p.dtype(), float32) << name;
    }
  }
}

struct Outcome {
  std::string weights;
  std::vector<double> losses;
  double final_scale = 0;
};

/// Learns which of three parts of a circle a point lies in.
Outcome train(DType dtype, int steps, int first_step = 0, nn::NamedTensorList* state = nullptr) {
  const DeterminismGuard level(Determinism::run_to_run);
  manual_seed(3);
  nn::Sequential model{nn::Linear(2, 32), nn::GELU(), nn::LayerNorm(32), nn::Linear(32, 3)};
  optim::SGD optimizer(model.parameters(), {.lr = 0.05, .momentum = 0.9});
  amp::GradScaler scaler({.init_scale = 0x1p100, .growth_interval = 5, .enabled = dtype == float16});
  if (first_step > 0) {
    model.load_state_dict(nn::within_prefix("model.", *state));
    optimizer.load_state_dict(nn::within_prefix("optimizer.", *state));
    scaler.load_state_dict(nn::within_prefix("scaler.", *state));
  }
  Outcome run;
  for (int step = first_step; step < first_step + steps; ++step) {
    const Tensor x = test_values({64, 2}, uint64_t(step)).to(float32);
    const Tensor y = ((x.select(1, 0) > 0).to(int64) + (x.select(1, 1) > x.select(1, 0)).to(int64));
    optimizer.zero_grad();
    const Tensor loss = [&] {
      const Autocast guard(dtype);
      return cross_entropy(model(x), y);
    }();
    scaler.scale(loss).backward();
    scaler.step(optimizer);
    scaler.update();
    run.losses.push_back(loss.item());
  }
  run.weights = sha256_hex(model.parameters());
  run.final_scale = scaler.get_scale();
  if (state && first_step == 0) {
    *state = nn::with_prefix("model.", model.state_dict());
    for (const auto& e : nn::with_prefix("optimizer.", optimizer.state_dict())) state->push_back(e);
    for (const auto& e : nn::with_prefix("scaler.", scaler.state_dict())) state->push_back(e);
    for (auto& e : *state) e.tensor = e.tensor.detach().clone();
  }
  return run;
}

TEST(Autocast, trains_and_repeats) {
  for (const DType dtype : {bfloat16, float16}) {
    const Outcome a = train(dtype, 150), b = train(dtype, 150);
    EXPECT_EQ(a.weights, b.weights) << name(dtype);
    EXPECT_EQ(a.losses, b.losses) << name(dtype);
    EXPECT_GT(a.losses.front(), 0.8);
    EXPECT_LT(a.losses.back(), 0.4) << name(dtype);
  }
  // 2^100 overflows float16 at first; the scale falls until it does not, and grows again.
  EXPECT_LT(train(float16, 150).final_scale, 0x1p40);
}

TEST(GradScaler, state_continues_with_the_same_bits) {
  nn::NamedTensorList state;
  const Outcome whole = train(float16, 100);
  train(float16, 60, 0, &state);
  const Outcome rest = train(float16, 40, 60, &state);
  EXPECT_EQ(rest.weights, whole.weights);
  EXPECT_EQ(rest.final_scale, whole.final_scale);
}

TEST(GradScaler, scales_and_unscales) {
  const Tensor p = tensor({1.0f, 2.0f}).set_requires_grad();
  optim::SGD optimizer({p}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 1024});
  const Tensor loss = (p * tensor({3.0f, 5.0f})).sum();
  const Tensor scaled = scaler.scale(loss);
  EXPECT_EQ(scaled.item(), 13 * 1024);
  scaled.backward();
  EXPECT_EQ(p.grad().to_vector<float>(), (std::vector<float>{3 * 1024, 5 * 1024}));
  scaler.unscale_(optimizer);
  EXPECT_EQ(p.grad().to_vector<float>(), (std::vector<float>{3, 5}));
  EXPECT_ORDO_ERROR(scaler.unscale_(optimizer), ValueError, "unscaled before");
  EXPECT_TRUE(scaler.step(optimizer));
  EXPECT_EQ(p.to_vector<float>(), (std::vector<float>{-2, -3}));
  EXPECT_ORDO_ERROR(scaler.step(optimizer), ValueError, "update()");
  scaler.update();
  EXPECT_EQ(scaler.get_scale(), 1024);
  EXPECT_ORDO_ERROR(scaler.update(), ValueError, "no step");
  EXPECT_EQ(scaler.scale(tensor({60000.0f}).to(float16).sum()).dtype(), float32);
}

TEST(GradScaler, leaves_out_steps_and_changes_the_scale) {
  for (Device device : test_devices()) {
    const Tensor a = tensor({1.0f, 2.0f}).to(device).set_requires_grad(),
                 b = tensor({3.0f}).to(device).set_requires_grad();
    optim::Adam one({a, b}, {.lr = 0.1});
    optim::SGD other({b}, {.lr = 1});
    amp::GradScaler scaler({.init_scale = 64, .growth_interval = 3});
    const auto give = [&](float x) {
      Tensor(a).set_grad(tensor({1.0f, 1.0f}).to(device));
      Tensor(b).set_grad(tensor({x}).to(device));
    };
    for (const float bad : {INFINITY, -INFINITY, NAN}) {
      const double before = scaler.get_scale();
      const auto state = one.state_dict().size();
      give(bad);
      EXPECT_FALSE(scaler.step(one));  // also not a, whose gradient is finite
      scaler.update();
      EXPECT_EQ(scaler.get_scale(), before / 2);
      EXPECT_EQ(a.to_vector<float>(), (std::vector<float>{1, 2}));
      EXPECT_EQ(b.to_vector<float>(), (std::vector<float>{3}));
      EXPECT_EQ(one.state_dict().size(), state);
    }
    EXPECT_EQ(scaler.get_scale(), 8);
    for (int i = 1; i <= 7; ++i) {
      give(8);
      EXPECT_TRUE(scaler.step(one));
      scaler.update();
      EXPECT_EQ(scaler.get_scale(), i < 3 ? 8 : i < 6 ? 16 : 32) << i;
    }
    // Of two optimisers, one that fails is enough; the other makes its step. Runs of good steps begin anew.
    give(4);
    EXPECT_TRUE(scaler.step(other));
    give(NAN);
    EXPECT_FALSE(scaler.step(one));
    scaler.update();
    EXPECT_EQ(scaler.get_scale(), 16);
    give(4);
    scaler.step(one);
    scaler.update();
    EXPECT_EQ(scaler.get_scale(), 16);
  }
}

TEST(GradScaler, arguments_and_state) {
  EXPECT_ORDO_ERROR(amp::GradScaler({.init_scale = 0}), ValueError, "scale above 0");
  EXPECT_ORDO_ERROR(amp::GradScaler({.init_scale = 1e39}), ValueError, "float32 holds");
  EXPECT_ORDO_ERROR(amp::GradScaler({.growth_factor = 1}), ValueError, "growth_factor");
  EXPECT_ORDO_ERROR(amp::GradScaler({.backoff_factor = 1}), ValueError, "backoff_factor");
  EXPECT_ORDO_ERROR(amp::GradScaler({.growth_interval = 0}), ValueError, "growth_interval");
  amp::GradScaler scaler({.init_scale = 8}), loaded;
  loaded.load_state_dict(scaler.state_dict());
  EXPECT_EQ(loaded.get_scale(), 8);
  EXPECT_ORDO_ERROR(loaded.load_state_dict({{"scale", scalar_tensor(2.0, {float64})}}), ValueError, "growth_tracker");
  EXPECT_ORDO_ERROR(loaded.load_state_dict({{"scale", scalar_tensor(-2.0, {float64})}, scaler.state_dict()[1]}),
                    ValueError, "above 0");
  EXPECT_EQ(loaded.get_scale(), 8);
  Checkpoint checkpoint;
  checkpoint.add("scaler", scaler);
  EXPECT_EQ(checkpoint.state_dict()[0].name, "scaler.scale");

  amp::GradScaler off({.enabled = false});
  const Tensor p = tensor({1.0f}).set_requires_grad();
  optim::SGD optimizer({p}, {.lr = 1});
  const Tensor loss = p.sum();
  EXPECT_TRUE(off.scale(loss).is_same(loss));
  loss.backward();
  EXPECT_TRUE(off.step(optimizer));
  off.update();
  EXPECT_EQ(p.item(), 0);

  const Tensor half = tensor({1.0f}).to(float16).set_requires_grad();
  optim::SGD of_half({half}, {.lr = 1});
  half.sum().backward();
  EXPECT_ORDO_ERROR(scaler.step(of_half), DTypeError, "float16");
}

}  // namespace
}  // namespace ordo::test::amp_test

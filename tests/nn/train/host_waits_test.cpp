// How often a training step makes the host wait for the device, which is then idle until the next launch. The emulated
// GPU counts.
#include <memory>

#include <ordo/engine/run/emulation.h>

#include "tests/engine/cuda/device_array.h"
#include "tests/support/op_samples.h"

namespace ordo::test::host_waits_test {
namespace {

class HostWaits : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda::build() != "emulated") GTEST_SKIP() << "only the emulated GPU counts what the host waits for";
    manual_seed(1);
  }

  /// Of what the function does, but not of what it has queued.
  static int64_t waits(const std::function<void()>& work) {
    const uint64_t before = cuda::emulator_counts().host_waits;
    work();
    return int64_t(cuda::emulator_counts().host_waits - before);
  }

  nn::Sequential model{nn::Conv2d(1, 4, 3), nn::BatchNorm2d(4), nn::ReLU(),       nn::MaxPool2d(2), nn::Flatten(),
                       nn::Linear(36, 8),   nn::LayerNorm(8),   nn::Dropout(0.2), nn::Linear(8, 3)};
  Tensor x = randn({12, 1, 8, 8}), y = arange(12).remainder(3);
};

TEST_F(HostWaits, a_plain_step_has_none) {
  model.to(kCuda);
  const Tensor images = x.to(kCuda), classes = y.to(kCuda);
  using Make = std::function<std::unique_ptr<optim::Optimizer>()>;
  const std::pair<const char*, Make> optimizers[] = {
      {"SGD", [&] { return std::make_unique<optim::SGD>(model.parameters(), optim::SGDOptions{.momentum = 0.9}); }},
      {"Adam", [&] { return std::make_unique<optim::Adam>(model.parameters()); }},
      {"AdamW", [&] { return std::make_unique<optim::AdamW>(model.parameters()); }},
      {"RMSprop", [&] { return std::make_unique<optim::RMSprop>(model.parameters()); }}};
  for (const Determinism level : kLevels) {
    const DeterminismGuard guard(level);
    for (const auto& [name, make] : optimizers) {
      const auto optimizer = make();
      const auto step = [&] {
        optimizer->zero_grad();
        cross_entropy(model(images), classes).backward();
        optimizer->step();
      };
      step();  // memory comes from the device, by calls that wait
      EXPECT_EQ(waits(step), 0) << name << " at " << ordo::name(level);
    }
  }
}

// What an epoch more adds: each step's numbers come back for the log, and the epoch's weights, a tensor at a time, for
// their hash.
TEST_F(HostWaits, a_step_of_the_trainer_has_one) {
  for (const std::optional<int64_t> shard_rows : {std::optional<int64_t>(), std::optional<int64_t>(2)}) {
    const auto run = [&](int64_t steps) {
      Trainer trainer({.steps = steps, .clip_grad_norm = 1, .shard_rows = shard_rows, .progress = false});
      nn::Sequential own = nn::clone(model);
      own.to(kCuda);
      optim::Adam optimizer(own.parameters());
      data::DataLoader loader{x, y, {.batch_size = 4, .device = kCuda}};
      return waits([&] { trainer.fit(own, optimizer, loader, nn::CrossEntropyLoss()); });
    };
    run(3);
    const int64_t few = run(3), many = run(6);
    const auto tensors = int64_t(model.parameters().size());
    EXPECT_EQ(many - few, 3 + tensors) << "shards of " << shard_rows.value_or(0);
  }
}

// 60 parameters: the kernels of 29 or more of them are one.
TEST_F(HostWaits, an_optimiser_launches_many_parameters_at_once) {
  TensorList parameters;
  for (int64_t i = 0; i < 60; ++i) {
    Tensor p = test_values({i % 7 * 300 + 1}, uint64_t(i)).to(float32).to(kCuda);
    p.set_grad(test_values(p.sizes(), uint64_t(100 + i)).to(float32).to(kCuda));
    parameters.push_back(p.requires_grad_());
  }
  TensorList alone;
  for (const Tensor& p : parameters) {
    Tensor copy = p.detach().clone();
    copy.set_grad(p.grad());
    alone.push_back(copy.requires_grad_());
  }
  optim::Adam together(parameters);
  together.step();  // makes the state
  const uint64_t before = cuda::emulator_counts().launches;
  together.step();
  EXPECT_LE(cuda::emulator_counts().launches - before, 3u);
  for (size_t i = 0; i < alone.size(); ++i) {
    optim::Adam one({alone[i]});
    one.step();
    one.step();
    EXPECT_TRUE(equal(alone[i], parameters[i])) << i;
  }
}

}  // namespace
}  // namespace ordo::test::host_waits_test

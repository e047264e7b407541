// End to end: a small network learns drawn digits, and the switch decides whether runs are repeatable.
#include "tests/support/schedules.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::training_test {
namespace {

struct Result {
  std::string weights;
  double accuracy;
};

Result train_digits(Determinism level, int threads, int64_t count, Device device, int epochs) {
  const ThreadsScope scope;
  set_num_threads(threads);
  DeterminismGuard guard(level);
  manual_seed(3);
  const data::ImageDataset train = data::synthetic_digits(count, 1);
  const data::ImageDataset test = data::synthetic_digits(std::min<int64_t>(count, 500), 2);
  const nn::Conv2d first(1, 8, 3), second(8, 16, 3, {.stride = 2});
  const nn::MaxPool2d pool(3, {.stride = 2});  // windows overlap: gradients add up
  nn::Sequential model{
      first,         nn::ReLU(),         pool, second, nn::BatchNorm2d(16), nn::ReLU(), nn::Dropout(0.1),
      nn::Flatten(), nn::Linear(400, 10)};
  model.to(device);
  optim::Adam optimizer(model.parameters(), {.lr = 3e-3});
  data::DataLoader loader(train, {.batch_size = 32, .shuffle = true});
  for (int epoch = 0; epoch < epochs; ++epoch)
    for (auto [images, labels] : loader) {
      optimizer.zero_grad();
      cross_entropy(model(images.to(device)), labels.to(device)).backward();
      optimizer.step();
    }
  NoGrad no_grad;
  model.eval();
  const Tensor right = argmax(model(test.images.to(device)), 1) == test.labels.to(device);
  TensorList state;
  for (const auto& entry : model.state_dict()) state.push_back(entry.tensor);
  return {sha256_hex(state), right.to(float64).sum().item() / double(test.size())};
}

TEST(Training, learns_digits_with_the_same_bits_on_one_and_two_threads) {
  const Result one = train_digits(Determinism::run_to_run, 1, 2000, cpu, 2);
  EXPECT_GT(one.accuracy, 0.9);
  const Result two = train_digits(Determinism::run_to_run, 2, 2000, cpu, 2);
  EXPECT_EQ(one.weights, two.weights);
  EXPECT_EQ(one.accuracy, two.accuracy);
}

TEST(Training, learns_without_the_switch) {
  EXPECT_GT(train_digits(Determinism::not_guaranteed, 2, 2000, cpu, 2).accuracy, 0.9);
}

TEST(Training, repeats_on_every_device) {
  for (Device device : test_devices())
    for (Determinism level : {Determinism::run_to_run, Determinism::device_to_device}) {
      const int64_t count = device.is_cuda() ? (checked_build() ? 8 : 32) : 64;  // emulated GPUs are slow
      EXPECT_EQ(train_digits(level, 1, count, device, 1).weights, train_digits(level, 2, count, device, 1).weights)
          << device.str() << " " << name(level);
    }
}

TEST(Training, device_to_device_gives_the_same_bits_everywhere) {
  const std::string expected = train_digits(Determinism::device_to_device, 2, 64, cpu, 1).weights;
  for (Device device : test_devices())
    EXPECT_EQ(train_digits(Determinism::device_to_device, 2, 64, device, 1).weights, expected) << device.str();
}

}  // namespace
}  // namespace ordo::test::training_test

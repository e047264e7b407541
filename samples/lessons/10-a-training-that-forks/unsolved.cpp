// Lesson 10: a training run that forks. The check runs this program twice.
#include <ordo/ordo.h>

#include <chrono>
#include <cstdio>

using namespace ordo;

int main() {
  use_deterministic_algorithms(true);
  manual_seed(1);
  nn::Sequential model{nn::Linear(8, 16), nn::ReLU(), nn::Linear(16, 4)};
  optim::SGD sgd(model.parameters(), {.lr = 0.1});
  Generator of_data(7);
  const Tensor x = randn({320, 8}, {}, &of_data), y = randint(4, {320}, {int64}, &of_data);
  Generator of_noise(uint64_t(std::chrono::steady_clock::now().time_since_epoch().count()));
  data::DataLoader loader(data::TensorDataset({x, y}), {.batch_size = 32});
  int step = 0;
  for (auto [inputs, targets] : loader) {
    sgd.zero_grad();
    Tensor seen = inputs;
    if (++step >= 4) seen = inputs + randn({32, 8}, {}, &of_noise) * 0.01;  // from step 4 on, some noise
    const Tensor loss = cross_entropy(model(seen), targets);
    loss.backward();
    sgd.step();
  }
  std::printf("weights %s\n", sha256_hex(model.parameters()).c_str());
}

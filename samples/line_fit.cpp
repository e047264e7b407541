// Fits y = 10 x with one hidden layer of 100. Prints the same lines on every run.
#include <ordo/ordo.h>

#include <cstdio>

using namespace ordo;

int main() {
  use_deterministic_algorithms(true);
  manual_seed(3);
  const Tensor x = rand({100, 1});
  const Tensor y = 10 * x;

  nn::Sequential model{nn::Linear(1, 100), nn::ReLU(), nn::Linear(100, 1)};
  optim::SGD optimizer(model.parameters(), {.lr = 1e-4});
  for (int step = 1; step <= 1000; ++step) {
    optimizer.zero_grad();
    const Tensor loss = mse_loss(model(x), y, Reduction::sum);
    loss.backward();
    optimizer.step();
    if (step % 100 == 0) std::printf("step %4d  loss %.9g\n", step, loss.item());
  }
}

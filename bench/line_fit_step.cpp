// Microseconds per training step of samples/line_fit.cpp, beside peers/line_fit.py.
//   line_fit_step [THREADS [STEPS [LEVEL]]]      prints one JSON line, the fastest of five rounds
#include <ordo/ordo.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  using namespace ordo;
  if (argc > 1) set_num_threads(std::atoi(argv[1]));
  const int steps = argc > 2 ? std::max(1, std::atoi(argv[2])) : 1000;
  if (argc > 3) set_determinism(determinism_from_name(argv[3]));

  manual_seed(3);
  const Tensor x = rand({100, 1}), y = x * 10;
  nn::Sequential model{nn::Linear(1, 100), nn::ReLU(), nn::Linear(100, 1)};
  optim::SGD optimizer(model.parameters(), {.lr = 1e-4});

  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int step = 0; step < steps; ++step) {
      optimizer.zero_grad();
      const Tensor loss = mse_loss(model(x), y, Reduction::sum);
      loss.backward();
      optimizer.step();
    }
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() / steps);
  }
  std::printf(
      "{\"name\": \"line_fit\", \"unit\": \"us per step\", \"value\": %.17g, \"threads\": %d, \"version\": \"Ordo %s "
      "%s\"}\n",
      best, num_threads(), std::string(version()).c_str(), std::string(name(determinism())).c_str());
}

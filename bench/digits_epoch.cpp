// Seconds per epoch of the demo's digit network, beside peers/digits_cnn.py.
//   digits_epoch [THREADS [EPOCHS [LEVEL]]]      prints one JSON line, the fastest epoch
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tools/demo/training.h"

int main(int argc, char** argv) {
  using namespace ordo;
  if (argc > 1) set_num_threads(std::atoi(argv[1]));
  const int epochs = argc > 2 ? std::max(1, std::atoi(argv[2])) : 3;
  if (argc > 3) set_determinism(determinism_from_name(argv[3]));

  demo::Task task = demo::digits_task("");
  task.test = task.test.first(500);
  double best = 1e9;
  for (int i = 0; i < epochs; ++i) best = std::min(best, demo::train(task, {.epochs = 1, .seed = 0}).seconds);
  fmt::print(
      "{{\"name\": \"digits_cnn\", \"unit\": \"s per epoch\", \"value\": {}, \"threads\": {}, \"version\": \"Ordo {} "
      "{}\"}}\n",
      best, num_threads(), version(), name(determinism()));
}

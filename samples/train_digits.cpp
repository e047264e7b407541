// Trains a convolutional network on drawn digits with the Trainer:   train_digits [FOLDER]
// Kill it and start it again with the same folder: it ends with the same weights.
#include <ordo/ordo.h>

#include <cstdio>

using namespace ordo;

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "";
  Trainer trainer({.epochs = 3,
                   .schedule = optim::cosine(3 * 63, 0.1),
                   .randomness = {{.seed = 3, .deterministic = Determinism::run_to_run}},
                   .monitor = "accuracy",
                   .larger_is_better = true,
                   .folder = folder,
                   .save_every = {.steps = 20, .epochs = 1},
                   .resume = !folder.empty(),
                   .log = folder.empty() ? "" : folder + "/log.jsonl"});
  nn::Sequential model{nn::Conv2d(1, 8, 3), nn::ReLU(),       nn::MaxPool2d(3, {.stride = 2}),
                       nn::Flatten(),       nn::Dropout(0.2), nn::Linear(8 * 12 * 12, 10)};
  optim::Adam optimizer(model.parameters(), {.lr = 2e-3});
  data::DataLoader loader(data::synthetic_digits(4000, 1), {.batch_size = 64, .shuffle = true});
  data::DataLoader test(data::synthetic_digits(1000, 2), {.batch_size = 500});
  trainer.validate(model, test, {{"accuracy", metrics::accuracy}});
  const TrainResult result = trainer.fit(model, optimizer, loader, nn::CrossEntropyLoss());
  if (distributed::rank() != 0) return 0;  // mpirun -n 4 train_digits: the results are the same in all processes
  std::printf("%d steps  loss %.6f", int(result.steps), result.loss);
  for (const auto& [metric, value] : result.metrics) std::printf("  %s %.4f", metric.c_str(), value);
  std::printf("\nweights %s\n", result.weights.c_str());
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

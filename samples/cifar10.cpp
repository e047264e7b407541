// Trains a small convolutional network on CIFAR-10, or on drawn pictures of its form. Prints the same lines on every
// run, also by mpirun, whatever the number of processes.
//   cifar10 [--data DIRECTORY | --rows N] [--epochs N | --steps N] [--folder DIRECTORY]
// With a folder for checkpoints it goes on from the last one.
#include <ordo/ordo.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

using namespace ordo;

struct Net : nn::Module {
  nn::Conv2d conv1 = add("conv1", nn::Conv2d(3, 6, 5));
  nn::Conv2d conv2 = add("conv2", nn::Conv2d(6, 16, 5));
  nn::MaxPool2d pool{2};
  nn::Linear fc1 = add("fc1", nn::Linear(16 * 5 * 5, 120));
  nn::Linear fc2 = add("fc2", nn::Linear(120, 84));
  nn::Linear fc3 = add("fc3", nn::Linear(84, 10));

  Tensor forward(const Tensor& images) override {
    Tensor x = pool(relu(conv1(images)));
    x = pool(relu(conv2(x)));
    x = relu(fc1(x.flatten(1)));
    x = relu(fc2(x));
    return fc3(x);
  }
};

using Options = std::map<std::string, std::string>;

void train(const Options& options) {
  const std::string &directory = options.at("--data"), &folder = options.at("--folder");
  const auto number = [&](const char* option) { return std::atoll(options.at(option).c_str()); };
  const int64_t rows = number("--rows"), steps = number("--steps");
  Trainer trainer({.epochs = steps > 0 ? 0 : number("--epochs"),
                   .steps = steps,
                   .randomness = {{.seed = 3, .deterministic = Determinism::device_to_device}},
                   .shard_rows = 4,  // of 32 a batch: one process computes what eight do
                   .validate_every = {.steps = steps, .epochs = 1},
                   .folder = folder,
                   .resume = !folder.empty(),
                   .progress = false});
  data::ImageDataset train = directory.empty() ? data::synthetic_cifar10(rows, 1) : data::cifar10(directory);
  data::ImageDataset test = directory.empty() ? data::synthetic_cifar10(rows / 5, 2) : data::cifar10(directory, false);
  train.images = data::normalize(train.images, {0.5}, {0.5});
  test.images = data::normalize(test.images, {0.5}, {0.5});

  Net net;
  optim::SGD optimizer(net.parameters(), {.lr = 0.01, .momentum = 0.9});
  data::DataLoader loader(train, {.batch_size = 32, .shuffle = true}), test_loader(test, {.batch_size = 500});
  trainer.validate(net, test_loader, {{"accuracy", metrics::accuracy}});
  const bool prints = distributed::rank() == 0;
  trainer.on(On::step_end, [&](Trainer& t) {
    const TrainerStatus& now = t.status();
    if (!prints || now.batch % 250 != 0) return;
    std::printf("epoch %d  batch %5d  loss %.9g\n", int(now.epoch), int(now.batch), now.epoch_loss);
    std::fflush(stdout);
  });
  const TrainResult result = trainer.fit(net, optimizer, loader, nn::CrossEntropyLoss());
  if (!prints) return;
  for (const auto& [metric, value] : result.metrics)
    std::printf("%s on %d test images: %.4f\n", metric.c_str(), int(test.size()), value);
  std::printf("weights %s\n", result.weights.c_str());
}

int main(int argc, char** argv) {
  Options options{{"--data", ""}, {"--rows", "50000"}, {"--epochs", "2"}, {"--steps", "0"}, {"--folder", ""}};
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc || !options.contains(argv[i])) {
      std::fprintf(stderr,
                   "usage: cifar10 [--data DIRECTORY | --rows N] [--epochs N | --steps N] [--folder DIRECTORY]\n");
      return 2;
    }
    options[argv[i]] = argv[i + 1];
  }
  try {
    train(options);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

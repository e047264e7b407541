// Trains a convolutional network on MNIST files, or on drawn digits:   digits [DIRECTORY] [--deterministic] [--cuda]
#include <ordo/ordo.h>
#include <cstdio>

using namespace ordo;

double accuracy(nn::Module& model, const data::ImageDataset& test, Device device) {
  NoGrad guard;
  model.eval();
  int64_t correct = 0;
  for (auto [images, labels] : data::DataLoader(test, {.batch_size = 500}))
    correct += (argmax(model(images.to(device)), 1) == labels.to(device)).sum().item<int64_t>();
  model.train();
  return double(correct) / double(test.size());
}

int main(int argc, char** argv) try {
  std::string directory;
  Device device = cpu;
  for (const std::string& argument : std::vector<std::string>(argv + 1, argv + argc)) {
    if (argument == "--deterministic") use_deterministic_algorithms(true);
    if (argument == "--cuda") device = "cuda";
    if (!argument.starts_with('-')) directory = argument;
  }
  const data::ImageDataset train = directory.empty() ? data::synthetic_digits(8000, 1) : data::mnist(directory);
  const data::ImageDataset test = directory.empty() ? data::synthetic_digits(2000, 2) : data::mnist(directory, false);
  manual_seed(3);
  nn::Sequential model{nn::Conv2d(1, 8, 3),
                       nn::ReLU(),
                       nn::MaxPool2d(3, {.stride = 2}),
                       nn::Conv2d(8, 16, 3),
                       nn::ReLU(),
                       nn::MaxPool2d(3, {.stride = 2}),
                       nn::Flatten(),
                       nn::Linear(16 * 4 * 4, 10)};
  model.to(device);
  optim::Adam optimizer(model.parameters(), {.lr = 2e-3});
  data::DataLoader loader(train, {.batch_size = 64, .shuffle = true});
  for (int epoch = 1; epoch <= 3; ++epoch) {
    double total = 0;
    for (auto [images, labels] : loader) {
      optimizer.zero_grad();
      const Tensor loss = cross_entropy(model(images.to(device)), labels.to(device));
      loss.backward();
      optimizer.step();
      total += loss.item();
    }
    std::printf("epoch %d  loss %.6f  test accuracy %.4f\n", epoch, total / double(loader.size()),
                accuracy(model, test, device));
  }
  std::printf("weights %s\n", sha256_hex(model.parameters()).c_str());
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

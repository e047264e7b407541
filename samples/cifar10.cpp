// Trains a small convolutional network on CIFAR-10, or on drawn pictures of its form. Prints the same lines on every
// run.
//   cifar10 [--data DIRECTORY] [--epochs N] [--batches N]      at most N batches in each epoch
#include <ordo/ordo.h>

#include <cstdio>
#include <cstdlib>
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

void train(const std::string& directory, int epochs, int64_t batches) {
  data::ImageDataset train = directory.empty() ? data::synthetic_cifar10(50000, 1) : data::cifar10(directory);
  data::ImageDataset test = directory.empty() ? data::synthetic_cifar10(10000, 2) : data::cifar10(directory, false);
  train.images = data::normalize(train.images, {0.5}, {0.5});
  test.images = data::normalize(test.images, {0.5}, {0.5});

  Net net;
  optim::SGD optimizer(net.parameters(), {.lr = 0.001, .momentum = 0.9});
  data::DataLoader loader(train, {.batch_size = 4, .shuffle = true});
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    int64_t batch = 0;
    double running_loss = 0;
    for (auto [images, labels] : loader) {
      optimizer.zero_grad();
      const Tensor loss = cross_entropy(net(images), labels);
      loss.backward();
      optimizer.step();
      running_loss += loss.item();
      if (++batch % 2000 == 0) {
        std::printf("epoch %d  batch %5d  loss %.9g\n", epoch, int(batch), running_loss / 2000);
        std::fflush(stdout);
        running_loss = 0;
      }
      if (batch == batches) break;
    }
  }

  NoGrad guard;
  net.eval();
  int64_t correct = 0;
  for (auto [images, labels] : data::DataLoader(test, {.batch_size = 500}))
    correct += (argmax(net(images), 1) == labels).sum().item<int64_t>();
  std::printf("accuracy on %d test images: %.4f\n", int(test.size()), double(correct) / double(test.size()));
  std::printf("weights %s\n", sha256_hex(net.parameters()).c_str());
}

int main(int argc, char** argv) {
  std::string directory;
  int epochs = 2;
  int64_t batches = -1;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (i + 1 == argc || (option != "--data" && option != "--epochs" && option != "--batches")) {
      std::fprintf(stderr, "usage: cifar10 [--data DIRECTORY] [--epochs N] [--batches N]\n");
      return 2;
    }
    if (option == "--data") directory = argv[i + 1];
    if (option == "--epochs") epochs = std::atoi(argv[i + 1]);
    if (option == "--batches") batches = std::atoll(argv[i + 1]);
  }
  try {
    use_deterministic_algorithms(true);
    manual_seed(3);
    train(directory, epochs, batches);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

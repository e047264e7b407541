// What the demo trains: a small convolutional network on digits and a bag of embeddings on text, each a pure function
// of (data, seed, level) as far as the level promises.
#pragma once

#include <ordo/ordo.h>

#include <functional>
#include <optional>
#include <string>

namespace ordo::demo {

/// Inputs [N, ...] and labels [N] int64 to train and to test on.
struct Examples {
  Tensor inputs, labels;
  int64_t size() const { return labels.size(0); }
  Examples to(Device device) const { return {inputs.to(device), labels.to(device)}; }
  Examples first(int64_t n) const {
    n = std::min(n, size());
    return {inputs.narrow(0, 0, n), labels.narrow(0, 0, n)};
  }
};
struct Task {
  std::string model;        ///< "digits_cnn"
  std::string description;  ///< one line for people
  Examples train, test;
  std::function<nn::Sequential()> make_model;
  int epochs;  ///< by default
  double learning_rate;
  int64_t batch_size = 64;
};

/// A network with overlapping max pooling (3x3, stride 2), whose backward pass adds where windows overlap. The digits
/// are read from a directory of MNIST files or, when it is empty, drawn.
Task digits_task(const std::string& directory);
/// Documents of made-up words on four topics; equal words meet in the gradient of the embedding table.
Task text_task();

struct TrainingOptions {
  int epochs = 1;
  uint64_t seed = 0;
  std::optional<int64_t> batch_size = {};  ///< default: the task's
  /// Called after every batch with the share done, 0 to 1; may be empty.
  std::function<void(double share)> progress = {};
  /// Called after every optimiser step with its loss and the parameters; may be empty.
  std::function<void(const Tensor& loss, const TensorList& parameters)> observe = {};
  int64_t steps = 0;  ///< ends the training after so many; 0: after its epochs
};
struct TrainingRun {
  std::string model;
  Determinism level;  ///< in force during the run
  uint64_t seed;
  float loss;       ///< of the last batch
  double accuracy;  ///< share of the test examples
  std::string weights_sha256;
  double seconds;  ///< of the training, without the test
};

/// Trains on the examples' device at the level in force: SGD with momentum 0.9, batches in a new order every epoch, a
/// learning rate that falls linearly to 0.
TrainingRun train(const Task& task, const TrainingOptions& options);

/// The share of `examples` that the model gets right.
double accuracy(nn::Module& model, const Examples& examples);

}  // namespace ordo::demo

#include <fmt/format.h>

#include "tools/demo/training.h"

namespace ordo::demo {

Task digits_task(const std::string& directory) {
  Task task;
  task.model = "digits_cnn";
  data::ImageDataset train, test;
  if (directory.empty()) {
    train = data::synthetic_digits(8000, 0);
    test = data::synthetic_digits(2000, 1);
  } else {
    train = data::mnist(directory);
    test = data::mnist(directory, false);
  }
  task.train = {train.images, train.labels};
  task.test = {test.images, test.labels};
  task.description =
      fmt::format("{} digits of 28x28, {} to test, {}; a convolutional network with overlapping max pooling",
                  train.size(), test.size(), directory.empty() ? "drawn" : "from " + directory);
  task.make_model = [] {
    const nn::MaxPool2dOptions overlapping{.stride = 2};
    return nn::Sequential{nn::Conv2d(1, 16, 3, {.padding = 1}),
                          nn::ReLU(),
                          nn::MaxPool2d(3, overlapping),
                          nn::Conv2d(16, 32, 3, {.padding = 1}),
                          nn::ReLU(),
                          nn::MaxPool2d(3, overlapping),
                          nn::Flatten(),
                          nn::Linear(32 * 6 * 6, 10)};
  };
  task.epochs = 4;
  task.learning_rate = 0.05;
  return task;
}

namespace {

constexpr int64_t kWords = 3000, kTopics = 4, kLongest = 40;

// Documents of 10 to 40 words; the rest of a row is word 0, the padding. Half of the words are drawn from the topic's
// own quarter of the vocabulary, the others from all of it, and common words come first: u^3 favours small numbers.
Examples documents(int64_t count, uint64_t seed) {
  Generator generator(seed);
  const TensorOptions integers{.dtype = int64};
  const Tensor topic = randint(0, kTopics, {count, 1}, integers, &generator);
  const Tensor length = randint(10, kLongest + 1, {count, 1}, integers, &generator);
  const Tensor u = rand({count, kLongest}, {}, &generator);
  const Tensor common = u * u * u;
  const Tensor anywhere = (common * double(kWords - 1)).to(int64) + 1;
  const Tensor own = (common * double(kWords / kTopics - 1)).to(int64) * kTopics + topic + 1;
  const Tensor words = where(rand({count, kLongest}, {}, &generator) < 0.5, own, anywhere);
  const Tensor place = arange(0, kLongest, 1, integers);
  return {where(place < length, words, zeros_like(words)), topic.flatten()};
}

}  // namespace

Task text_task() {
  Task task;
  task.model = "text_embedding_bag";
  task.train = documents(8000, 10);
  task.test = documents(2000, 11);
  task.description = fmt::format("{} documents of made-up words on {} topics, {} to test; a bag of embeddings",
                                 task.train.size(), kTopics, task.test.size());
  task.make_model = [] {
    return nn::Sequential{nn::EmbeddingBag(kWords, 32, {.mode = EmbeddingBagMode::mean, .padding_idx = 0}),
                          nn::Linear(32, kTopics)};
  };
  task.epochs = 16;
  task.learning_rate = 20;
  task.batch_size = 512;  // large enough for threads to meet
  return task;
}

}  // namespace ordo::demo

#include "tools/demo/training.h"

#include <chrono>

namespace ordo::demo {

double accuracy(nn::Module& model, const Examples& examples) {
  const NoGrad guard;
  model.eval();
  int64_t right = 0;
  for (auto [inputs, labels] : data::DataLoader(examples.inputs, examples.labels, {.batch_size = 500}))
    right += sum(argmax(model(inputs), 1) == labels).item<int64_t>();
  model.train();
  return double(right) / double(std::max<int64_t>(1, examples.size()));
}

TrainingRun train(const Task& task, const TrainingOptions& options) {
  manual_seed(options.seed);
  nn::Sequential model = task.make_model();
  model.to(task.train.inputs.device());
  optim::SGD optimizer(model.parameters(), {.lr = task.learning_rate, .momentum = 0.9});
  data::DataLoader loader(task.train.inputs, task.train.labels,
                          {.batch_size = options.batch_size.value_or(task.batch_size),
                           .shuffle = true,
                           .generator = Generator(options.seed)});

  const int64_t all = options.epochs * loader.size(), steps = options.steps ? std::min(options.steps, all) : all;
  const auto start = std::chrono::steady_clock::now();
  int64_t step = 0;
  Tensor loss;
  for (int epoch = 0; epoch < options.epochs; ++epoch)
    for (auto [inputs, labels] : loader) {
      if (step == steps) break;
      optimizer.set_lr(task.learning_rate * double(steps - step) / double(steps));
      optimizer.zero_grad();
      loss = cross_entropy(model(inputs), labels);
      loss.backward();
      optimizer.step();
      ++step;
      if (options.observe) options.observe(loss, model.parameters());
      if (options.progress) options.progress(double(step) / double(steps));
    }
  const float last_loss = loss.defined() ? loss.item<float>() : 0;  // waits for the device
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return {task.model,
          determinism(),
          options.seed,
          last_loss,
          accuracy(model, task.test),
          sha256_hex(model.parameters()),
          seconds.count()};
}

}  // namespace ordo::demo

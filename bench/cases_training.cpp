// Whole training steps on one batch: forward, loss, backward, SGD with momentum.
#include <fmt/format.h>

#include "bench/cases.h"
#include "tools/demo/training.h"

namespace ordo::bench {

namespace {

struct Training {
  nn::Sequential model;
  Tensor inputs, labels;  ///< int64 labels: cross entropy; floating: squared error
  double learning_rate = 0.05;
};

Training make_training(const std::string& mode, int64_t batch) {
  const auto task = [&](const demo::Task& t) {
    const demo::Examples examples = t.train.first(batch);
    return Training{t.make_model(), examples.inputs, examples.labels};
  };
  if (mode == "digits_cnn") return task(demo::digits_task(""));
  if (mode == "embedding_bag") return task(demo::text_task());
  if (mode == "cifar10") {
    const data::ImageDataset pictures = data::synthetic_cifar10(batch, 1);
    return {nn::Sequential{nn::Conv2d(3, 6, 5), nn::ReLU(), nn::MaxPool2d(2), nn::Conv2d(6, 16, 5), nn::ReLU(),
                           nn::MaxPool2d(2), nn::Flatten(), nn::Linear(400, 120), nn::ReLU(), nn::Linear(120, 84),
                           nn::ReLU(), nn::Linear(84, 10)},
            pictures.images, pictures.labels};
  }
  if (mode == "line_fit") {
    const Tensor x = rand({batch, 1});
    return {nn::Sequential{nn::Linear(1, 100), nn::ReLU(), nn::Linear(100, 1)}, x, x * 10, 1e-4};
  }
  throw ValueError(fmt::format("[bench] there is no training '{}'", mode));
}

}  // namespace

Case prepare_training(const Row& row, const Setting& setting) {
  struct State {
    Training training;
    nn::NamedTensorList start;
    std::unique_ptr<optim::SGD> optimizer;
  };
  const auto state = std::make_shared<State>(State{make_training(row.text("mode"), row.number("batch")), {}, {}});
  Training& t = state->training;
  t.model.to(setting.dtype);
  t.model.to(setting.device);
  if (is_floating(t.inputs.dtype())) t.inputs = t.inputs.to(setting.dtype);
  if (is_floating(t.labels.dtype())) t.labels = t.labels.to(setting.dtype);
  t.inputs = t.inputs.to(setting.device), t.labels = t.labels.to(setting.device);
  for (const nn::NamedTensor& p : t.model.state_dict()) state->start.push_back({p.name, p.tensor.detach().clone()});

  Case result;
  result.reset = [state] {
    state->training.model.load_state_dict(state->start);
    state->optimizer = std::make_unique<optim::SGD>(
        state->training.model.parameters(), optim::SGDOptions{.lr = state->training.learning_rate, .momentum = 0.9});
  };
  result.reset();
  result.run = [state](const Path&) {
    Training& t = state->training;
    state->optimizer->zero_grad();
    const Tensor output = t.model(t.inputs);
    const Tensor loss =
        is_floating(t.labels.dtype()) ? mse_loss(output, t.labels, Reduction::sum) : cross_entropy(output, t.labels);
    loss.backward();
    state->optimizer->step();
  };
  result.result = [state] {
    TensorList parameters;
    for (const Tensor& p : state->training.model.parameters()) parameters.push_back(p.detach());
    return parameters;
  };
  return result;
}

}  // namespace ordo::bench

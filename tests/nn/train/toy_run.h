// A training with everything that can be forgotten, small enough for thousands of runs: shuffled batches, dropout,
// batch normalisation, momentum, accumulated gradients, a schedule, a plateau, clipping, an average, a validation.
#pragma once

#include <fmt/format.h>

#include <string>

#include <ordo/ordo.h>

namespace ordo::test {

/// Writes nothing where the folder is "".
inline TrainerOptions toy_options(const std::string& folder, bool resume = false) {
  TrainerOptions o{.epochs = 3, .accumulate = 2, .schedule = optim::warmup(2, optim::cosine(8, 0.1))};
  o.plateau = optim::PlateauOptions{.gamma = 0.8, .patience = 1, .threshold = 0.5};
  o.clip_grad_norm = 1;
  o.ema = optim::EMAOptions{.decay = 0.7};
  o.randomness = RandomnessOptions{.seed = 1};
  o.validate_every = {.steps = 2, .epochs = 1};
  o.monitor = "loss";
  o.folder = folder;
  o.save_every = {.steps = 2};
  o.resume = resume;
  o.log = folder.empty() ? "" : folder + "/log.jsonl";
  o.progress = false;
  return o;
}

class ToyRun {
 public:
  static constexpr int64_t kStepsPerEpoch = 3;  // of 2, 2 and 1 batches

  explicit ToyRun(const TrainerOptions& options) : trainer(options) {
    trainer.validate(model, test, {{"loss", nn::CrossEntropyLoss()}, {"accuracy", metrics::accuracy}});
  }
  TrainResult go() { return go(loader); }
  TrainResult go(data::DataLoader& batches) { return trainer.fit(model, optimizer, batches, nn::CrossEntropyLoss()); }
  /// Until so many steps have been made in all.
  TrainResult go_to(int64_t steps) { return go_to(steps, loader); }
  TrainResult go_to(int64_t steps, data::DataLoader& batches) {
    trainer.on(On::step_end, [steps](Trainer& t) {
      if (t.status().step == steps) t.stop();
    });
    return go(batches);
  }

  static Tensor rows() { return inputs(19, 5); }
  static Tensor classes() { return targets(19, 5); }

  Trainer trainer;
  nn::Sequential model{nn::Linear(6, 8), nn::BatchNorm1d(8), nn::ReLU(), nn::Dropout(0.2), nn::Linear(8, 3)};
  optim::SGD optimizer{model.parameters(), {.lr = 0.1, .momentum = 0.9}};
  data::DataLoader loader{rows(), classes(), {.batch_size = 4, .shuffle = true, .generator = Generator(3)}};
  data::DataLoader test{inputs(15, 6), targets(15, 6), {.batch_size = 8}};

 private:
  static Tensor inputs(int64_t rows, uint64_t seed) {
    Generator generator(seed);
    return randn({rows, 6}, {}, &generator);
  }
  static Tensor targets(int64_t rows, uint64_t seed) { return argmax(inputs(rows, seed).slice(1, 0, 3), 1); }
};

/// All that a run leaves, as text to compare.
inline std::string text_of(const TrainResult& result) {
  std::string text = fmt::format("{} after {} epochs, {} steps, loss {}, best {}, seed {}\n", name(result.end),
                                 result.epochs, result.steps, result.loss, result.best.value_or(0), result.seed);
  for (const auto& [name, value] : result.metrics) text += fmt::format("{} {}\n", name, value);
  for (const std::string& weights : result.epoch_weights) text += weights + "\n";
  return text + result.weights + "\n";
}

}  // namespace ordo::test

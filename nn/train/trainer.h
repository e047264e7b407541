// Training.
//
//   Trainer trainer({.epochs = 5,
//                    .randomness = {{.seed = 1, .deterministic = Determinism::run_to_run}},
//                    .folder = "runs/digits",
//                    .resume = true});
//   nn::Sequential model{nn::Flatten(), nn::Linear(784, 10)};
//   optim::Adam optimizer(model.parameters());
//   data::DataLoader loader(data::synthetic_digits(8000, 1), {.batch_size = 64, .shuffle = true});
//   data::DataLoader test(data::synthetic_digits(2000, 2), {.batch_size = 500});
//   trainer.validate(model, test, {{"accuracy", metrics::accuracy}});
//   const TrainResult result = trainer.fit(model, optimizer, loader, nn::CrossEntropyLoss());
//
// docs/training.md says what a run saves, what changes its bits, and what the log holds.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/nn/optim/optimizer.h>
#include <ordo/nn/state/checkpoint.h>
#include <ordo/nn/train/trainer_options.h>

namespace ordo {

class Trainer;

namespace detail {

/// The arguments of fit() with their types forgotten.
struct TrainingWork {
  using Loss = std::function<Tensor()>;
  using Take = std::function<bool(const Loss&)>;  // false: no more batches

  nn::ModuleBase& model;
  optim::Optimizer& optimizer;
  std::function<int64_t()> batches;               // of an epoch
  std::function<void(const Take&)> each_batch;    // of the epoch, or of what is left of one
  std::function<void(Checkpoint&)> add_loader{};  // empty: the loader has no state
  // Of a loader that can deliver its batches in parts; the loss of a part without rows is empty.
  std::function<void(int64_t rows, int64_t first, int64_t last, int64_t batches)> deliver_parts{};
  std::function<void()> deliver_batches{};
  std::function<int64_t(int64_t batch)> rows_of{};
};

/// data::DataLoader, or one that delivers parts of batches as it does.
template <class Loader>
concept DeliversParts = requires(Loader& loader, int64_t n) {
  loader.deliver_parts(n, n, n, n);
  loader.deliver_batches();
  { loader.rows_of(n) } -> std::convertible_to<int64_t>;
};

template <class Model, class Batch, class Loss>
Tensor loss_of(Model& model, Batch& batch, Loss& loss) {
  if constexpr (std::is_invocable_r_v<Tensor, Loss&, Model&, Batch&>) {
    return loss(model, batch);
  } else {
    auto& [inputs, targets] = batch;
    return loss(model(inputs), targets);
  }
}

template <class Model, class Loader, class Batch, class Loss>
TrainingWork::Loss loss_function(Model& model, Loader&, Batch& batch, Loss& loss) {
  if constexpr (DeliversParts<Loader>)
    if (batch.tensors.empty()) return {};
  return [&]() -> Tensor { return loss_of(model, batch, loss); };
}

class TrainingRun;

}  // namespace detail

/// Where a run is. Epochs and steps count from 1.
struct TrainerStatus {
  int64_t epoch = 0;  ///< under way, or just finished
  int64_t step = 0;   ///< made so far
  int64_t batch = 0;  ///< of the epoch
  double loss = 0;    ///< of the last step: the mean over its rows, or over its batches if their rows are not known
  double lr = 0;      ///< of the last step, the first group's
  std::optional<double> grad_norm = {};
  double epoch_loss = 0;      ///< the same of the epoch so far
  NamedNumbers metrics = {};  ///< of the last validation
};

/// When a callback is called.
enum class On {
  run_begin,         ///< also when a run is resumed
  run_end,           ///< not after an error
  epoch_begin,       ///< not where a resumed run continues inside of an epoch
  epoch_end,         ///< after its validation
  step_begin,        ///< before the first of the step's batches
  step_end,          ///< after the optimiser's step
  validation_begin,  ///< the model's weights are the averages already, if there are any
  validation_end,
  checkpoint_begin,
  checkpoint_end,
};

/// A training loop with what belongs around it: schedules, clipping, averages, validation, early stopping, checkpoints,
/// a log, and runs that continue with the same bits after any interruption. It uses what every program can use:
/// nn/state/checkpoint.h, nn/optim, evaluate().
///
/// Throws: ValueError when numbers are out of range, there are neither epochs nor steps, or what needs `monitor` has
/// none.
class Trainer {
 public:
  /// Seeds, if there is `randomness`: make the Trainer before the model, so that the model's first weights repeat.
  explicit Trainer(TrainerOptions options);
  ~Trainer();
  Trainer(Trainer&&) = delete;

  /// Validates by evaluate(), whose batches several processes share; the numbers are the same. `model` and `loader`
  /// must outlive the Trainer.
  template <class Model, class Loader>
  void validate(Model& model, Loader& loader, Metrics metrics) {
    validate([&model, &loader, metrics = std::move(metrics)] {
      const auto [rank, size] = detail::rank_and_size();
      return detail::evaluate_in_parts(model, loader, metrics, rank, size);
    });
  }
  /// Validates by a function that gives all metrics. It is called without recording.
  void validate(std::function<NamedNumbers()> validation);

  /// Calls `callback` at that moment; several, in the order in which they were given. One with a state of its own that
  /// the run depends on gives it to keep().
  void on(On moment, std::function<void(Trainer&)> callback);

  /// Makes `part` a part of the checkpoints, as Checkpoint::add() does: other generators, other models.
  template <class T>
  void keep(const std::string& name, T&& part) {
    extra_.add(name, std::forward<T>(part));
  }

  /// Trains until the end. `loss` is a function of (model, batch), or of (outputs, targets), as losses are; it gives a
  /// tensor of one element. Modules that are in evaluation mode stay in it.
  ///
  /// Throws: ValueError when a loss is infinite or NaN (the weights are then those before that step), the loader has no
  /// batches, or no validation gives the `monitor`; DataError when files and folders cannot be read or written. The
  /// last checkpoint stays in all cases.
  template <class Model, class Loader, class Loss>
  TrainResult fit(Model& model, optim::Optimizer& optimizer, Loader& loader, Loss&& loss) {
    const ordo::detail::LibraryCall call;
    static_assert(std::is_base_of_v<nn::ModuleBase, Model>, "fit() trains a class derived from nn::Module");
    detail::TrainingWork work{model, optimizer, [&loader] { return int64_t(loader.size()); },
                              [&](const detail::TrainingWork::Take& take) {
                                for (auto&& batch : loader)
                                  if (!take(detail::loss_function(model, loader, batch, loss))) break;
                              }};
    if constexpr (detail::DeliversParts<Loader>) {
      work.deliver_parts = [&loader](int64_t rows, int64_t first, int64_t last, int64_t batches) {
        loader.deliver_parts(rows, first, last, batches);
      };
      work.deliver_batches = [&loader] { loader.deliver_batches(); };
      work.rows_of = [&loader](int64_t batch) { return int64_t(loader.rows_of(batch)); };
    }
    if constexpr (HasState<Loader>) work.add_loader = [&](Checkpoint& all) { all.add("loader", loader); };
    return run(work);
  }

  // -- for callbacks and losses ---------------------------------------------------------------------------------------
  const TrainerOptions& options() const { return options_; }
  const TrainerStatus& status() const { return status_; }
  /// Adds a number to the log's line of the step, validation or epoch; given twice, the later one counts.
  ///
  /// Throws: ValueError outside of them.
  void log(const std::string& name, double value);
  /// Ends the run after the step under way, with a checkpoint, from which it can be resumed.
  void stop() { stop_ = true; }

  /// The averages of the last fit(), or null: `trainer.average()->swap()` gives the model its average weights.
  optim::EMA* average() { return average_.get(); }
  /// What seed_everything() chose, or the state of default_generator().
  const Randomness& randomness() const { return randomness_; }

 private:
  friend class detail::TrainingRun;
  TrainResult run(const detail::TrainingWork& work);
  void call(On moment);

  TrainerOptions options_;
  Randomness randomness_;
  Checkpoint extra_;
  std::function<NamedNumbers()> validation_;
  std::vector<std::pair<On, std::function<void(Trainer&)>>> callbacks_;
  std::unique_ptr<optim::EMA> average_;
  TrainerStatus status_;
  NamedNumbers logged_;     // by log(), for the line to come
  bool line_open_ = false;  // there is one
  bool stop_ = false;
};

}  // namespace ordo

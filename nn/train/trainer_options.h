// What a Trainer is told, and what it says at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ordo/engine/run/randomness.h>
#include <ordo/nn/optim/ema.h>
#include <ordo/nn/optim/schedule.h>
#include <ordo/nn/train/metrics.h>

namespace ordo {

/// How often: after so many steps, after so many epochs, or both. 0: not by this count.
struct Every {
  int64_t steps = 0;
  int64_t epochs = 0;
};

struct TrainerOptions {
  // -- how long: one of them, or both, and the run ends at the first that is reached -------------------------------
  int64_t epochs = 0;
  int64_t steps = 0;  ///< of the optimiser, in the whole run

  // -- a step ------------------------------------------------------------------------------------------------------
  /// Batches that make one step; the last step of an epoch takes those that are left. The gradient is that of the mean
  /// loss over all of their rows.
  int64_t accumulate = 1;
  optim::Schedule schedule = {};                      ///< of the steps made before; none: the factor stays as it is
  std::optional<optim::PlateauOptions> plateau = {};  ///< watches `monitor`; its factor multiplies the schedule's
  std::optional<double> clip_grad_value = {};         ///< before clip_grad_norm
  std::optional<double> clip_grad_norm = {};
  std::optional<optim::EMAOptions> ema = {};  ///< an average of the weights; validations then use it
  /// A loss or norm that is infinite or NaN does not end the run.
  bool allow_nonfinite = false;
  std::optional<RandomnessOptions> randomness = {};  ///< for seed_everything(), which the constructor calls
  /// Rows that are computed at a time. The rows of a step, of however many batches, are cut into shards of so many. The
  /// processes share the shards, and add gradients in an order that depends on neither (docs/distributed.md). A step has
  /// at most 65536 shards, and at least as many as there are processes. None: an eighth of a batch, rounded up, where
  /// mpirun started the program; else a batch, and no shards where a step has one batch; or what the checkpoint says.
  std::optional<int64_t> shard_rows = {};
  /// Each process keeps and computes a part of the optimiser's state only. Changes no bits.
  bool shard_optimizer = false;

  // -- validation, if validate() was called -------------------------------------------------------------------------
  Every validate_every = {.epochs = 1};
  std::string monitor = "";       ///< the metric that early stopping, the best checkpoint and `plateau` watch
  bool larger_is_better = false;  ///< of `monitor`
  int64_t patience = 0;           ///< the run ends after so many validations in a row without a new best; 0: never

  // -- files ---------------------------------------------------------------------------------------------------------
  std::string folder = "";           ///< of the checkpoints; none: no checkpoints
  Every save_every = {.epochs = 1};  ///< beside the run's end, where there always is one
  int64_t keep = 3;                  ///< so many of the latest checkpoints stay; 0: all
  /// Continue with the folder's latest checkpoint; where there is none, begin. Without it a folder that has checkpoints
  /// is an error, so that no run spoils another.
  bool resume = false;
  /// A file of JSON lines, docs/training.md; the same bytes in every run that repeats. A new run's must not exist yet,
  /// or be empty.
  std::string log = "";

  // -- the terminal --------------------------------------------------------------------------------------------------
  bool progress = true;  ///< on stderr: a bar where that is a terminal, elsewhere a line for each epoch
  /// Ctrl-C ends the run after its step; a second one ends the program. For one fit() at a time.
  bool handle_interrupt = true;
};

/// Why a run ended.
enum class TrainEnd {
  finished,       ///< all epochs or steps are made
  early_stopped,  ///< by `patience`
  stopped,        ///< by Trainer::stop()
  interrupted,    ///< by Ctrl-C
};
std::string_view name(TrainEnd);

/// Of the whole run, all resumed parts of it included; only `seconds` is this call's.
struct TrainResult {
  TrainEnd end = TrainEnd::finished;
  int64_t epochs = 0;  ///< that were finished
  int64_t steps = 0;
  double loss = 0;                         ///< as TrainerStatus::epoch_loss, of the last finished epoch, or NaN
  NamedNumbers metrics = {};               ///< of the last validation
  std::optional<double> best = {};         ///< of `monitor`
  std::string weights = {};                ///< sha256_hex of the parameters
  std::vector<std::string> epoch_weights;  ///< the same after each epoch
  uint64_t seed = 0;
  double seconds = 0;
};

}  // namespace ordo

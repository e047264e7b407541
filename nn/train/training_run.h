// TrainingRun: one call of Trainer::fit(). Internal to nn.
#pragma once

#include <optional>

#include <ordo/nn/distributed/sharded_step.h>
#include <ordo/nn/optim/schedule.h>
#include <ordo/nn/train/run_log.h>
#include <ordo/nn/train/terminal.h>
#include <ordo/nn/train/trainer.h>

namespace ordo::detail {

/// What a run knows of its past, as a part of its checkpoints.
struct RunState {
  int64_t epochs = 0;  // finished
  int64_t steps = 0;
  int64_t batches = 0;     // of the epoch under way
  double loss_sum = 0;     // of its batches, each times its weight_of()
  double loss_weight = 0;  // sum of these; negative in checkpoints of 0.2, whose batches had the weight 1
  double loss = 0;         // mean of the last epoch that was finished
  double last_loss = 0;    // of the last step
  double best = 0;         // of the metric that is watched
  int64_t validations = 0;
  int64_t worse = 0;  // validations since the best
  int64_t log_bytes = 0;
  uint64_t seed = 0;
  int64_t shard_rows = 0;            // 0: whole batches
  int64_t shards_of_batch = 0;       // instead of them, in checkpoints of 0.2
  NamedNumbers metrics;              // of the last validation
  std::vector<std::string> weights;  // sha256 after each epoch

  nn::NamedTensorList state_dict() const;
  nn::Commit prepare_state_dict(const nn::NamedTensorList& state);
};

class TrainingRun {
 public:
  TrainingRun(Trainer& trainer, const TrainingWork& work);
  ~TrainingRun();
  TrainingRun(TrainingRun&&) = delete;
  TrainResult go();

 private:
  // -- beginning and end
  void open_files();
  void resume();
  void prepare_shards();            ///< several processes, batches or shards
  std::string description() const;  ///< what must be the same in all processes when the run begins
  void write_beginning();
  void write_end(const std::string& weights);
  TrainResult result() const;

  // -- the loop. Each returns whether the run goes on
  bool epoch();
  bool batch(const TrainingWork::Loss& loss);
  bool shard(const TrainingWork::Loss& loss);
  bool settle(bool epoch_ended);  ///< what is due after a step: validation, the epoch's line, a checkpoint
  void begin_step();
  void add_losses(const std::vector<double>& losses);
  int64_t rows_of(int64_t first, int64_t batches) const;
  double weight_of(int64_t batch) const;  ///< in the mean of an epoch: its rows, or 1
  void end_step();
  void agree_to_end();

  void validate();
  void write(JsonLine& line);
  void save();
  void show_epoch();
  void check_finite(const char* what, double value) const;
  bool early_stopped() const { return options_.patience > 0 && state_.worse >= options_.patience; }
  bool finished() const;
  bool must_end() const;
  bool is_main() const { return rank_ == 0; }
  bool has_diff_rank_seed() const;

  // -- if each process has a part of the optimiser's state
  bool shards_optimizer() const;
  void step_of_part();
  void keep_own_state();
  void gather_optimizer();
  bool due(const Every& every, bool epoch_ended) const;
  int64_t steps_in_all() const;

  Trainer& trainer_;
  const TrainerOptions& options_;
  const TrainingWork& work_;
  RunState state_;
  optim::EMA* average_;
  std::optional<optim::Plateau> plateau_;
  Checkpoint checkpoint_;
  std::optional<CheckpointFolder> folder_;
  std::optional<RunLog> log_;
  std::optional<Progress> progress_;
  InterruptGuard interrupt_;
  const int64_t rank_, world_size_;
  std::unique_ptr<ShardedStep> sharded_;
  int64_t shards_ = 1;          // of a step, at most
  distributed::PartRange own_;  // this process's
  int64_t shards_taken_ = 0;    // of them, of the step under way
  bool interrupted_ = false;    // one of the processes

  int64_t batches_ = 0;    // of an epoch
  int64_t group_ = 0;      // batches of the step under way
  int64_t taken_ = 0;      // of them
  double step_loss_ = 0;   // sum over them, or over the step's shards
  TensorList losses_;      // theirs, if not yet read
  bool improved_ = false;  // by the last validation
};

}  // namespace ordo::detail

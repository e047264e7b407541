#include <ordo/nn/train/training_run.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/distributed/collectives.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/audit/recording.h>
#include <ordo/nn/checksum.h>
#include <ordo/nn/optim/clip_grad.h>

namespace ordo::detail {
namespace {

/// The model's parameters are the averages until end(), or until an error leaves the scope.
class WithAverages {
 public:
  explicit WithAverages(optim::EMA* average) : average_(average) {
    if (average_) average_->swap();
  }
  ~WithAverages() {
    try {
      end();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "the model keeps its average weights: %s\n", error.what());
    }
  }
  void end() {
    if (optim::EMA* const average = std::exchange(average_, nullptr)) average->swap();
  }
  WithAverages(WithAverages&&) = delete;

 private:
  optim::EMA* average_;
};

}  // namespace

TrainingRun::TrainingRun(Trainer& trainer, const TrainingWork& work)
    : trainer_(trainer),
      options_(trainer.options_),
      work_(work),
      average_(trainer.average_.get()),
      checkpoint_(trainer.extra_),
      interrupt_(options_.handle_interrupt),
      rank_(distributed::rank()),
      world_size_(distributed::world_size()) {
  state_.seed = trainer.randomness_.seed;
  state_.loss = std::numeric_limits<double>::quiet_NaN();
  if (options_.plateau) plateau_.emplace(*options_.plateau);
  batches_ = work.batches();
  ORDO_CHECK(batches_ > 0, ValueError, "Trainer", "the loader has no batches");
  checkpoint_.add("model", work.model);
  checkpoint_.add("optimizer", work.optimizer);
  checkpoint_.add("generator", default_generator());
  checkpoint_.add("trainer", state_);
  if (work.add_loader) work.add_loader(checkpoint_);
  if (average_) checkpoint_.add("average", *average_);
  if (plateau_) checkpoint_.add("plateau", *plateau_);
}

// -- the loop ---------------------------------------------------------------------------------------------------------

TrainResult TrainingRun::go() {
  open_files();
  prepare_shards();
  if (log_ && state_.log_bytes == 0) write_beginning();
  audit::number_step(state_.steps + 1);
  progress_.emplace(options_.progress && is_main(), state_.steps, steps_in_all());
  trainer_.call(On::run_begin);
  if (!must_end())
    while (epoch()) {
    }
  TrainResult all = result();
  write_end(all.weights);
  trainer_.call(On::run_end);
  all.seconds = progress_->seconds();
  return all;
}

bool TrainingRun::epoch() {
  batches_ = work_.batches();
  trainer_.status_.epoch = state_.epochs + 1;
  if (sharded_) work_.deliver_parts(state_.shard_rows, own_.first, own_.last, std::min(options_.accumulate, batches_));
  if (std::exchange(state_.loss_weight, std::max(state_.loss_weight, 0.0)) < 0) {
    for (int64_t i = 0; i < state_.batches; ++i) state_.loss_weight += weight_of(i);
    if (state_.batches > 0) state_.loss_sum *= state_.loss_weight / double(state_.batches);
  }
  if (state_.batches == 0) {
    state_.loss_sum = state_.loss_weight = 0;
    trainer_.call(On::epoch_begin);
  }
  bool goes_on = true;
  work_.each_batch([&](const TrainingWork::Loss& loss) { return goes_on = sharded_ ? shard(loss) : batch(loss); });
  if (!goes_on) return false;
  ORDO_CHECK(state_.batches == batches_, ValueError, "Trainer", "the loader's size is {}, but it gave {} batches",
             batches_, state_.batches);
  return settle(true);
}

bool TrainingRun::batch(const TrainingWork::Loss& loss_of_batch) {
  ORDO_CHECK(state_.batches < batches_, ValueError, "Trainer", "the loader's size is {}, but it gave more batches",
             batches_);
  if (taken_ == 0) begin_step();
  const Tensor loss = loss_of_batch();
  expect_defined("Trainer", loss, "loss");
  ORDO_CHECK(loss.numel() == 1, ShapeError, "Trainer", "the loss must have one element, but has sizes {}",
             loss.sizes());
  losses_.push_back(loss.detach());
  (group_ == 1 ? loss : loss / double(group_)).backward();
  ++state_.batches;
  if (++taken_ < group_) return true;
  end_step();
  // What is due after an epoch's last step is settled when the loader knows that the epoch is over.
  return state_.batches == batches_ || settle(false);
}

// Only one shard at a time has gradients.
bool TrainingRun::shard(const TrainingWork::Loss& loss) {
  ORDO_CHECK(state_.batches < batches_, ValueError, "Trainer", "the loader's size is {}, but it gave more batches",
             batches_);
  if (shards_taken_ == 0) {
    begin_step();
    const int64_t rows = rows_of(state_.batches, group_);
    ORDO_CHECK((rows - 1) / state_.shard_rows < shards_, ValueError, "Trainer",
               "a step has {} rows, which are more than {} shards of {} rows", rows, shards_, state_.shard_rows);
    ShardedStep::follow(sharded_, work_.model, work_.optimizer.parameters());
    sharded_->begin(rows, state_.shard_rows, shards_);
  }
  sharded_->run(own_.first + shards_taken_, loss);
  if (++shards_taken_ < own_.count()) return true;
  shards_taken_ = 0;
  sharded_->finish();
  state_.batches += group_;
  end_step();
  return state_.batches == batches_ || settle(false);
}

int64_t TrainingRun::rows_of(int64_t first, int64_t batches) const {
  int64_t rows = 0;
  for (int64_t i = 0; i < batches; ++i) rows += work_.rows_of(first + i);
  return rows;
}

double TrainingRun::weight_of(int64_t batch) const { return work_.rows_of ? double(work_.rows_of(batch)) : 1.0; }

void TrainingRun::begin_step() {
  trainer_.status_.batch = state_.batches + 1;
  trainer_.line_open_ = true;
  trainer_.call(On::step_begin);
  work_.optimizer.zero_grad();
  group_ = std::min(options_.accumulate, batches_ - state_.batches);
  step_loss_ = 0;
}

/// Of the batches of the step under way, or of their shards together.
void TrainingRun::add_losses(const std::vector<double>& losses) {
  taken_ = 0;
  for (const double value : losses) {
    check_finite("loss", value);
    step_loss_ += value;
    ++taken_;
  }
  step_loss_ /= double(losses.size());
  double weight = 0;
  for (int64_t i = 1; i <= group_; ++i) weight += weight_of(state_.batches - i);
  state_.loss_weight += weight;
  state_.loss_sum += step_loss_ * weight;
}

void TrainingRun::end_step() {
  optim::Optimizer& optimizer = work_.optimizer;
  TrainerStatus& status = trainer_.status_;
  if (options_.clip_grad_value) optim::clip_grad_value_(optimizer.parameters(), *options_.clip_grad_value);
  // One wait for all numbers: the device has the backward pass queued.
  TensorList numbers = std::move(losses_);
  losses_.clear();
  if (options_.clip_grad_norm)
    numbers.push_back(optim::clip_grad_norm_(optimizer.parameters(), *options_.clip_grad_norm));
  std::vector<double> values = sharded_ ? sharded_->loss_and(numbers) : values_of(numbers);
  if (options_.clip_grad_norm) {
    status.grad_norm = values.back();
    values.pop_back();
  }
  add_losses(values);
  if (status.grad_norm) check_finite("gradient's norm", *status.grad_norm);
  if (options_.schedule || plateau_)
    optimizer.set_lr_factor((options_.schedule ? options_.schedule(state_.steps) : 1.0) *
                            (plateau_ ? plateau_->factor() : 1.0));
  status.lr = optimizer.lr();
  shards_optimizer() ? step_of_part() : optimizer.step();
  if (average_) average_->update();
  status.step = ++state_.steps;
  audit::number_step(state_.steps + 1);
  status.batch = state_.batches;
  status.loss = state_.last_loss = step_loss_;
  status.epoch_loss = state_.loss_sum / state_.loss_weight;
  taken_ = 0;
  trainer_.call(On::step_end);
  trainer_.line_open_ = false;
  JsonLine line("step");
  line.add("epoch", status.epoch).add("step", status.step).add("loss", status.loss).add("lr", status.lr);
  if (status.grad_norm) line.add("grad_norm", *status.grad_norm);
  write(line);
  const std::string epochs = options_.epochs > 0 ? fmt::format("/{}", options_.epochs) : "";
  progress_->step(status.step, fmt::format("epoch {}{}", status.epoch, epochs), status.epoch_loss);
}

/// With the numbers that the program has given to log().
void TrainingRun::write(JsonLine& line) {
  if (!trainer_.logged_.empty()) line.add("logged", trainer_.logged_);
  trainer_.logged_.clear();
  if (log_) log_->write(line);
}

bool TrainingRun::settle(bool epoch_ended) {
  if (sharded_) work_.deliver_batches();  // a validation may use the loader
  if (epoch_ended) {
    state_.loss = state_.loss_sum / state_.loss_weight;
    state_.weights.push_back(sha256_hex(work_.model.parameters()));
    if (world_size_ > 1)
      distributed::expect_same(*distributed::World::current().all(), "epoch",
                               fmt::format("epoch {}: weights {}", state_.epochs + 1, state_.weights.back()));
    state_.batches = 0;
    ++state_.epochs;
  }
  improved_ = false;
  if (trainer_.validation_ && due(options_.validate_every, epoch_ended)) validate();
  if (epoch_ended) {
    trainer_.line_open_ = true;
    trainer_.call(On::epoch_end);
    trainer_.line_open_ = false;
    JsonLine line("epoch");
    line.add("epoch", state_.epochs).add("step", state_.steps).add("loss", state_.loss);
    line.add("weights", state_.weights.back());
    write(line);
    show_epoch();
  }
  agree_to_end();
  const bool ends = must_end();
  if (!options_.folder.empty() && (ends || improved_ || due(options_.save_every, epoch_ended))) save();
  return !ends;
}

void TrainingRun::validate() {
  {
    WithAverages averages(average_);
    const NoGrad no_grad;
    trainer_.line_open_ = true;
    trainer_.call(On::validation_begin);
    state_.metrics = trainer_.validation_();
    trainer_.status_.metrics = state_.metrics;
    trainer_.call(On::validation_end);
    trainer_.line_open_ = false;
    averages.end();
  }
  JsonLine line("validation");
  line.add("epoch", trainer_.status_.epoch).add("step", state_.steps).add("metrics", state_.metrics);
  write(line);
  if (options_.monitor.empty()) return;
  const auto watched = std::find_if(state_.metrics.begin(), state_.metrics.end(),
                                    [&](const NamedNumber& m) { return m.name == options_.monitor; });
  ORDO_CHECK(watched != state_.metrics.end(), ValueError, "Trainer", "the validation gives no metric '{}' to monitor",
             options_.monitor);
  const double value = watched->value;
  improved_ = !std::isnan(value) && (state_.validations == state_.worse ||
                                     (options_.larger_is_better ? value > state_.best : value < state_.best));
  ++state_.validations;
  state_.worse = improved_ ? 0 : state_.worse + 1;
  if (improved_) state_.best = value;
  if (plateau_) plateau_->update(value);
}

void TrainingRun::save() {
  trainer_.call(On::checkpoint_begin);
  if (shards_optimizer()) gather_optimizer();
  if (!is_main()) return trainer_.call(On::checkpoint_end);
  if (log_) {
    log_->flush();
    state_.log_bytes = log_->bytes();
  }
  // The best comes first: a run that is killed between the two makes it again.
  if (improved_) folder_->save_best(checkpoint_, state_.best);
  folder_->save(checkpoint_, state_.steps);
  if (shards_optimizer()) keep_own_state();
  trainer_.call(On::checkpoint_end);
}

// -- what is due ------------------------------------------------------------------------------------------------------

bool TrainingRun::due(const Every& every, bool epoch_ended) const {
  return (every.steps > 0 && state_.steps % every.steps == 0) ||
         (epoch_ended && every.epochs > 0 && state_.epochs % every.epochs == 0);
}

bool TrainingRun::finished() const {
  return (options_.steps > 0 && state_.steps >= options_.steps) ||
         (options_.epochs > 0 && state_.epochs >= options_.epochs);
}

bool TrainingRun::must_end() const { return finished() || early_stopped() || trainer_.stop_ || interrupted_; }

int64_t TrainingRun::steps_in_all() const {
  const int64_t per_epoch = (batches_ - 1) / options_.accumulate + 1;
  const int64_t by_epochs = options_.epochs > 0 ? options_.epochs * per_epoch : INT64_MAX;
  return options_.steps > 0 ? std::min(options_.steps, by_epochs) : by_epochs;
}

void TrainingRun::check_finite(const char* what, double value) const {
  if (options_.allow_nonfinite || std::isfinite(value)) return;
  fail<ValueError>("Trainer",
                   "the {} of step {} (epoch {}, batch {}) is {}; a lower learning rate or clipped gradients may help; "
                   "allow_nonfinite goes on regardless",
                   what, state_.steps + 1, trainer_.status_.epoch,
                   trainer_.status_.batch + std::min(taken_, group_ - 1), value);
}

}  // namespace ordo::detail

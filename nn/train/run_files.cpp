// TrainingRun: its files and records, at the beginning and at the end.
#include <filesystem>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/distributed/collectives.h>
#include <ordo/engine/distributed/reduction_tree.h>
#include <ordo/engine/run/about.h>
#include <ordo/nn/checksum.h>
#include <ordo/nn/state/entries.h>
#include <ordo/nn/train/training_run.h>

namespace ordo::detail {

constexpr int64_t kLogVersion = 1;

/// What the bits of a run may depend on at the level run_to_run. The number of threads is none of it.
static std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (const LibraryVersion& library : libraries()) all.push_back(library.name + " " + library.version);
  for (std::string& setting : library_settings()) all.push_back(std::move(setting));
  for (const DeviceDescription& device : devices()) all.push_back(device.device.str() + ": " + device.name);
  return all;
}

void TrainingRun::open_files() {
  TrainerStatus& status = trainer_.status_;
  if (!options_.folder.empty()) resume();
  status.epoch = state_.epochs + (state_.batches > 0);
  status.step = state_.steps;
  status.batch = state_.batches;
  status.loss = state_.last_loss;
  status.lr = work_.optimizer.lr();
  status.metrics = state_.metrics;
  if (options_.log.empty() || !is_main()) return;
  log_.emplace(options_.log, state_.log_bytes, options_.resume);
}

// One process looks after the folder, and says which checkpoint all of them read.
void TrainingRun::resume() {
  ORDO_CHECK(work_.add_loader, ValueError, "Trainer",
             "checkpoints need a loader with state_dict() and prepare_state_dict()");
  std::string latest;
  if (is_main()) {
    const CheckpointFolderOptions options{.keep = options_.keep, .larger_is_better = options_.larger_is_better};
    folder_.emplace(options_.folder, options);
    latest = folder_->latest().value_or("");
    const std::string any = latest.empty() ? folder_->best().value_or("") : latest;
    ORDO_CHECK(any.empty() || options_.resume, ValueError, "Trainer",
               "{} is of an earlier run; resume it, or choose another folder", any);
    if (latest.empty() &&
        !any.empty()) {  // of a run that was killed before its first checkpoint, and that now begins again
      std::error_code error;
      std::filesystem::remove(any, error);
      ORDO_CHECK(!error, DataError, "Trainer", "{}: cannot be removed: {}", any, error.message());
      folder_.emplace(options_.folder, options);
    }
  }
  latest = distributed::broadcast_text(*distributed::World::current().all(), "Trainer", latest);
  if (latest.empty()) return;
  checkpoint_.load(latest);
  const bool same = state_.shards_of_batch > 1 || options_.shard_rows.value_or(state_.shard_rows) == state_.shard_rows;
  ORDO_CHECK(same, ValueError, "Trainer",
             "{} is of a run with shards of {} rows, this one has {}; the bits depend on it", latest, state_.shard_rows,
             *options_.shard_rows);
}

void TrainingRun::write_beginning() {
  JsonLine line("begin");
  line.add("format", "ordo run").add("version", kLogVersion);
  line.add("epochs", options_.epochs).add("steps", options_.steps).add("batches_per_epoch", batches_);
  line.add("accumulate", options_.accumulate);
  line.add("model", work_.model.description()).add("parameters", work_.model.parameter_count());
  line.add("schedule", bool(options_.schedule)).add("plateau", plateau_.has_value());
  line.add("lr", work_.optimizer.lr());
  if (options_.clip_grad_value) line.add("clip_grad_value", *options_.clip_grad_value);
  if (options_.clip_grad_norm) line.add("clip_grad_norm", *options_.clip_grad_norm);
  if (options_.ema) line.add("ema_decay", options_.ema->decay);
  if (!options_.monitor.empty())
    line.add("monitor", options_.monitor).add("larger_is_better", options_.larger_is_better);
  if (options_.patience > 0) line.add("patience", options_.patience);
  if (state_.shard_rows != 0) line.add("shard_rows", state_.shard_rows);
  line.add("seed", state_.seed).add("level", name(determinism()));
  log_->write(line);
}

void TrainingRun::write_end(const std::string& weights) {
  // One that is resumed will end like one that was never interrupted.
  if (!log_ || !(finished() || early_stopped())) return;
  JsonLine line("end");
  line.add("reason", name(finished() ? TrainEnd::finished : TrainEnd::early_stopped));
  line.add("epochs", state_.epochs).add("steps", state_.steps).add("loss", state_.loss);
  line.add("metrics", state_.metrics).add("weights", weights).add("epoch_weights", state_.weights);
  line.add("seed", state_.seed);
  if (trainer_.randomness_.rank_seed != trainer_.randomness_.seed) line.add("rank", trainer_.randomness_.rank);
  line.add("level", name(determinism())).add("ordo", version()).add("ordering_contract", int64_t(ordering_contract()));
  line.add("environment", environment());
  log_->write(line);
  log_->flush();
}

TrainResult TrainingRun::result() const {
  TrainResult all;
  all.end = finished()        ? TrainEnd::finished
            : early_stopped() ? TrainEnd::early_stopped
            : interrupted_    ? TrainEnd::interrupted
                              : TrainEnd::stopped;
  all.epochs = state_.epochs;
  all.steps = state_.steps;
  all.loss = state_.loss;
  all.metrics = state_.metrics;
  if (state_.validations > state_.worse) all.best = state_.best;
  all.weights = sha256_hex(work_.model.parameters());
  all.epoch_weights = state_.weights;
  all.seed = state_.seed;
  return all;
}

void TrainingRun::show_epoch() {
  std::string text = fmt::format("epoch {}  step {}  loss {:.6g}", state_.epochs, state_.steps, state_.loss);
  for (const NamedNumber& metric : state_.metrics) text += fmt::format("  {} {:.6g}", metric.name, metric.value);
  progress_->line(text + fmt::format("  {:.1f} s", progress_->seconds()));
}

// -- RunState as a state dict ----------------------------------------------------------------------------------------

constexpr int64_t kHashDigits = 64;
constexpr const char *kMetric = "metric.", *kWeights = "weights";

/// Calls f(name, number) for every number of the state.
template <class State, class F>
static void for_numbers(State& s, F&& f) {
  f("epochs", s.epochs);
  f("steps", s.steps);
  f("batches", s.batches);
  f("loss_sum", s.loss_sum);
  f("loss_weight", s.loss_weight);
  f("loss", s.loss);
  f("last_loss", s.last_loss);
  f("best", s.best);
  f("validations", s.validations);
  f("worse", s.worse);
  f("log_bytes", s.log_bytes);
}

nn::NamedTensorList RunState::state_dict() const {
  nn::NamedTensorList all;
  for_numbers(*this, [&](const char* name, auto number) { all.push_back(nn::state_of(name, number)); });
  all.push_back(nn::state_of("seed", int64_t(seed)));
  if (shard_rows != 0) all.push_back(nn::state_of("shard_rows", shard_rows));
  for (size_t i = 0; i < metrics.size(); ++i)  // files sort by name
    all.push_back(nn::state_of(fmt::format("{}{:04}.{}", kMetric, i, metrics[i].name), metrics[i].value));
  std::vector<uint8_t> digits;
  for (const std::string& hash : weights) digits.insert(digits.end(), hash.begin(), hash.end());
  all.push_back({kWeights, from_vector(digits, {int64_t(weights.size()), kHashDigits})});
  return all;
}

nn::Commit RunState::prepare_state_dict(const nn::NamedTensorList& state) {
  nn::Entries given("Trainer", state);
  RunState loaded;
  for_numbers(loaded, [&]<class N>(const char* name, N& number) {
    number = name == std::string("loss_weight") && !given.has(name) ? N(-1) : given.take<N>(name);
  });
  loaded.seed = uint64_t(given.take<int64_t>("seed"));
  if (given.has("shard_rows")) loaded.shard_rows = given.take<int64_t>("shard_rows");
  if (given.has("shards")) loaded.shards_of_batch = given.take<int64_t>("shards");
  for (const auto& entry : nn::within_prefix(kMetric, state))
    loaded.metrics.push_back({entry.name.substr(entry.name.find('.') + 1), given.take<double>(kMetric + entry.name)});
  const Tensor hashes = given.take(kWeights, {loaded.epochs, kHashDigits});
  given.finish();
  ORDO_CHECK(hashes.dtype() == uint8, DTypeError, "Trainer", "'{}' must be uint8, not {}", kWeights, hashes.dtype());
  for (const int64_t number :
       {loaded.steps, loaded.batches, loaded.log_bytes, loaded.shard_rows, loaded.shards_of_batch})
    ORDO_CHECK(number >= 0, ValueError, "Trainer", "the state has negative numbers");
  const auto digits = hashes.to_vector<uint8_t>();
  for (auto d = digits.begin(); d != digits.end(); d += kHashDigits) loaded.weights.emplace_back(d, d + kHashDigits);
  return [this, loaded] { *this = loaded; };
}

}  // namespace ordo::detail

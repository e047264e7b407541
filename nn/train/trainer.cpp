#include <ordo/nn/train/trainer.h>

#include <iterator>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/engine/distributed/collectives.h>
#include <ordo/engine/distributed/reduction_tree.h>
#include <ordo/engine/run/generator.h>
#include <ordo/nn/train/training_run.h>

namespace ordo {

std::string_view name(TrainEnd end) {
  constexpr std::string_view kNames[] = {"finished", "early_stopped", "stopped", "interrupted"};
  return size_t(end) < std::size(kNames) ? kNames[size_t(end)] : "invalid";
}

Trainer::Trainer(TrainerOptions options) : options_(std::move(options)) {
  const ordo::detail::LibraryCall library;
  const TrainerOptions& o = options_;
  const auto at_least = [](const char* option, int64_t value, int64_t least) {
    ORDO_CHECK(value >= least, ValueError, "Trainer", "needs {} of at least {}, not {}", option, least, value);
  };
  at_least("epochs", o.epochs, 0);
  at_least("steps", o.steps, 0);
  at_least("accumulate", o.accumulate, 1);
  at_least("patience", o.patience, 0);
  at_least("keep", o.keep, 0);
  for (const Every& every : {o.validate_every, o.save_every}) {
    at_least("steps of validate_every and save_every", every.steps, 0);
    at_least("epochs of validate_every and save_every", every.epochs, 0);
  }
  ORDO_CHECK(o.epochs > 0 || o.steps > 0, ValueError, "Trainer", "needs a number of epochs or of steps");
  ORDO_CHECK(!o.monitor.empty() || (o.patience == 0 && !o.plateau), ValueError, "Trainer",
             "patience and plateau need the name of a metric to monitor");
  ORDO_CHECK(!o.plateau || o.plateau->larger_is_better == o.larger_is_better, ValueError, "Trainer",
             "larger_is_better must be the same of the plateau and of the Trainer");
  ORDO_CHECK(!o.resume || !o.folder.empty(), ValueError, "Trainer", "needs the folder of the run to resume");
  if (o.shard_rows) at_least("shard_rows", *o.shard_rows, 1);
  if (distributed::is_launched()) distributed::init();
  if (!o.randomness) return;
  RandomnessOptions randomness = *o.randomness;
  if (!randomness.seed && distributed::world_size() > 1)  // one for all
    randomness.seed = std::stoull(distributed::broadcast_text(*distributed::World::current().all(), "Trainer",
                                                              std::to_string(seed_everything().seed)));
  if (!randomness.rank) randomness.rank = distributed::rank();
  randomness_ = seed_everything(randomness);
}

Trainer::~Trainer() = default;

void Trainer::validate(std::function<NamedNumbers()> validation) {
  ORDO_CHECK(validation, ValueError, "Trainer", "the validation is an empty function");
  validation_ = std::move(validation);
}

void Trainer::on(On moment, std::function<void(Trainer&)> callback) {
  const ordo::detail::LibraryCall library;
  detail::expect_enumerator("Trainer", moment, On::checkpoint_end, "a moment to call back at");
  ORDO_CHECK(callback, ValueError, "Trainer", "the callback is an empty function");
  callbacks_.emplace_back(moment, std::move(callback));
}

void Trainer::call(On moment) {
  for (size_t i = 0; i < callbacks_.size(); ++i)  // a callback may add others
    if (callbacks_[i].first == moment) callbacks_[i].second(*this);
}

void Trainer::log(const std::string& name, double value) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(line_open_, ValueError, "Trainer",
             "log('{}') is for losses, and for callbacks of steps, validations and the end of epochs", name);
  for (NamedNumber& other : logged_)
    if (other.name == name) return void(other.value = value);
  logged_.push_back({name, value});
}

TrainResult Trainer::run(const detail::TrainingWork& work) {
  ORDO_CHECK(options_.monitor.empty() || validation_, ValueError, "Trainer",
             "needs validate() before fit(), to monitor '{}'", options_.monitor);
  if (!options_.randomness) {
    const uint64_t seed = default_generator().state().seed;
    randomness_ = {.seed = seed, .rank_seed = seed, .level = determinism()};
  }
  status_ = {};
  logged_.clear();
  line_open_ = stop_ = false;
  average_ = options_.ema ? std::make_unique<optim::EMA>(work.model.parameters(), *options_.ema) : nullptr;
  try {
    return detail::TrainingRun(*this, work).go();
  } catch (const std::exception& error) {
    line_open_ = false;
    distributed::fail_job(error.what());  // the other processes would wait for this one
    throw;
  } catch (...) {
    line_open_ = false;
    distributed::fail_job("an exception that is not a std::exception");
    throw;
  }
}

}  // namespace ordo

// TrainingRun: what several processes share.
#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/distributed/collectives.h>
#include <ordo/engine/run/determinism.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/distributed/collectives.h>
#include <ordo/kernels/fingerprint/fingerprint.h>
#include <ordo/nn/train/training_run.h>

namespace ordo::detail {

constexpr int64_t kShardsOfBatch = 8;  // under mpirun

static int64_t divided_up(int64_t n, int64_t by) { return (n - 1) / by + 1; }

static std::string fingerprint_of(const nn::NamedTensorList& entries) {
  TensorList tensors;
  for (const auto& entry : entries) tensors.push_back(entry.tensor);
  std::string text;
  for (const Fingerprint& f : kernels::fingerprints(tensors)) text += f.str();
  return text;
}

/// The process that makes the step of each parameter: contiguous parts of about as many bytes.
static std::vector<int> owners_of(const TensorList& parameters, int64_t ranks) {
  size_t all = 0, before = 0;
  for (const Tensor& p : parameters) all += p.nbytes();
  std::vector<int> owners;
  for (const Tensor& p : parameters) {
    owners.push_back(int(std::min<size_t>(size_t(ranks) - 1, (before + p.nbytes() / 2) * size_t(ranks) / (all + 1))));
    before += p.nbytes();
  }
  return owners;
}

/// The number in "state.3.exp_avg"; none in entries of all parameters.
static std::optional<size_t> parameter_of(const std::string& entry) {
  return entry.starts_with("state.") ? std::optional<size_t>(std::stoul(entry.substr(6))) : std::nullopt;
}

bool TrainingRun::has_diff_rank_seed() const { return options_.randomness && options_.randomness->diff_rank_seed; }
bool TrainingRun::shards_optimizer() const { return options_.shard_optimizer && world_size_ > 1; }

void TrainingRun::prepare_shards() {
  const bool several = world_size_ > 1 || distributed::is_launched();
  if (work_.deliver_parts) {
    const int64_t rows = work_.rows_of(0);
    int64_t& shard_rows = state_.shard_rows;
    if (state_.steps == 0) shard_rows = options_.shard_rows.value_or(several ? divided_up(rows, kShardsOfBatch) : 0);
    const int64_t of_batch = std::max(options_.shard_rows ? 1 : kShardsOfBatch, state_.shards_of_batch);
    if (state_.shards_of_batch > 1) shard_rows = divided_up(rows, std::exchange(state_.shards_of_batch, 0));
    if (shard_rows == 0 && options_.accumulate > 1) shard_rows = rows;
    if (shard_rows > 0) shards_ = divided_up(rows_of(0, std::min(options_.accumulate, batches_)), shard_rows);
    // An eighth of 20 rows is 3, and makes 7 shards: the eighth process computes nothing, which changes no bits.
    if (shard_rows > 0 && several) shards_ = std::max(shards_, std::min(world_size_, of_batch));
  } else {
    ORDO_CHECK(!several && !options_.shard_rows, ValueError, "Trainer",
               "cuts batches of a data::DataLoader into shards, or of a loader with its deliver_parts(), "
               "deliver_batches() and rows_of()");
  }
  ORDO_CHECK(shards_ <= distributed::kMostShards, ValueError, "Trainer",
             "has shards of {} rows, {} a step; at most {} are possible", state_.shard_rows, shards_,
             distributed::kMostShards);
  ORDO_CHECK(world_size_ <= shards_, ValueError, "Trainer",
             "{} processes cannot share {} shards; start fewer, or set `shard_rows` in a new run", world_size_,
             shards_);
  own_ = distributed::shards_of(shards_, rank_, world_size_);
  if (world_size_ > 1) {
    if (has_diff_rank_seed() && state_.steps == 0)
      for (const auto& [name, tensor] : work_.model.state_dict())
        kernels::copy_(tensor, kernels::broadcast(tensor, 0, {}));
    distributed::expect_same(*distributed::World::current().all(), "Trainer", description());
  }
  if (shards_optimizer()) keep_own_state();
  if (state_.shard_rows == 0) return;
  ShardedStep::follow(sharded_, work_.model, work_.optimizer.parameters());
}

TrainingRun::~TrainingRun() {
  if (sharded_) work_.deliver_batches();
}

std::string TrainingRun::description() const {
  std::string lines = fmt::format("level {}\nrows of a shard {}\naccumulate {}\nbatches in an epoch {}\nstep {}\n",
                                  name(determinism()), state_.shard_rows, options_.accumulate, batches_, state_.steps);
  if (!has_diff_rank_seed()) {
    const GeneratorState draws = default_generator().state();
    lines +=
        fmt::format("seed {}\nrandom numbers from ({}, {}, {})\n", state_.seed, draws.seed, draws.stream, draws.offset);
  }
  const auto entries = work_.model.state_dict();
  for (const auto& [name, tensor] : entries)
    lines += fmt::format("{} {} {}\n", name, ordo::name(tensor.dtype()), tensor.sizes());
  for (const auto& entry : entries) lines += fmt::format("{} {}\n", entry.name, fingerprint_of({entry}));
  if (!shards_optimizer()) lines += fmt::format("optimizer {}\n", fingerprint_of(work_.optimizer.state_dict()));
  return lines;
}

void TrainingRun::agree_to_end() {
  interrupted_ = interrupted_ || interrupt_.interrupted();
  if (world_size_ == 1) return;
  const std::string mine = std::string(trainer_.stop_ ? "s" : "") + (interrupted_ ? "i" : "");
  for (const std::string& text : distributed::gather_text(*distributed::World::current().all(), "stop", mine)) {
    trainer_.stop_ = trainer_.stop_ || text.find('s') != std::string::npos;
    interrupted_ = interrupted_ || text.find('i') != std::string::npos;
  }
}

// -- a part of the optimiser's state in each process (Rajbhandari et al., "ZeRO", 2020, stage 1) ----------------------

// A parameter without a gradient is none of the optimiser's business; so each process sees gradients of its own only.
void TrainingRun::step_of_part() {
  const TensorList& parameters = work_.optimizer.parameters();
  const std::vector<int> owners = owners_of(parameters, world_size_);
  for (size_t i = 0; i < parameters.size(); ++i)
    if (Tensor p = parameters[i]; owners[i] != rank_) p.zero_grad();
  work_.optimizer.step();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].requires_grad()) continue;  // frozen
    const Tensor p = parameters[i].detach();
    kernels::copy_(p, kernels::broadcast(p, owners[i], {}));
  }
}

void TrainingRun::keep_own_state() {
  const std::vector<int> owners = owners_of(work_.optimizer.parameters(), world_size_);
  nn::NamedTensorList own;
  for (const auto& entry : work_.optimizer.state_dict())
    if (const auto i = parameter_of(entry.name); !i || owners[*i] == rank_) own.push_back(entry);
  work_.optimizer.prepare_state_dict(own)();
}

// The main process gets the whole state, for a checkpoint.
void TrainingRun::gather_optimizer() {
  distributed::GroupState& all = *distributed::World::current().all();
  nn::NamedTensorList state = work_.optimizer.state_dict();
  const nn::NamedTensorList own = state;
  for (int r = 0; r < all.size(); ++r) {
    std::string list;  // NAME DTYPE DIMENSIONS SIZE...
    if (r == rank_)
      for (const auto& [name, tensor] : own) {
        if (!parameter_of(name)) continue;
        list += fmt::format("{} {} {}", name, ordo::name(tensor.dtype()), tensor.dim());
        for (const int64_t n : tensor.sizes()) list += fmt::format(" {}", n);
        list += "\n";
      }
    std::istringstream lines(distributed::broadcast_text(all, "optimizer", list, r));
    std::string name, dtype;
    int dims = 0;
    while (lines >> name >> dtype >> dims) {
      std::vector<int64_t> sizes(static_cast<size_t>(dims));
      for (int64_t& n : sizes) lines >> n;
      const auto mine = std::find_if(own.begin(), own.end(), [&](const auto& entry) { return entry.name == name; });
      Tensor value = r == rank_ ? mine->tensor : detail::result(sizes, dtype_from_name(dtype), cpu);
      value = kernels::broadcast(value, r, {});
      if (r != rank_ && is_main()) state.push_back({name, value});
    }
  }
  if (is_main()) work_.optimizer.prepare_state_dict(state)();
}

}  // namespace ordo::detail

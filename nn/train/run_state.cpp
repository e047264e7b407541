// RunState as a state dict.
#include <ordo/engine/check.h>
#include <ordo/engine/distributed/reduction_tree.h>
#include <ordo/nn/state/entries.h>
#include <ordo/nn/train/training_run.h>

namespace ordo::detail {
namespace {

constexpr int64_t kHashDigits = 64;
constexpr const char *kMetric = "metric.", *kWeights = "weights";

/// Calls f(name, number) for every number of the state.
template <class State, class F>
void for_numbers(State& s, F&& f) {
  f("epochs", s.epochs);
  f("steps", s.steps);
  f("batches", s.batches);
  f("loss_sum", s.loss_sum);
  f("loss", s.loss);
  f("last_loss", s.last_loss);
  f("best", s.best);
  f("validations", s.validations);
  f("worse", s.worse);
  f("log_bytes", s.log_bytes);
}

}  // namespace

nn::NamedTensorList RunState::state_dict() const {
  nn::NamedTensorList all;
  for_numbers(*this, [&](const char* name, auto number) { all.push_back(nn::state_of(name, number)); });
  all.push_back(nn::state_of("seed", int64_t(seed)));
  if (shards != 1) all.push_back(nn::state_of("shards", shards));
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
  for_numbers(loaded, [&]<class N>(const char* name, N& number) { number = given.take<N>(name); });
  loaded.seed = uint64_t(given.take<int64_t>("seed"));
  if (given.has("shards")) loaded.shards = given.take<int64_t>("shards");
  for (const auto& entry : nn::within_prefix(kMetric, state))
    loaded.metrics.push_back({entry.name.substr(entry.name.find('.') + 1), given.take<double>(kMetric + entry.name)});
  const Tensor hashes = given.take(kWeights, {loaded.epochs, kHashDigits});
  given.finish();
  ORDO_CHECK(hashes.dtype() == uint8, DTypeError, "Trainer", "'{}' must be uint8, not {}", kWeights, hashes.dtype());
  ORDO_CHECK(loaded.steps >= 0 && loaded.batches >= 0 && loaded.log_bytes >= 0, ValueError, "Trainer",
             "the state has negative numbers");
  ORDO_CHECK(loaded.shards >= 1 && loaded.shards <= distributed::kMostShards, ValueError, "Trainer",
             "the state is that of {} shards; there are 1 to {}", loaded.shards, distributed::kMostShards);
  const auto digits = hashes.to_vector<uint8_t>();
  for (auto d = digits.begin(); d != digits.end(); d += kHashDigits) loaded.weights.emplace_back(d, d + kHashDigits);
  return [this, loaded] { *this = loaded; };
}

}  // namespace ordo::detail

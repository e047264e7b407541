// ShardedStep: a step's gradients, computed in shards that processes share. A step's rows are cut into shards of a
// number of rows that the program fixes; the sums over them are made in a binary tree over the shards
// (engine/distributed/reduction_tree.h), so that their bits do not depend on who computed what. docs/distributed.md has
// the rules. Internal to nn.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <ordo/engine/distributed/distributed.h>
#include <ordo/engine/distributed/reduction_tree.h>
#include <ordo/engine/run/generator.h>
#include <ordo/nn/module.h>

namespace ordo::distributed {
class GroupState;
}

namespace ordo::detail {

class ShardedStep {
 public:
  /// `parameters` are those that get gradients.
  ShardedStep(nn::ModuleBase& model, TensorList parameters, distributed::Group group = {});
  ~ShardedStep();
  ShardedStep(ShardedStep&&) = delete;

  /// Makes `step` anew where those of `parameters` that require a gradient are others than its own: between steps,
  /// programs freeze and free some.
  static void follow(std::unique_ptr<ShardedStep>& step, nn::ModuleBase& model, const TensorList& parameters,
                     const distributed::Group& group = {});

  /// A step of `rows` rows; shard s has rows s * shard_rows to (s + 1) * shard_rows, as far as there are such. `shards`
  /// of them are shared by the processes, at least as many as have rows. More change no bits: those without rows add
  /// nothing. Takes numbers from default_generator(), as many whatever is drawn.
  void begin(int64_t rows, int64_t shard_rows, int64_t shards);
  /// This process's, of the step under way.
  distributed::PartRange own() const { return own_; }
  /// Own shards in ascending order. `loss` gives the mean over the shard's rows, which is differentiated; without rows
  /// it is empty.
  void run(int64_t shard, const std::function<Tensor()>& loss);
  /// Puts gradients and buffers together.
  void finish();
  /// After finish(): the step's loss, the mean over its rows, and behind it the values of `others`. The host waits
  /// once, for all.
  std::vector<double> loss_and(const TensorList& others = {});

 private:
  struct Bucket;
  struct Shared;  // with the hooks of parameters, which outlive this object
  struct Record;
  int64_t rows_of(int64_t shard) const;
  void make_buckets();
  void arrived(size_t parameter);
  void collect(Bucket& bucket, int64_t shard);
  void launch(Bucket& bucket);
  void begin_shard();
  void end_shard(int64_t shard);
  /// What each shard of all processes has, in their order, `bytes` of each; the own ones are given.
  std::vector<char> exchange(const char* what, const std::vector<char>& own, size_t bytes);
  std::vector<Record> exchange_records();
  void set_gradients(const std::vector<Record>& records);
  void set_buffers(const std::vector<Record>& records);
  void set_averages(const std::vector<int>& owner, const std::vector<double>& rows);
  void set_counts(const std::vector<int>& owner, int sender);

  const distributed::Group group_;
  distributed::GroupState& members_;
  nn::ModuleBase& model_;
  const TensorList parameters_;
  std::vector<Bucket> buckets_;
  std::vector<size_t> bucket_of_;  // each parameter's
  std::shared_ptr<Shared> shared_;

  // Of the step under way.
  int64_t rows_ = 0, shard_rows_ = 0, shards_ = 0;
  distributed::PartRange own_;
  GeneratorState draws_;
  std::vector<Record> records_;  // of own shards
  TensorList buffers_, before_, integers_;
  std::vector<uint32_t> versions_;
  std::optional<distributed::TreeFold<Tensor>> buffer_sums_;
  bool overlapping_ = false;  // the last backward pass of this process: buckets leave as they fill
  size_t launched_ = 0;
};

/// The values of tensors of one element each, by one copy and one wait for all of them.
std::vector<double> values_of(const TensorList& tensors);

}  // namespace ordo::detail

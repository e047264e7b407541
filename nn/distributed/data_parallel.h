// DataParallel: gradients of a training loop of one's own, computed in several processes.
//
//   distributed::init();
//   nn::DataParallel parallel(model, 8);
//   for (...) {
//     const double loss = parallel.backward(rows, [&](int64_t begin, int64_t end) {
//       return cross_entropy(model(x.slice(0, begin, end)), y.slice(0, begin, end));
//     });
//     optimizer.step();
//   }
//
// samples/own_loop.cpp is a whole program, docs/distributed.md has the rule.
#pragma once

#include <functional>
#include <memory>

#include <ordo/engine/distributed/distributed.h>
#include <ordo/nn/module.h>

namespace ordo::detail {
class ShardedStep;
}

namespace ordo::nn {

/// Gradients that do not depend on the number of processes, as the Trainer makes them: each batch is cut into shards of
/// shard_rows rows, the last one smaller. The processes share the shards, and the sums over them are made in a tree.
/// Processes for which there is no shard wait for the others. Those of a `group` share the batches; others compute other
/// parts of the model (nn/distributed/tensor_parallel.h).
///
/// Throws: the constructor, ValueError when shard_rows is less than 1, or this process is not in the group.
/// PyTorch: torch.nn.parallel.DistributedDataParallel, whose bits depend on the number of processes.
class DataParallel {
 public:
  /// Gives the group the parameters and buffers of its rank 0. The model must live as long as this object.
  DataParallel(ModuleBase& model, int64_t shard_rows, distributed::Group group = {});
  ~DataParallel();
  DataParallel(DataParallel&&) = delete;

  /// Sets the gradients of all parameters that require one to those of the mean loss over a batch of `rows` rows, and
  /// returns that mean. `loss(begin, end)` gives the mean over these rows of the batch; it is called for the shards of
  /// this process. All of the group call backward() with as many rows. An error in one of them ends them all.
  ///
  /// Throws: ValueError when rows is less than 1 or has more than 65536 shards; what loss() throws.
  double backward(int64_t rows, const std::function<Tensor(int64_t begin, int64_t end)>& loss);

 private:
  ModuleBase& model_;
  const int64_t shard_rows_;
  const distributed::Group group_;
  std::unique_ptr<ordo::detail::ShardedStep> step_;
};

}  // namespace ordo::nn

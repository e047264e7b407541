#include <ordo/nn/distributed/data_parallel.h>

#include <algorithm>
#include <utility>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/distributed/collectives.h>
#include <ordo/engine/distributed/world.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/distributed/collectives.h>
#include <ordo/nn/distributed/sharded_step.h>

namespace ordo::nn {

DataParallel::DataParallel(ModuleBase& model, int64_t shard_rows, distributed::Group group)
    : model_(model), shard_rows_(shard_rows), group_(std::move(group)) {
  const ordo::detail::LibraryCall call;
  ORDO_CHECK(shard_rows >= 1, ValueError, "DataParallel", "needs shards of at least 1 row, not {}", shard_rows);
  if (distributed::member_state_of("DataParallel", group_).size() == 1) return;
  for (const auto& [name, tensor] : model.state_dict()) kernels::copy_(tensor, kernels::broadcast(tensor, 0, group_));
}

DataParallel::~DataParallel() = default;

double DataParallel::backward(int64_t rows, const std::function<Tensor(int64_t, int64_t)>& loss) {
  const ordo::detail::LibraryCall call;
  try {
    ORDO_CHECK(rows >= 1, ValueError, "DataParallel", "needs at least 1 row, not {}", rows);
    ORDO_CHECK(loss, ValueError, "DataParallel", "needs a loss to call");
    ordo::detail::ShardedStep::follow(step_, model_, model_.parameters(), group_);
    for (Tensor p : model_.parameters())
      if (p.requires_grad()) p.zero_grad();
    const int64_t shard_rows = std::min(shard_rows_, rows), shards = (rows - 1) / shard_rows + 1;
    ORDO_CHECK(shards <= distributed::kMostShards, ValueError, "DataParallel",
               "{} rows are more than {} shards of {} rows", rows, distributed::kMostShards, shard_rows);
    step_->begin(rows, shard_rows, std::max(shards, distributed::world_size(group_)));
    for (int64_t shard = step_->own().first; shard < step_->own().last; ++shard) {
      const int64_t begin = std::min(shard * shard_rows, rows),
                    end = rows - begin > shard_rows ? begin + shard_rows : rows;
      step_->run(
          shard, begin == end ? std::function<Tensor()>() : [&] { return loss(begin, end); });
    }
    step_->finish();
    return step_->loss_and()[0];
  } catch (const std::exception& error) {
    distributed::fail_job(error.what());  // the other processes would wait for this one
    throw;
  } catch (...) {
    distributed::fail_job("an exception that is not a std::exception");
    throw;
  }
}

}  // namespace ordo::nn

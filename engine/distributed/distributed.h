// Programs of several processes, one result. mpirun starts the processes, MPI moves their bytes:
//
//   distributed::init();                                       // mpirun -n 4 PROGRAM; by itself: one process
//   const Tensor sum = distributed::all_reduce(part);          // the same bits in every process
//   if (distributed::rank() == 0) std::printf("%s\n", sum.str().c_str());
//
// The collectives are operations like all others: autograd/ops/distributed/collectives.h. The Trainer calls init() by
// itself and trains data-parallel: docs/distributed.md.
//
// Every process of a group calls the group's collectives in the same order. A process that calls another one, or with
// other sizes, dtypes or levels, that ends, or that does not come in time, ends the job with a message that names it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ordo/engine/calls/error.h>
#include <ordo/engine/tensor/device.h>

namespace ordo {

/// Processes that do not fit together, or one that is missing. Where MPI connects them the job ends instead: a process
/// alone cannot go on.
struct DistributedError : RuntimeError {
  using RuntimeError::RuntimeError;
};

}  // namespace ordo

namespace ordo::distributed {

/// How all_reduce and reduce_scatter combine values. `mean` is the sum, divided once by the number of processes.
enum class ReduceOp : unsigned char { sum, mean, product, min, max };
std::string_view name(ReduceOp);

struct InitOptions {
  /// A process that has waited for so long ends the job. 0: ORDO_DISTRIBUTED_TIMEOUT, a number of seconds, or else 300.
  double timeout_seconds = 0;
};

/// Whether mpirun, of Open MPI or MPICH, started this process.
bool is_launched();
/// Connects the processes that mpirun started, and compares what they are: Ordo's version, the ordering contract, the
/// level; at run_to_run the machine's libraries and processors, too. A process that mpirun did not start is alone: rank
/// 0 of 1. Where OMP_NUM_THREADS is not set, the processes of a machine share its cores. Does nothing the second time;
/// any number of threads may call it. The job ends when processes differ, or one has waited for the others' start for
/// longer than the timeout.
/// Throws: DistributedError when Ordo was built without this MPI, or MPI cannot be opened or started; ValueError when
/// the timeout, or ORDO_DISTRIBUTED_TIMEOUT where it is asked for, is no number of seconds above 0.
void init(const InitOptions& options = {});
bool is_initialized();

/// Some of the processes, in an order of their own. A handle; the default is all processes.
class Group {
 public:
  Group() = default;
  explicit Group(std::shared_ptr<class GroupState> state) : state_(std::move(state)) {}
  const std::shared_ptr<class GroupState>& state() const { return state_; }

 private:
  std::shared_ptr<class GroupState> state_;
};

/// A group of these processes, whose ranks in it are the places in the list. All processes call it, with the same list,
/// also those that are not in it; collectives of the group are for those that are.
/// Throws: ValueError when the list is empty, or names a process twice or one that is not there.
Group new_group(const std::vector<int64_t>& ranks);

/// This process's number in the group, 0 .. world_size - 1; -1 where it is not in it. 0 before init().
int64_t rank(const Group& group = {});
/// The number of processes; 1 before init().
int64_t world_size(const Group& group = {});

/// Parts `first` .. `last` - 1.
struct PartRange {
  int64_t first = 0, last = 0;
  int64_t count() const { return last - first; }
  friend bool operator==(const PartRange&, const PartRange&) = default;
};
/// Those of this process where the group shares `parts`, of which each member has about as many. Throws: ValueError when
/// there are fewer parts than members, or more than 65536, or this process is not in the group.
PartRange part_range(int64_t parts, const Group& group = {});

/// The GPU of this process, so that the processes of a machine take turns in choosing: cuda:0 for the first of them,
/// cuda:1 for the second, and again from cuda:0 where there are more processes than GPUs. cuda:0 without mpirun.
Device local_device();

/// Waits until all processes of the group have come here. Throws: ValueError when this process is not in it.
void barrier(const Group& group = {});

/// Bytes that this process has given to the transport so far.
uint64_t bytes_sent();

/// Says on stderr that this process failed, and why, and ends the job. Returns only where the process is alone, or
/// another thread of it ends the job already.
void fail_job(const std::string& cause);

}  // namespace ordo::distributed

// DeviceTransport: how the members of a group move bytes from one CUDA device's memory to another's, without the
// host's. NCCL is one (nccl_cuda.cpp). MPI stays what connects the processes: they meet there before each call.
// Internal.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <ordo/engine/tensor/device.h>
#include <ordo/engine/tensor/dtype.h>

namespace ordo::distributed {

enum class ReduceOp : unsigned char;
class GroupState;

/// Calls are queued on the calling thread's stream, after its work so far. All memory is of device(). Within
/// GroupState::run(), after meet(). What fails ends the job.
class DeviceTransport {
 public:
  virtual ~DeviceTransport() = default;
  virtual Device device() const = 0;

  struct Outgoing {
    const void* data;
    size_t bytes;
    int to;  ///< a member, not this one
  };
  struct Incoming {
    void* data;
    size_t bytes;
    int from;
  };
  /// All at once. Two messages of the same two members arrive in the order in which they stand here.
  virtual void exchange(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives) = 0;
  /// Every member's `bytes` bytes, one member after the other.
  virtual void all_gather(const void* mine, void* all, size_t bytes) = 0;
  virtual void broadcast(void* data, size_t bytes, int root) = 0;
  /// The library's own reductions, in an order that it chooses. Half types and bool are not taken.
  virtual void all_reduce(void* data, size_t count, DType dtype, ReduceOp op) = 0;
  virtual void reduce_scatter(const void* all, void* mine, size_t count, DType dtype, ReduceOp op) = 0;

  /// After the calls of an operation. The host does not wait for them: a thread of the transport's own does, and ends the
  /// job when a member does not come in time, or a part of the operation fails.
  virtual void watch(const char* op) = 0;
};

/// What a group knows of its devices.
struct GroupDevices {
  std::unique_ptr<DeviceTransport> transport;  ///< null before the first use, and where there is none
  int of_machine = 0;    ///< members on each machine, one machine's after the other's; all, where they are not so
  bool refused = false;  ///< not all members can
};

/// Whether this process could move the group's bytes on `device`. DistributedError where ORDO_NCCL names a library that
/// cannot be used.
bool offers_device(const GroupState& group, Device device);
/// All members offer a device: connects them, or notes and says once why that is not possible. Within
/// GroupState::run().
void connect_devices(GroupState& group, Device device);
/// "NCCL 2.27.3", or why CUDA tensors go through the host's memory.
std::string device_transport_name();

}  // namespace ordo::distributed

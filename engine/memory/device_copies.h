// Copies of tensors from the host to a CUDA device beside the device's other work: through pinned memory, on the stream
// of the thread that queues them. Internal.
//
//   // a thread that prepares                       // the thread that computes
//   Copied copied = copies->queue(tensors);         TensorList batch = copies->take(std::move(copied));
//
// Memory, pinned and on the device, goes from copy to copy. A block is used again when its copy has ended and the work
// that reads it has: the work that the taker's stream has when the last tensor on it is dropped.
#pragma once

#include <memory>

#include <ordo/engine/run/event.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::detail {

class DeviceCopies {
 public:
  /// Tensors that were copied, when they have been, and whose work reads them. They keep the memory's owner.
  struct Copied {
    TensorList tensors;
    cuda::Event done;
    std::shared_ptr<struct CopyReader> reader;
  };

  /// DeviceError unless it is a CUDA device that is there.
  explicit DeviceCopies(Device device);
  /// Of tensors in CPU memory, which may be changed and dropped on return. Undefined ones stay undefined. Any number of
  /// threads may call it. OutOfMemoryError when there is no memory for one of them, pinned or on the device.
  Copied queue(const TensorList& tensors) const;
  /// Lets the calling thread's later work on the device begin after the copies; its work reads them from now on.
  TensorList take(Copied copied) const;
  /// Blocks that there are, in use or free.
  size_t blocks() const;

 private:
  struct Pool;
  Device device_;
  std::shared_ptr<Pool> pool_;
};

}  // namespace ordo::detail

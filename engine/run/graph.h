// Graphs: the work of a device, kept to be queued again as a whole, without the host's part of it.
//
//   model(x);                              // once before: libraries get what they need
//   cuda::Graph graph;
//   Tensor y;
//   graph.capture([&] { y = model(x); });  // nothing is computed yet
//   x.copy_(next);
//   graph.replay();                        // y has the values of `next`
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <ordo/engine/tensor/device.h>

namespace ordo::cuda {

/// What is captured reads and writes the same memory in each replay: change inputs by copy_(), and keep them. Memory of
/// what is made while capturing is the graph's: its tensors keep their values up to the next replay. Numbers of the host are
/// those that they were. A training calls zero_grad() before it captures, and not afterwards: each replay writes gradients
/// anew. Other threads' work is not ordered with replays; cuda::Event does that.
///
/// Determinism: a replay has the bits of the same calls without a graph, at every level that is deterministic.
/// PyTorch: torch.cuda.CUDAGraph and torch.cuda.graph.
class Graph {
 public:
  Graph();
  /// Runs f, of which the calling thread's work on `device` is kept in place of what the graph had. Gradients that are
  /// undefined before become the graph's.
  ///
  /// Throws: DeviceError when `device` is no CUDA device, or not there; CudaError when f waits for the device (item(),
  /// copies from and to the host, sizes that depend on values), draws random numbers, makes an optimiser's step, adds to a
  /// gradient from before, speaks with other processes, or captures; and what f throws. The graph is empty then.
  void capture(const std::function<void()>& f, Device device = Device(Device::Type::cuda));
  /// Queues what was captured. An index out of range shows as in the operations themselves.
  ///
  /// Throws: CudaError when there is nothing, or another thread has captured it.
  void replay() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ordo::cuda

namespace ordo::detail {

/// CudaError, naming `what`, while the calling thread captures.
void expect_no_capture(const char* what);
/// That of the calling thread, 0 where it does not capture. None is given twice.
uint64_t capture_number();

}  // namespace ordo::detail

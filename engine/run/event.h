// Events: order between the work of two threads on a CUDA device, where every thread has a stream of its own. Tensors
// that go from thread to thread need none; memory that Ordo does not own, and work queued beside Ordo, do.
//
//   // this thread                          // another
//   Tensor sum = a + b;
//   cuda::Event made;
//   made.record();                          made.wait();            // its stream waits, not the thread
//                                           Tensor twice = sum * 2;
//                                           cuda::Event read;
//   read.wait();                            read.record();
//   sum.add_(1);                            // from here on `sum` may be changed and dropped
#pragma once

#include <memory>

#include <ordo/engine/tensor/device.h>

namespace ordo::cuda {

/// A point in the work of a stream. Recording and waiting take no time of the host. Copies are one event. An event that
/// was never recorded is one that has passed. The CPU's work has always passed, so all of this also works on the CPU.
/// An event has no lock: the program sees to it that one thread's record() is over when another calls wait().
class Event {
 public:
  Event();
  /// Makes this the point that the calling thread's work on `device` has come to; again moves it.
  /// Throws: DeviceError when there is no such device.
  void record(Device device = Device(Device::Type::cuda));
  /// Lets the calling thread's later work on the event's device begin after it.
  void wait() const;
  /// Lets the calling thread itself wait. Raises no index errors: those belong to the thread whose operation it was.
  void synchronize() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ordo::cuda

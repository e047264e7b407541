// Transport: how the processes of a job move bytes. What MPI offers of it is a library of its own
// (engine/distributed/mpi), which is opened when a job begins; tests have one made of threads. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ordo::distributed {

enum class ReduceOp : unsigned char;

class Transport {
 public:
  virtual ~Transport() = default;

  virtual const char* name() const = 0;  ///< "Open MPI 4.1.4"
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Whether several threads may call it at the same time. Else whoever calls it takes turns.
  virtual bool concurrent() const = 0;

  /// A message under way. Its memory must stay as it is, and where it is, until test() has said that it is done.
  using Request = void*;
  /// Messages of one sender with one tag arrive in the order in which they were sent. At most kLargestMessage bytes.
  virtual Request send(const void* data, size_t bytes, int to, int tag) = 0;
  virtual Request receive(void* data, size_t bytes, int from, int tag) = 0;
  /// Whether the message has left or arrived. A request that has is no more.
  virtual bool test(Request request) = 0;
  static constexpr size_t kLargestMessage = size_t(1) << 30;

  /// The library's own reduction of these ranks' arrays, in an order that it chooses. All of them call it; `group` is a
  /// number that is the same for the same ranks, and for no others. Waits for the result. `element` is the index of the
  /// dtype in engine/tensor/dtype.h; half types and bool are not taken.
  virtual void reduce(void* data, size_t count, int element, ReduceOp op, const std::vector<int>& ranks, int group) = 0;

  /// Says `message` on stderr and ends all processes of the job. Where several call it at about the same time, the first
  /// ranks say theirs, or, where `each` is set, all do. Returns only where they are threads.
  virtual void abort(const char* message, bool each) = 0;
  /// Before a process ends by itself, after all messages have arrived. May wait for the other processes.
  virtual void finish() = 0;
};

/// What a plugin has: opens the transport, or writes why not into `error` and returns null.
using OpenTransport = Transport* (*)(char* error, size_t size);
inline constexpr const char* kOpenTransport = "ordo_open_transport";

}  // namespace ordo::distributed

// Streams and events of a simulated device. Work on a stream waits in its queue until somebody synchronises; then the
// streams that may go on take turns in an order drawn from the seed, so that an order which the program does not ask
// for shows. Internal to the emulator and the PTX machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include <ordo/simulators/emulator/turns.h>

namespace ordo::cuda::queues {

using emulator::Order;

struct Stream;
/// What a stream has kept for a graph.
using Captured = std::vector<std::function<void()>>;

/// The place in a stream that an event marks.
struct Mark {
  Stream* stream;
  bool reached = false;
  const Captured* capture = nullptr;  // of work that is kept, and not of the queue's
};
/// Null: no place.
using Event = std::shared_ptr<Mark>;

/// One of the four.
struct Task {
  std::function<void()> work{};
  Event mark{};                   // is reached here
  Event after{};                  // must have been reached
  std::function<bool()> ready{};  // must be true: what happens elsewhere
  uint64_t number = 0;            // in the order of the program
  size_t bytes = 0;               // held until it has run
};

struct Stream {
  bool waits_for_null_stream = false;
  std::deque<Task> queue{};
  std::shared_ptr<Captured> capture{};  // takes the work in place of the queue
  bool capture_failed = false;          // by a call that a capture forbids
};

struct Turns {
  Order order = Order::random;
  uint64_t seed = 1;
  bool eager = false;  ///< work runs when it is queued
};

/// All streams of a device. A null stream is CUDA's: its work runs at once, after the streams that wait for it. What is
/// queued must not throw. The caller sees to it that one thread uses this at a time.
class Queues {
 public:
  explicit Queues(Turns (*turns)()) : turns_(turns) {}

  void add(Stream* stream) { streams_.push_back(stream); }
  /// Runs what the stream has, and forgets it.
  void remove(Stream* stream);

  void queue(Stream* stream, std::function<void()> work, size_t bytes = 0);
  Event record(Stream* stream);
  /// What is queued on `stream` from now on runs after the event. Null: the caller waits.
  void wait(Stream* stream, const Event& event);
  /// What is queued from now on runs after `ready` has come true, which is not the device's work.
  void wait(Stream* stream, std::function<bool()> ready);

  /// Whether the stream may wait for the event: one that captures may not wait for other work, nor others for its.
  static bool may_wait(const Stream* stream, const Event& event) {
    return !event || event->capture == (stream ? stream->capture.get() : nullptr);
  }

  void finish(Stream* stream);
  void finish(const Event& event);
  /// Whether the device has come to the event. A device that has not works on, for one turn, where it can.
  bool has_passed(const Event& event);
  void finish_all();
  /// Runs everything, and draws the next turns as a new process would.
  void restart();

  /// Every task that was queued before has a lower number.
  uint64_t next_number() const { return next_; }
  /// Every task with a lower number has come to its end.
  uint64_t all_done_before() const;

 private:
  void push(Stream* stream, Task task);
  void take_turn(Stream* stream);
  Stream* next(Stream* waited);
  Stream* choose(Stream* waited);
  void finish_blocking();

  Turns (*turns_)();
  std::vector<Stream*> streams_;
  size_t tasks_ = 0, bytes_ = 0;
  uint64_t next_ = 0, running_ = ~uint64_t(0);
  uint64_t taken_ = 0;  // turns, since the start or restart()
};

}  // namespace ordo::cuda::queues

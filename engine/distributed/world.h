// World: the processes that a job has, as one of them sees it, and the messages between them. Internal.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <ordo/engine/distributed/device_transport.h>
#include <ordo/engine/distributed/distributed.h>
#include <ordo/engine/distributed/transport.h>

namespace ordo::distributed {

class World;

/// What a Group is.
class GroupState {
 public:
  GroupState(World& world, int id, std::vector<int> ranks);
  World& world;
  const int id;                  ///< the same in all processes
  const std::vector<int> ranks;  ///< the members' in the world
  int rank = -1;                 ///< this process's place among them
  uint64_t calls = 0;            ///< collectives so far
  GroupDevices devices;
  int size() const { return int(ranks.size()); }

  /// Calls f, which may send and receive, on this thread, after all that was submitted and while no other thread calls
  /// anything of this group. Other groups go on.
  void run(const std::function<void()>& f);
  /// Calls f as run() does, on the world's thread, while the caller goes on.
  std::future<void> submit(std::function<void()> f);
  /// Transport::reduce, of this group's ranks.
  void reduce(void* data, size_t count, int element, ReduceOp op);
  /// Memory for one call of run(), with any contents.
  char* scratch(size_t bytes);

 private:
  friend class World;
  std::mutex mutex_;   // of a call
  int submitted_ = 0;  // and not done; the world's mutex guards it
  std::unique_ptr<char[]> scratch_;
  size_t scratch_bytes_ = 0;
};

class World {
 public:
  /// Null: alone.
  explicit World(std::unique_ptr<Transport> transport, double timeout_seconds = 300);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// The calling thread's, where a Scope gives it one, else the process's.
  static World& current();
  /// For processes that are threads.
  class Scope {
   public:
    explicit Scope(World& world);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    World* outer_;
  };

  int rank() const { return transport_ ? transport_->rank() : 0; }
  int size() const { return transport_ ? transport_->size() : 1; }
  const std::shared_ptr<GroupState>& all() const { return all_; }
  std::shared_ptr<GroupState> new_group(std::vector<int> ranks);
  double timeout_seconds() const { return timeout_seconds_; }

  /// Gives f the transport, while nobody else calls it where it takes one thread at a time.
  template <class F>
  auto use_transport(F&& f) {
    std::unique_lock lock(transport_mutex_, std::defer_lock);
    if (!transport_->concurrent()) lock.lock();
    return f(*transport_);
  }

  /// Prints `message` on stderr and ends the job; `each`: as in Transport::abort(). Returns where processes are threads,
  /// or there is but one.
  void end_job(const std::string& message, bool each = false);
  /// Calls end_job(), and throws DistributedError where that returns.
  [[noreturn]] void fail(const std::string& message, bool each = false);
  /// Of a process that ends: tells the others, waits for them.
  void finish();

  std::atomic<uint64_t> bytes_sent = 0;
  std::atomic<uint64_t> bytes_between_machines = 0;  ///< of these, from a device's memory
  bool shares_cores = false;  ///< this machine has more processes than cores: whoever waits lets others go first

 private:
  friend class GroupState;
  struct Task {
    GroupState* group;
    std::packaged_task<void()> f;
  };
  void work();

  std::unique_ptr<Transport> transport_;
  const double timeout_seconds_;
  std::shared_ptr<GroupState> all_;
  int groups_ = 1;

  std::mutex mutex_, transport_mutex_;
  std::condition_variable changed_;
  std::deque<Task> queue_;
  bool stopped_ = false;
  std::atomic<bool> failed_ = false;
  std::thread thread_;
};

/// While it lives, somebody counts: `late` is called, on a thread of its own, where that takes more than `seconds`.
class TimeLimit {
 public:
  TimeLimit(double seconds, std::function<void()> late);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  std::promise<void> done_;
  std::thread thread_;
};

/// The state of a handle: the world's group where it is the default.
GroupState& state_of(const Group& group);
/// The state of a handle. Throws: ValueError, naming `op`, when this process is not a member.
GroupState& member_state_of(const char* op, const Group& group);

/// Messages under way to and from members of a group, to be waited for together. For use within GroupState::run().
class Messages {
 public:
  enum Kind { header, data };
  Messages(GroupState& group, const char* op) : group_(group), op_(op) {}
  Messages(Messages&&) = default;

  void send(const void* data, size_t bytes, int to, Kind kind = Kind::data);
  void receive(void* data, size_t bytes, int from, Kind kind = Kind::data);
  /// Until all are done. A process that does not come in time ends the job; `patience` seconds more are given, so that
  /// of several that wait, the one nearest to the cause reports it.
  void wait(double patience = 0);

 private:
  struct Pending {
    Transport::Request request;
    int member;
    bool incoming;
  };
  [[noreturn]] void give_up();
  GroupState& group_;
  const char* op_;
  std::vector<Pending> pending_;
};

}  // namespace ordo::distributed

#include <ordo/engine/distributed/world.h>

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/distributed/collectives.h>
#include <ordo/engine/distributed/reduction_tree.h>
#include <ordo/engine/memory/out_of_memory.h>

namespace ordo::distributed {
namespace {

thread_local World* g_world_of_thread = nullptr;

}  // namespace

GroupState::GroupState(World& world_, int id_, std::vector<int> ranks_)
    : world(world_), id(id_), ranks(std::move(ranks_)) {
  const auto own = std::find(ranks.begin(), ranks.end(), world.rank());
  if (own != ranks.end()) rank = int(own - ranks.begin());
}

World::World(std::unique_ptr<Transport> transport, double timeout_seconds)
    : transport_(std::move(transport)), timeout_seconds_(timeout_seconds) {
  std::vector<int> ranks;
  for (int r = 0; r < size(); ++r) ranks.push_back(r);
  all_ = std::make_shared<GroupState>(*this, 0, std::move(ranks));
}

World::~World() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

World::Scope::Scope(World& world) : outer_(g_world_of_thread) { g_world_of_thread = &world; }
World::Scope::~Scope() { g_world_of_thread = outer_; }

namespace {

/// The process's: alone at first, and again where init() has not been called. Never destroyed: a process may end while
/// threads of it wait for messages.
std::atomic<World*>& world_of_process() {
  static std::atomic<World*> world = new World(nullptr);
  return world;
}

}  // namespace

void set_world(std::unique_ptr<World> world) { world_of_process() = world.release(); }

World& World::current() { return g_world_of_thread ? *g_world_of_thread : *world_of_process(); }

std::shared_ptr<GroupState> World::new_group(std::vector<int> ranks) {
  return std::make_shared<GroupState>(*this, groups_++, std::move(ranks));
}

void GroupState::run(const std::function<void()>& f) {
  {
    std::unique_lock lock(world.mutex_);
    world.changed_.wait(lock, [this] { return submitted_ == 0; });
  }
  const std::lock_guard lock(mutex_);
  f();
}

std::future<void> GroupState::submit(std::function<void()> f) {
  World::Task task{this, std::packaged_task<void()>(std::move(f))};
  std::future<void> done = task.f.get_future();
  {
    const std::lock_guard lock(world.mutex_);
    if (!world.thread_.joinable()) world.thread_ = std::thread([this] { world.work(); });
    world.queue_.push_back(std::move(task));
    ++submitted_;
  }
  world.changed_.notify_all();
  return done;
}

void World::work() {
  const detail::LibraryCall call;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopped_ || !queue_.empty(); });
    if (stopped_) return;
    Task task = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    {
      const std::lock_guard one_at_a_time(task.group->mutex_);
      task.f();
    }
    lock.lock();
    --task.group->submitted_;
    changed_.notify_all();
  }
}

void GroupState::reduce(void* data, size_t count, int element, ReduceOp op) {
  world.use_transport([&](Transport& transport) { transport.reduce(data, count, element, op, ranks, id); });
}

char* GroupState::scratch(size_t bytes) {
  if (bytes > scratch_bytes_) {
    scratch_bytes_ = 0;
    scratch_.reset(new char[bytes]);
    scratch_bytes_ = bytes;
  }
  return scratch_.get();
}

void World::end_job(const std::string& message, bool each) {
  if (failed_.exchange(true) || !transport_) return;
  transport_->abort(fmt::format("[ordo] rank {} of {}: {}\n", rank(), size(), message).c_str(), each);
}

void World::fail(const std::string& message, bool each) {
  end_job(message, each);
  throw DistributedError(message);
}

void World::finish() {
  if (!transport_ || failed_) return;
  all_->run([this] { meet(*all_, {.op = "the end of the program"}); });
  all_->devices.transport.reset();
  const TimeLimit limit(timeout_seconds_, [this] {
    end_job(fmt::format("waited {:g} seconds for {} to end; all else is done", timeout_seconds_, transport_->name()));
  });
  transport_->finish();
}

TimeLimit::TimeLimit(double seconds, std::function<void()> late)
    : thread_([seconds, late = std::move(late), done = done_.get_future()] {
        if (done.wait_for(std::chrono::duration<double>(seconds)) != std::future_status::ready) late();
      }) {}

TimeLimit::~TimeLimit() {
  done_.set_value();
  thread_.join();
}

GroupState& state_of(const Group& group) { return group.state() ? *group.state() : *World::current().all(); }

GroupState& member_state_of(const char* op, const Group& group) {
  GroupState& state = state_of(group);
  ORDO_CHECK(state.rank >= 0, ValueError, op, "rank {} is not in this group of {} ranks", state.world.rank(),
             state.size());
  return state;
}

PartRange part_range(int64_t parts, const Group& group) {
  const detail::LibraryCall call;
  const GroupState& members = member_state_of("part_range", group);
  ORDO_CHECK(parts >= members.size() && parts <= kMostShards, ValueError, "part_range",
             "{} members cannot share {} parts; there may be as many as there are members, up to {}", members.size(),
             parts, kMostShards);
  return shards_of(parts, members.rank, members.size());
}

// -- messages ---------------------------------------------------------------------------------------------------------

void Messages::send(const void* data, size_t bytes, int to, Kind kind) {
  const char* at = static_cast<const char*>(data);
  for (size_t left = bytes; left > 0;) {
    const size_t now = std::min(left, Transport::kLargestMessage);
    const Transport::Request request = group_.world.use_transport([&](Transport& transport) {
      return transport.send(at, now, group_.ranks[size_t(to)], 2 * group_.id + int(kind));
    });
    pending_.push_back({request, to, false});
    at += now, left -= now;
  }
  group_.world.bytes_sent += bytes;
}

void Messages::receive(void* data, size_t bytes, int from, Kind kind) {
  char* at = static_cast<char*>(data);
  for (size_t left = bytes; left > 0;) {
    const size_t now = std::min(left, Transport::kLargestMessage);
    const Transport::Request request = group_.world.use_transport([&](Transport& transport) {
      return transport.receive(at, now, group_.ranks[size_t(from)], 2 * group_.id + int(kind));
    });
    pending_.push_back({request, from, true});
    at += now, left -= now;
  }
}

void Messages::wait(double patience) {
  using Clock = std::chrono::steady_clock;
  // Other processes may need this core, and this one's backward pass.
  const double spins = group_.world.shares_cores ? 0 : 1e-4, yields = 2e-2;  // seconds
  const Clock::time_point begun = Clock::now();
  for (;;) {
    group_.world.use_transport([&](Transport& transport) {
      std::erase_if(pending_, [&](const Pending& p) { return transport.test(p.request); });
    });
    if (pending_.empty()) return;
    const double waited = std::chrono::duration<double>(Clock::now() - begun).count();
    if (waited < spins) continue;
    if (waited < yields)
      sched_yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (waited > group_.world.timeout_seconds() + patience) give_up();
  }
}

void Messages::give_up() {
  std::string ranks;
  for (const Pending& p : pending_) {
    const std::string rank = std::to_string(group_.ranks[size_t(p.member)]);
    if (ranks.find(rank) == std::string::npos) ranks += (ranks.empty() ? "" : ", ") + rank;
  }
  group_.world.fail(
      fmt::format(
          "waited {:.0f} seconds for rank {} in {} number {}: it hangs, or has ended, or waits for one that does",
          group_.world.timeout_seconds(), ranks, op_, group_.calls),
      true);
}

}  // namespace ordo::distributed

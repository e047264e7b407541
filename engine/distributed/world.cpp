#include <ordo/engine/distributed/world.h>

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>

#include <ordo/engine/check.h>
#include <ordo/engine/distributed/collectives.h>

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

void World::run(const std::function<void()>& f) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return queue_.empty() && !busy_; });
  }
  const std::lock_guard lock(transport_mutex_);
  f();
}

std::future<void> World::submit(std::function<void()> f) {
  std::packaged_task<void()> task(std::move(f));
  std::future<void> done = task.get_future();
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    queue_.push_back(std::move(task));
  }
  changed_.notify_all();
  return done;
}

void World::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopped_ || !queue_.empty(); });
    if (stopped_) return;
    std::packaged_task<void()> task = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    {
      const std::lock_guard one_at_a_time(transport_mutex_);
      task();
    }
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

char* World::scratch(size_t bytes) {
  if (bytes > scratch_bytes_) {
    scratch_.reset(new char[bytes]);
    scratch_bytes_ = bytes;
  }
  return scratch_.get();
}

void World::end_job(const std::string& message) {
  if (failed_.exchange(true) || !transport_) return;
  transport_->abort(fmt::format("[ordo] rank {} of {}: {}\n", rank(), size(), message).c_str());
}

void World::fail(const std::string& message) {
  end_job(message);
  throw DistributedError(message);
}

void World::finish() {
  if (!transport_ || failed_) return;
  run([this] { meet(*all_, {.op = "the end of the program"}); });
  all_->devices.transport.reset();
  std::promise<void> finished;
  std::thread watch([this, done = finished.get_future()] {
    if (done.wait_for(std::chrono::duration<double>(timeout_seconds_)) != std::future_status::ready)
      end_job(fmt::format("waited {:g} seconds for {} to end; all else is done", timeout_seconds_, transport_->name()));
  });
  transport_->finish();
  finished.set_value();
  watch.join();
}

GroupState& state_of(const Group& group) { return group.state() ? *group.state() : *World::current().all(); }

GroupState& member_state_of(const char* op, const Group& group) {
  GroupState& state = state_of(group);
  ORDO_CHECK(state.rank >= 0, ValueError, op, "rank {} is not in this group of {} ranks", state.world.rank(),
             state.size());
  return state;
}

// -- messages ---------------------------------------------------------------------------------------------------------

void Messages::send(const void* data, size_t bytes, int to, Kind kind) {
  const char* at = static_cast<const char*>(data);
  for (size_t left = bytes; left > 0;) {
    const size_t now = std::min(left, Transport::kLargestMessage);
    pending_.push_back(
        {group_.world.transport().send(at, now, group_.ranks[size_t(to)], 2 * group_.id + int(kind)), to, false});
    at += now, left -= now;
  }
  group_.world.bytes_sent += bytes;
}

void Messages::receive(void* data, size_t bytes, int from, Kind kind) {
  char* at = static_cast<char*>(data);
  for (size_t left = bytes; left > 0;) {
    const size_t now = std::min(left, Transport::kLargestMessage);
    pending_.push_back(
        {group_.world.transport().receive(at, now, group_.ranks[size_t(from)], 2 * group_.id + int(kind)), from, true});
    at += now, left -= now;
  }
}

void Messages::wait(double patience) {
  using Clock = std::chrono::steady_clock;
  Transport& transport = group_.world.transport();
  // Other processes may need this core, and this one's backward pass.
  const double spins = group_.world.shares_cores ? 0 : 1e-4, yields = 2e-2;  // seconds
  const Clock::time_point begun = Clock::now();
  for (;;) {
    std::erase_if(pending_, [&](const Pending& p) { return transport.test(p.request); });
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
  group_.world.fail(fmt::format(
      "waited {:.0f} seconds for rank {} in {} number {}: it hangs, or has ended, or waits for one that does",
      group_.world.timeout_seconds(), ranks, op_, group_.calls));
}

}  // namespace ordo::distributed

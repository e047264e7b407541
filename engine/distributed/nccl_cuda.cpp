// NCCL as a DeviceTransport.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <mutex>
#include <thread>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/cuda/backend.h>
#include <ordo/engine/distributed/collectives.h>
#include <ordo/engine/distributed/device_transport.h>
#include <ordo/engine/distributed/nccl.h>
#include <ordo/engine/run/emulation.h>

namespace ordo::distributed {
namespace {

using namespace nccl;

constexpr int kLeastVersion = 20700;  // the first with messages between two ranks

/// 2.8 and earlier have 1000 for the first number: 2708 is 2.7.8.
int comparable(int version) {
  return version >= 10000 ? version : version / 1000 * 10000 + version % 1000 / 100 * 100 + version % 100;
}
std::string version_text(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

/// The library that this process uses, opened once and never closed.
struct Library {
  Functions functions;
  int version = 0;
  bool asked_for = false;  // by ORDO_NCCL
  std::string why_not;     // empty: it can be used

  Library() {
    const char* const text = std::getenv("ORDO_NCCL");
    std::string file = text ? text : "AUTO";
    if (file == "OFF") {
      why_not = "ORDO_NCCL=OFF";
      return;
    }
    asked_for = file != "AUTO";
    if (!asked_for && cuda::is_simulated()) {
      why_not = "NCCL knows no simulated devices";
      return;
    }
    if (!asked_for) file = "libnccl.so.2";
    why_not = open(file);
  }

  std::string open(const std::string& file) {
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) return fmt::format("{} cannot be opened: {}", file, dlerror());
#define ORDO_NCCL_FIND(name, arguments) \
  if (!find(functions.name, handle, #name)) return fmt::format("{} has no function {}", file, #name);
    ORDO_NCCL_FUNCTIONS(ORDO_NCCL_FIND)
    ORDO_NCCL_FIND(ncclGetErrorString, )
#undef ORDO_NCCL_FIND
    find(functions.ncclGetLastError, handle, "ncclGetLastError");
    find(functions.ncclCommInitRankConfig, handle, "ncclCommInitRankConfig");
    find(functions.ncclCommFinalize, handle, "ncclCommFinalize");
    if (const Result status = functions.ncclGetVersion(&version); status != success)
      return fmt::format("{}: ncclGetVersion: {}", file, functions.ncclGetErrorString(status));
    version = comparable(version);
    if (version < kLeastVersion || version >= 30000)
      return fmt::format("{} is NCCL {}; Ordo needs 2.7 or a later 2", file, version_text(version));
    return "";
  }

  template <class F>
  static bool find(F& function, void* handle, const char* name) {
    function = reinterpret_cast<F>(dlsym(handle, name));
    return function != nullptr;
  }

  std::string error(Result status, Comm comm = nullptr) const {
    std::string text = functions.ncclGetErrorString(status);
    if (functions.ncclGetLastError)
      if (const char* more = functions.ncclGetLastError(comm); more && *more) text += fmt::format(" ({})", more);
    return text;
  }
};

Library& library() {
  static Library* const l = new Library;
  return *l;
}

DataType type_of(DType dtype) {
  if (dtype == uint8) return type_uint8;
  if (dtype == int32) return type_int32;
  if (dtype == int64) return type_int64;
  return dtype == float64 ? type_float64 : type_float32;
}
RedOp op_of(ReduceOp op) {
  if (op == ReduceOp::product) return op_product;
  if (op == ReduceOp::min) return op_min;
  return op == ReduceOp::max ? op_max : op_sum;
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begun) { return std::chrono::duration<double>(Clock::now() - begun).count(); }

/// Watches what is queued: whoever queues it does not wait.
class Watch {
 public:
  /// `late` is called, on a thread of this, with what has not ended for so long after what was queued before it had, and
  /// `look` from time to time.
  Watch(double seconds, std::function<void(const std::string& what, double waited)> late,
        std::function<void(const std::string& what)> look)
      : seconds_(seconds), late_(std::move(late)), look_(std::move(look)) {}
  /// Waits for all that is queued.
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
    for (void* event : idle_) cuda::backend::destroy_event(event);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// Of the calling thread's stream, up to here.
  void add(std::string what, int device) {
    void* event = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) event = idle_.back(), idle_.pop_back();
    }
    if (!event) event = cuda::backend::create_event(device);
    cuda::backend::record_event(event, device);
    const std::lock_guard lock(mutex_);
    queued_.push_back({std::move(what), event});
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    changed_.notify_all();
  }

 private:
  struct Queued {
    std::string what;
    void* event;
  };
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stopped_ || !queued_.empty(); });
      if (queued_.empty()) return;
      const Queued first = queued_.front();
      lock.unlock();
      const Clock::time_point begun = Clock::now();
      bool late = false;
      while (!cuda::backend::has_passed(first.event)) {
        look_(first.what);
        const double waited = seconds_since(begun);
        if (!late && waited > seconds_) late_(first.what, waited), late = true;
        std::this_thread::sleep_for(std::chrono::microseconds(waited < 2e-2 ? 50 : 1000));
      }
      look_(first.what);
      lock.lock();
      queued_.pop_front();
      idle_.push_back(first.event);
    }
  }

  const double seconds_;
  const std::function<void(const std::string&, double)> late_;
  const std::function<void(const std::string&)> look_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Queued> queued_;
  std::vector<void*> idle_;
  bool stopped_ = false;
  std::thread thread_;
};

class NcclTransport : public DeviceTransport {
 public:
  NcclTransport(GroupState& group, Device device)
      : group_(group),
        device_(device),
        watch_(std::make_unique<Watch>(
            group.world.timeout_seconds(),
            [this](const std::string& what, double waited) { group_.world.end_job(waited_for(what, waited), true); },
            [this](const std::string& what) {
              if (const Result error = async_error(); error != success && error != in_progress)
                group_.world.end_job(failed(what, error));
            })) {}
  ~NcclTransport() override {
    watch_.reset();
    if (order_) cuda::backend::destroy_event(order_);
    if (!comm_) return;
    const cuda::DeviceScope scope(device_, std::nothrow);
    if (answers_at_once() && nccl_.ncclCommFinalize(comm_) == in_progress)
      for (const auto begun = Clock::now();
           async_error() == in_progress && seconds_since(begun) < group_.world.timeout_seconds();)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    nccl_.ncclCommDestroy(comm_);
  }
  Device device() const override { return device_; }

  /// All members call it. What went wrong, or "".
  std::string connect(const UniqueId& id) {
    const cuda::DeviceScope scope(device_);
    order_ = cuda::backend::create_event(device_.index());
    Config config;
    Result status = answers_at_once() ? nccl_.ncclCommInitRankConfig(&comm_, group_.size(), id, group_.rank, &config)
                                      : nccl_.ncclCommInitRank(&comm_, group_.size(), id, group_.rank);
    if (status == in_progress) status = settled("its beginning");
    if (status == success) return "";
    const std::string why = library().error(status, comm_);
    abort();
    return why;
  }
  void abort() {
    if (comm_) nccl_.ncclCommAbort(std::exchange(comm_, nullptr));
  }

  void exchange(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives) override {
    const cuda::DeviceScope scope = begin();
    const auto begun = [](Result status) { return status == in_progress ? success : status; };  // the group's end asks
    check("ncclGroupStart", nccl_.ncclGroupStart());
    for (const Incoming& m : receives)
      if (m.bytes) check("ncclRecv", begun(nccl_.ncclRecv(m.data, m.bytes, type_uint8, m.from, comm_, stream())));
    for (const Outgoing& m : sends) {
      if (m.bytes) check("ncclSend", begun(nccl_.ncclSend(m.data, m.bytes, type_uint8, m.to, comm_, stream())));
      group_.world.bytes_sent += m.bytes;
      if (m.to / group_.devices.of_machine != group_.rank / group_.devices.of_machine)
        group_.world.bytes_between_machines += m.bytes;
    }
    check("ncclGroupEnd", nccl_.ncclGroupEnd());
  }
  void all_gather(const void* mine, void* all, size_t bytes) override {
    if (bytes == 0) return;
    const cuda::DeviceScope scope = begin();
    check("ncclAllGather", nccl_.ncclAllGather(mine, all, bytes, type_uint8, comm_, stream()));
    group_.world.bytes_sent += size_t(group_.size() - 1) * bytes;
  }
  void broadcast(void* data, size_t bytes, int root) override {
    if (bytes == 0) return;
    const cuda::DeviceScope scope = begin();
    check("ncclBroadcast", nccl_.ncclBroadcast(data, data, bytes, type_uint8, root, comm_, stream()));
    if (group_.rank == root) group_.world.bytes_sent += bytes;
  }
  void all_reduce(void* data, size_t count, DType dtype, ReduceOp op) override {
    if (count == 0) return;
    const cuda::DeviceScope scope = begin();
    check("ncclAllReduce", nccl_.ncclAllReduce(data, data, count, type_of(dtype), op_of(op), comm_, stream()));
  }
  void reduce_scatter(const void* all, void* mine, size_t count, DType dtype, ReduceOp op) override {
    if (count == 0) return;
    const cuda::DeviceScope scope = begin();
    check("ncclReduceScatter", nccl_.ncclReduceScatter(all, mine, count, type_of(dtype), op_of(op), comm_, stream()));
  }

  void watch(const char* op) override {
    cuda::backend::record_event(order_, device_.index());
    last_stream_ = cuda::backend::current_stream_id(device_.index());
    watch_->add(fmt::format("{} number {}", op, group_.calls), device_.index());
  }

 private:
  cudaStream_t stream() const { return cuda::current_stream(device_); }
  /// One after the other, also where they are of several threads' streams.
  cuda::DeviceScope begin() const {
    if (last_stream_ && last_stream_ != cuda::backend::current_stream_id(device_.index()))
      cuda::backend::wait_for_event(order_, device_.index());
    return cuda::DeviceScope(device_);
  }
  bool answers_at_once() const {
    return library().version >= 21400 && nccl_.ncclCommInitRankConfig && nccl_.ncclCommFinalize;
  }
  Result async_error() const {
    Result error = success;
    const Result status = nccl_.ncclCommGetAsyncError(comm_, &error);
    return status == success ? error : status;
  }
  Result settled(const std::string& what) {
    Result status = in_progress;
    for (const Clock::time_point begun = Clock::now(); (status = async_error()) == in_progress;) {
      if (const double waited = seconds_since(begun); waited > group_.world.timeout_seconds())
        group_.world.fail(waited_for(what, waited), true);
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return status;
  }
  std::string waited_for(const std::string& what, double waited) const {
    return fmt::format("waited {:.0f} seconds for NCCL in {}: another rank hangs, or has ended", waited, what);
  }
  std::string failed(const std::string& what, Result status) const {
    return fmt::format("NCCL: {}: {}", what, library().error(status, comm_));
  }
  void check(const char* what, Result status) {
    if (status == in_progress) status = settled(what);
    if (status == success) return;
    if (const Result error = async_error(); error != success && error != in_progress) status = error;  // the cause
    group_.world.fail(failed(what, status));
  }

  GroupState& group_;
  const Device device_;
  const Functions& nccl_ = library().functions;
  Comm comm_ = nullptr;
  void* order_ = nullptr;  // behind the last call, on
  uintptr_t last_stream_ = 0;
  std::unique_ptr<Watch> watch_;
};

/// What a member tells the others before they connect.
struct Introduction {
  int version = 0;
  char gpu[48] = "";
  char machine[128] = "";
};
/// What it has come to.
struct Outcome {
  bool failed = false;
  UniqueId id{};
  char why[256] = "";
};

template <class T>
std::vector<T> gather(GroupState& group, const T& mine) {
  std::vector<T> all(size_t(group.size()));
  all[size_t(group.rank)] = mine;
  all_gather(group, "the connection of devices", all.data(), std::vector<size_t>(all.size(), sizeof(T)));
  return all;
}
Outcome outcome_of(const std::string& why, const UniqueId& id = {}) {
  Outcome outcome{.failed = !why.empty(), .id = id};
  std::strncpy(outcome.why, why.c_str(), sizeof outcome.why - 1);
  return outcome;
}

/// What NCCL takes for a machine's name: NCCL_HOSTID, or else the host's name and the number of its last start.
std::string machine_name() {
  if (const char* const name = std::getenv("NCCL_HOSTID")) return name;
  char host[64] = "";
  gethostname(host, sizeof host - 1);
  std::string start;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> start;
  return host + start;
}
/// GroupDevices::of_machine.
int members_of_machine(const std::vector<Introduction>& members) {
  const auto same = [&](size_t a, size_t b) { return std::strcmp(members[a].machine, members[b].machine) == 0; };
  size_t count = 1;
  while (count < members.size() && same(count, 0)) ++count;
  for (size_t i = count; i < members.size(); ++i)
    if (members.size() % count != 0 || same(i, i - 1) != (i % count != 0)) return int(members.size());
  return count == 1 ? int(members.size()) : int(count);
}

/// Two members on one GPU, which NCCL does not serve, or versions that differ; "" where neither.
std::string misfit(const GroupState& group, const std::vector<Introduction>& members) {
  for (size_t i = 0; i < members.size(); ++i) {
    const Introduction& m = members[i];
    if (m.version != members[0].version)
      return fmt::format("rank {} has NCCL {}, but rank {} has {}", group.ranks[0], version_text(members[0].version),
                         group.ranks[i], version_text(m.version));
    for (size_t j = 0; j < i; ++j)
      if (std::strcmp(m.gpu, members[j].gpu) == 0)
        return fmt::format("ranks {} and {} use the same GPU, {}", group.ranks[j], group.ranks[i], m.gpu);
  }
  return "";
}

std::string connect(GroupState& group, Device device) {
  Introduction mine{.version = library().version};
  std::strncpy(mine.gpu, cuda::backend::uuid(device.index()).c_str(), sizeof mine.gpu - 1);
  std::strncpy(mine.machine, machine_name().c_str(), sizeof mine.machine - 1);
  const std::vector<Introduction> members = gather(group, mine);
  const std::string why = misfit(group, members);
  if (!why.empty()) return why;
  group.devices.of_machine = members_of_machine(members);

  Outcome begun;
  if (group.rank == 0) {
    UniqueId id{};
    const Result status = library().functions.ncclGetUniqueId(&id);
    begun = outcome_of(status == success ? "" : "ncclGetUniqueId: " + library().error(status), id);
  }
  broadcast(group, "the connection of devices", &begun, sizeof begun, 0);
  if (begun.failed) return begun.why;

  auto transport = std::make_unique<NcclTransport>(group, device);
  const std::vector<Outcome> all = gather(group, outcome_of(transport->connect(begun.id)));
  const auto failed = std::find_if(all.begin(), all.end(), [](const Outcome& o) { return o.failed; });
  if (failed != all.end()) {
    transport->abort();
    return fmt::format("rank {}: ncclCommInitRank: {}", group.ranks[size_t(failed - all.begin())], failed->why);
  }
  group.devices.transport = std::move(transport);
  return "";
}

}  // namespace

bool offers_device(const GroupState& group, Device device) {
  if (!device.is_cuda() || group.devices.refused) return false;
  if (const DeviceTransport* t = group.devices.transport.get()) return t->device() == device;
  const Library& l = library();
  ORDO_CHECK(l.why_not.empty() || !l.asked_for, DistributedError, "distributed", "ORDO_NCCL: {}", l.why_not);
  return l.why_not.empty();
}

void connect_devices(GroupState& group, Device device) {
  if (group.devices.transport || group.devices.refused) return;
  const std::string why_not = connect(group, device);
  group.devices.refused = !why_not.empty();
  if (why_not.empty()) return;
  static std::atomic<bool> said = false;  // also by another member
  if (!said.exchange(true) && group.rank == 0)
    std::fprintf(stderr, "[ordo] CUDA tensors travel by way of the host's memory: %s\n", why_not.c_str());
}

std::string device_transport_name() {
  const Library& l = library();
  return l.why_not.empty() ? "NCCL " + version_text(l.version) : "the host's memory: " + l.why_not;
}

}  // namespace ordo::distributed

// NCCL as a DeviceTransport.
#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

class NcclTransport : public DeviceTransport {
 public:
  NcclTransport(GroupState& group, Device device) : group_(group), device_(device) {}
  ~NcclTransport() override {
    if (event_) cuda::backend::destroy_event(event_);
    if (comm_) nccl_.ncclCommDestroy(comm_);
  }
  Device device() const override { return device_; }

  /// All members call it. What went wrong, or "".
  std::string connect(const UniqueId& id) {
    const cuda::DeviceScope scope(device_);
    event_ = cuda::backend::create_event(device_.index());
    const Result status = nccl_.ncclCommInitRank(&comm_, group_.size(), id, group_.rank);
    if (status == success) return "";
    comm_ = nullptr;
    return library().error(status);
  }
  void abort() {
    if (comm_) nccl_.ncclCommAbort(std::exchange(comm_, nullptr));
  }

  void exchange(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives) override {
    const cuda::DeviceScope scope(device_);
    check("ncclGroupStart", nccl_.ncclGroupStart());
    for (const Incoming& m : receives)
      if (m.bytes) check("ncclRecv", nccl_.ncclRecv(m.data, m.bytes, type_uint8, m.from, comm_, stream()));
    for (const Outgoing& m : sends) {
      if (m.bytes) check("ncclSend", nccl_.ncclSend(m.data, m.bytes, type_uint8, m.to, comm_, stream()));
      group_.world.bytes_sent += m.bytes;
    }
    check("ncclGroupEnd", nccl_.ncclGroupEnd());
  }
  void all_gather(const void* mine, void* all, size_t bytes) override {
    if (bytes == 0) return;
    const cuda::DeviceScope scope(device_);
    check("ncclAllGather", nccl_.ncclAllGather(mine, all, bytes, type_uint8, comm_, stream()));
    group_.world.bytes_sent += size_t(group_.size() - 1) * bytes;
  }
  void broadcast(void* data, size_t bytes, int root) override {
    if (bytes == 0) return;
    const cuda::DeviceScope scope(device_);
    check("ncclBroadcast", nccl_.ncclBroadcast(data, data, bytes, type_uint8, root, comm_, stream()));
    if (group_.rank == root) group_.world.bytes_sent += bytes;
  }
  void all_reduce(void* data, size_t count, DType dtype, ReduceOp op) override {
    if (count == 0) return;
    const cuda::DeviceScope scope(device_);
    check("ncclAllReduce", nccl_.ncclAllReduce(data, data, count, type_of(dtype), op_of(op), comm_, stream()));
  }
  void reduce_scatter(const void* all, void* mine, size_t count, DType dtype, ReduceOp op) override {
    if (count == 0) return;
    const cuda::DeviceScope scope(device_);
    check("ncclReduceScatter", nccl_.ncclReduceScatter(all, mine, count, type_of(dtype), op_of(op), comm_, stream()));
  }

  void wait(const char* op) override {
    using Clock = std::chrono::steady_clock;
    const cuda::DeviceScope scope(device_);
    cuda::backend::record_event(event_, device_.index());
    const Clock::time_point begun = Clock::now();
    bool done = false;
    do {
      const double waited = std::chrono::duration<double>(Clock::now() - begun).count();
      done = cuda::backend::has_passed(event_);
      Result async = success;
      check("ncclCommGetAsyncError", nccl_.ncclCommGetAsyncError(comm_, &async));
      if (async != success && async != in_progress) check(op, async);
      if (done) break;
      if (waited > group_.world.timeout_seconds())
        group_.world.fail(
            fmt::format("waited {:.0f} seconds for NCCL in {} number {}: another rank hangs, or has ended", waited, op,
                        group_.calls));
      if (waited < 2e-2)
        sched_yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    } while (true);
  }

 private:
  cudaStream_t stream() const { return cuda::current_stream(device_); }
  void check(const char* what, Result status) {
    if (status != success) group_.world.fail(fmt::format("NCCL: {}: {}", what, library().error(status, comm_)));
  }

  GroupState& group_;
  const Device device_;
  const Functions& nccl_ = library().functions;
  Comm comm_ = nullptr;
  void* event_ = nullptr;
};

/// What a member tells the others before they connect.
struct Introduction {
  int version = 0;
  char host[64] = "", gpu[32] = "";
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

/// Two members on one GPU, which NCCL does not serve, or versions that differ; "" where neither.
std::string misfit(const GroupState& group, const std::vector<Introduction>& members) {
  for (size_t i = 0; i < members.size(); ++i) {
    const Introduction& m = members[i];
    if (m.version != members[0].version)
      return fmt::format("rank {} has NCCL {}, but rank {} has {}", group.ranks[0], version_text(members[0].version),
                         group.ranks[i], version_text(m.version));
    for (size_t j = 0; j < i; ++j)
      if (std::strcmp(m.host, members[j].host) == 0 && std::strcmp(m.gpu, members[j].gpu) == 0)
        return fmt::format("ranks {} and {} use the same GPU, {} of {}", group.ranks[j], group.ranks[i], m.gpu, m.host);
  }
  return "";
}

std::string connect(GroupState& group, Device device) {
  Introduction mine{.version = library().version};
  gethostname(mine.host, sizeof mine.host - 1);
  std::strncpy(mine.gpu, cuda::backend::bus_id(device.index()).c_str(), sizeof mine.gpu - 1);
  const std::string why = misfit(group, gather(group, mine));
  if (!why.empty()) return why;

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

// A library that stands in for NCCL in the emulated build: the same functions, between the devices of processes that
// the emulator gives them. Written from the interface's documentation, without Ordo's declarations of it. It is strict:
// what NCCL leaves undefined, such as members whose calls do not fit together, ends with a message here.
//
// Work is queued on the stream that the call names. It begins when the emulator comes to it, on a thread of its own,
// and the stream waits for its end. Processes reach each other by sockets whose names are in the unique id. Reductions
// go around a ring, so that their order is not the tree's.
//
// ORDO_NCCL_STAND_IN is a list, with commas between: version=20600 is what it says that it is; unique_id=1 fails to
// make ids; init=1 fails in rank 1, and in init_silence=1 rank 1 does not come; error=1:3 is an error of the device's
// in the third group of rank 1, which closes its connections, and silence=1:3 a group in which it sends nothing;
// patience=2 is for how many seconds others wait. A stream whose work has failed waits until the communicator is aborted.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ordo/simulators/emulator/streams.h>

extern "C" {
enum ncclResult_t {
  ncclSuccess,
  ncclUnhandledCudaError,
  ncclSystemError,
  ncclInternalError,
  ncclInvalidArgument,
  ncclInvalidUsage,
  ncclRemoteError,
  ncclInProgress,
};
enum ncclDataType_t {
  ncclInt8,
  ncclUint8,
  ncclInt32,
  ncclUint32,
  ncclInt64,
  ncclUint64,
  ncclFloat16,
  ncclFloat32,
  ncclFloat64,
  ncclBfloat16,
};
enum ncclRedOp_t { ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg };
struct ncclUniqueId {
  char internal[128];
};
using ncclComm_t = struct ncclComm*;
struct ncclConfig_t {
  size_t size;
  unsigned magic, version;
  int blocking;
};
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kAlive = 0x6e63636c636f6d6d;
constexpr const char* kIdBegin = "stand-in ";

/// What ORDO_NCCL_STAND_IN says of `name`: up to two numbers, else -1.
struct Setting {
  long first = -1, second = -1;
};
Setting setting(const char* name) {
  const char* const text = std::getenv("ORDO_NCCL_STAND_IN");
  Setting s;
  if (!text) return s;
  const std::string list = std::string(",") + text, key = std::string(",") + name + "=";
  const size_t at = list.find(key);
  if (at != std::string::npos) std::sscanf(list.c_str() + at + key.size(), "%ld:%ld", &s.first, &s.second);
  return s;
}

thread_local std::string t_error;
ncclResult_t fail(ncclResult_t status, const std::string& why) {
  t_error = why;
  std::fprintf(stderr, "NCCL stand-in: %s\n", why.c_str());
  return status;
}

size_t size_of(ncclDataType_t type) {
  constexpr size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return size_t(type) < std::size(sizes) ? sizes[type] : 0;
}

/// Before a message's bytes. The receiver expects the same.
struct Header {
  uint64_t magic = kAlive;
  int32_t call = 0, type = 0;
  uint64_t count = 0, group = 0;
  friend bool operator==(const Header&, const Header&) = default;
};

struct Outgoing {
  int to;
  Header header;
  const char* data;
  size_t bytes;
};
struct Incoming {
  int from;
  Header header;
  char* data;
  size_t bytes;
};

struct Failed {
  ncclResult_t status;
  std::string why;
};

}  // namespace

struct ncclComm {
  uint64_t alive = kAlive;
  bool finalized = true;  // or made by ncclCommInitRank, which asks for no ncclCommFinalize
  std::thread connecting{};
  int rank = 0, ranks = 1;
  std::vector<int> sockets;  // of each other rank; -1 is none
  std::atomic<int> error = ncclSuccess;
  std::string why;
  std::atomic<bool> aborted = false;
  uint64_t groups = 0;                // that were queued
  uint64_t collectives = 0;           // of them, not of messages
  std::atomic<uint64_t> waiting = 0;  // of them, not done yet

  void close_all() {
    for (int& s : sockets)
      if (s >= 0) close(std::exchange(s, -1));
  }
};

namespace {

// -- messages ---------------------------------------------------------------------------------------------------------

/// All of them, each peer's in their order.
void transfer(ncclComm& comm, const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives) {
  struct Line {
    std::deque<Outgoing> out;
    std::deque<Incoming> in;
    size_t sent = 0, received = 0;  // of the first one, with its header
    Header header;
  };
  std::vector<Line> lines(size_t(comm.ranks));
  for (const Outgoing& m : sends) lines[size_t(m.to)].out.push_back(m);
  for (const Incoming& m : receives) lines[size_t(m.from)].in.push_back(m);
  const long asked = setting("patience").first;
  const auto patience = std::chrono::seconds(asked > 0 ? asked : 120);
  const Clock::time_point begun = Clock::now();
  for (;;) {
    std::vector<pollfd> waits;
    for (int r = 0; r < comm.ranks; ++r) {
      const Line& line = lines[size_t(r)];
      const int events = (line.out.empty() ? 0 : POLLOUT) | (line.in.empty() ? 0 : POLLIN);
      if (events) waits.push_back({comm.sockets[size_t(r)], short(events), 0});
    }
    if (waits.empty()) return;
    if (comm.aborted) throw Failed{ncclInternalError, "the communicator was aborted"};
    if (Clock::now() - begun > patience) throw Failed{ncclSystemError, "a rank does not come"};
    poll(waits.data(), nfds_t(waits.size()), 50);
    for (int r = 0; r < comm.ranks; ++r) {
      Line& line = lines[size_t(r)];
      const int s = comm.sockets[size_t(r)];
      const std::string rank = "rank " + std::to_string(r);
      while (!line.out.empty()) {
        const Outgoing& m = line.out.front();
        const bool of_header = line.sent < sizeof m.header;
        const char* const from =
            of_header ? reinterpret_cast<const char*>(&m.header) + line.sent : m.data + (line.sent - sizeof m.header);
        const size_t left = of_header ? sizeof m.header - line.sent : m.bytes - (line.sent - sizeof m.header);
        if (left > 0) {
          const ssize_t n = send(s, from, left, MSG_NOSIGNAL | MSG_DONTWAIT);
          if (n < 0 && (errno == EAGAIN || errno == EINTR)) break;
          if (n < 0) throw Failed{ncclRemoteError, rank + " has gone"};
          line.sent += size_t(n);
        }
        if (line.sent == sizeof m.header + m.bytes) line.out.pop_front(), line.sent = 0;
      }
      while (!line.in.empty()) {
        const Incoming& m = line.in.front();
        const bool of_header = line.received < sizeof line.header;
        char* const to = of_header ? reinterpret_cast<char*>(&line.header) + line.received
                                   : m.data + (line.received - sizeof line.header);
        const size_t left =
            of_header ? sizeof line.header - line.received : m.bytes - (line.received - sizeof line.header);
        if (left > 0) {
          const ssize_t n = recv(s, to, left, MSG_DONTWAIT);
          if (n < 0 && (errno == EAGAIN || errno == EINTR)) break;
          if (n <= 0) throw Failed{ncclRemoteError, rank + " has gone"};
          line.received += size_t(n);
        }
        if (of_header && line.received == sizeof line.header && line.header != m.header)
          throw Failed{ncclInvalidUsage,
                       rank + " calls something else: call " + std::to_string(line.header.call) + " of " +
                           std::to_string(line.header.count) + " elements of type " + std::to_string(line.header.type) +
                           " in group " + std::to_string(line.header.group) + ", not " + std::to_string(m.header.call) +
                           " of " + std::to_string(m.header.count) + " of type " + std::to_string(m.header.type) +
                           " in group " + std::to_string(m.header.group)};
        if (line.received == sizeof line.header + m.bytes) line.in.pop_front(), line.received = 0;
      }
    }
  }
}

// -- calls ------------------------------------------------------------------------------------------------------------

enum Kind : int { kSend = 1, kRecv, kAllGather, kBroadcast, kAllReduce, kReduceScatter };
struct Call {
  Kind kind;
  const char* from;
  char* to;
  size_t count;
  ncclDataType_t type;
  ncclRedOp_t op;
  int peer;  // or root
  ncclComm* comm;
  cudaStream_t stream;
};

template <class T>
void combine(T* to, const T* with, size_t count, ncclRedOp_t op) {
  for (size_t i = 0; i < count; ++i)
    to[i] = op == ncclSum    ? T(to[i] + with[i])
            : op == ncclProd ? T(to[i] * with[i])
            : op == ncclMax  ? std::max(to[i], with[i])
                             : std::min(to[i], with[i]);
}
void combine(void* to, const void* with, size_t count, ncclDataType_t type, ncclRedOp_t op) {
  const auto as = [&]<class T>(T) { combine(static_cast<T*>(to), static_cast<const T*>(with), count, op); };
  const bool compares = op == ncclMax || op == ncclMin;  // else numbers wrap
  switch (type) {
    case ncclUint8:
      return as(uint8_t());
    case ncclInt32:
      return compares ? as(int32_t()) : as(uint32_t());
    case ncclInt64:
      return compares ? as(int64_t()) : as(uint64_t());
    case ncclFloat32:
      return as(float());
    default:
      return as(double());
  }
}

/// Partial results go from each rank to the next; chunk c is complete in rank c. Then, for kAllReduce, they go around.
void reduce(const Call& call, Header header) {
  ncclComm& comm = *call.comm;
  const int n = comm.ranks, next = (comm.rank + 1) % n, previous = (comm.rank + n - 1) % n;
  const size_t width = size_of(call.type), total = call.kind == kAllReduce ? call.count : call.count * size_t(n);
  std::vector<char> values(call.from, call.from + total * width), other;
  const auto begin = [&](int chunk) { return total * size_t(chunk) / size_t(n); };
  const auto chunk_of = [&](int chunk) { return values.data() + begin(chunk) * width; };
  const auto count_of = [&](int chunk) { return begin(chunk + 1) - begin(chunk); };
  const auto pass = [&](int sent, int received, char* to) {
    Header out = header, in = header;
    out.count = count_of(sent), in.count = count_of(received);
    transfer(comm, {{next, out, chunk_of(sent), count_of(sent) * width}},
             {{previous, in, to, count_of(received) * width}});
  };
  for (int step = 1; step < n; ++step) {
    const int sent = (comm.rank + 2 * n - step) % n, received = (comm.rank + 2 * n - step - 1) % n;
    other.resize(count_of(received) * width + 1);
    pass(sent, received, other.data());
    combine(other.data(), chunk_of(received), count_of(received), call.type, call.op);
    std::memcpy(chunk_of(received), other.data(), count_of(received) * width);
  }
  if (call.kind == kReduceScatter) {
    std::memcpy(call.to, chunk_of(comm.rank), call.count * width);
    return;
  }
  for (int step = 0; step + 1 < n; ++step) {
    const int received = (comm.rank + 2 * n - step - 1) % n;
    pass((comm.rank + n - step) % n, received, chunk_of(received));
  }
  std::memcpy(call.to, values.data(), values.size());
}

/// Messages of two ranks match in their order, whatever else those do; `collective` is the same for all ranks, 0 for
/// messages.
void go(const std::vector<Call>& calls, uint64_t group, uint64_t collective) {
  ncclComm& comm = *calls[0].comm;
  const Setting error = setting("error"), silence = setting("silence");
  if (error.first == comm.rank && error.second == long(group))
    throw Failed{ncclUnhandledCudaError, "as ORDO_NCCL_STAND_IN asks"};
  if (silence.first == comm.rank && silence.second == long(group))
    std::this_thread::sleep_for(std::chrono::seconds(3600));
  std::vector<Outgoing> sends;
  std::vector<Incoming> receives;
  for (const Call& c : calls) {
    const Header header{
        .call = c.kind == kRecv ? kSend : c.kind, .type = c.type, .count = c.count, .group = collective};
    const size_t bytes = c.count * size_of(c.type);
    if (c.kind == kSend) sends.push_back({c.peer, header, c.from, bytes});
    if (c.kind == kRecv) receives.push_back({c.peer, header, c.to, bytes});
    if (c.kind == kAllGather) {
      std::memmove(c.to + size_t(comm.rank) * bytes, c.from, bytes);
      for (int r = 0; r < comm.ranks; ++r) {
        if (r == comm.rank) continue;
        sends.push_back({r, header, c.to + size_t(comm.rank) * bytes, bytes});
        receives.push_back({r, header, c.to + size_t(r) * bytes, bytes});
      }
    }
    if (c.kind == kBroadcast) {
      if (c.peer == comm.rank) std::memmove(c.to, c.from, bytes);
      for (int r = 0; r < comm.ranks; ++r)
        if (c.peer == comm.rank && r != comm.rank) sends.push_back({r, header, c.to, bytes});
      if (c.peer != comm.rank) receives.push_back({c.peer, header, c.to, bytes});
    }
    if (c.kind == kAllReduce || c.kind == kReduceScatter) {
      transfer(comm, std::exchange(sends, {}), std::exchange(receives, {}));
      reduce(c, header);
    }
  }
  transfer(comm, sends, receives);
}

thread_local int t_depth = 0;
thread_local std::vector<Call> t_calls;

ncclResult_t queue() {
  const std::vector<Call> calls = std::exchange(t_calls, {});
  if (calls.empty()) return ncclSuccess;
  for (const Call& c : calls)
    if (c.comm != calls[0].comm || c.stream != calls[0].stream)
      return fail(ncclInvalidUsage, "a group of several communicators or streams");
  ncclComm* const comm = calls[0].comm;
  const bool messages = calls[0].kind == kSend || calls[0].kind == kRecv;
  const uint64_t group = ++comm->groups, collective = messages ? 0 : ++comm->collectives;
  ++comm->waiting;
  const auto done = std::make_shared<std::atomic<bool>>(false);
  const auto work = [comm, calls, group, collective, done] {
    if (comm->error == ncclSuccess) try {
        go(calls, group, collective);
      } catch (const Failed& failed) {
        comm->why = failed.why;
        comm->error = failed.status;
        comm->close_all();
      }
    // As NCCL's kernels, which what has failed leaves waiting.
    while (comm->error != ncclSuccess && !comm->aborted) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --comm->waiting;
    *done = true;
  };
  using namespace ordo::cuda::emulator;
  queue_task(calls[0].stream, [work] { std::thread(work).detach(); });
  queue_wait(calls[0].stream, [done] { return done->load(); });
  return ncclSuccess;
}

ncclResult_t add(Call call, const char* name) {
  const std::string of = std::string(name) + ": ";
  ncclComm* const comm = call.comm;
  if (!comm || comm->alive != kAlive) return fail(ncclInvalidArgument, of + "no communicator");
  if (comm->error != ncclSuccess) return fail(ncclInvalidUsage, of + "the communicator has failed");
  if (size_of(call.type) == 0) return fail(ncclInvalidArgument, of + "no data type");
  if (call.peer < 0 || call.peer >= comm->ranks) return fail(ncclInvalidArgument, of + "no such rank");
  if ((call.kind == kSend || call.kind == kRecv) && (t_depth == 0 || call.peer == comm->rank))
    return fail(ncclInvalidUsage, of + "outside a group, or to itself: not what Ordo is meant to do");
  if (!call.stream) return fail(ncclInvalidArgument, of + "on the null stream");
  const bool reduces = call.kind == kAllReduce || call.kind == kReduceScatter;
  const bool has_sum = call.type == ncclUint8 || call.type == ncclInt32 || call.type == ncclInt64 ||
                       call.type == ncclFloat32 || call.type == ncclFloat64;
  if (reduces && (!has_sum || call.op < ncclSum || call.op > ncclMin))
    return fail(ncclInvalidArgument, of + "a reduction that is not here");
  const size_t one = call.count * size_of(call.type), all = one * size_t(comm->ranks);
  const size_t read = call.kind == kReduceScatter ? all : one, written = call.kind == kAllGather ? all : one;
  using ordo::cuda::emulator::is_device_memory;
  const bool root = call.kind != kBroadcast || call.peer == comm->rank;
  if (call.kind != kRecv && root && !is_device_memory(call.from, read))
    return fail(ncclInvalidArgument, of + "what is sent is no memory of the device");
  if (call.kind != kSend && !is_device_memory(call.to, written))
    return fail(ncclInvalidArgument, of + "what is received goes to no memory of the device");
  t_calls.push_back(call);
  return t_depth == 0 ? queue() : ncclSuccess;
}

// -- connections ------------------------------------------------------------------------------------------------------

/// Of rank r: in the system's memory, not a file.
sockaddr_un address_of(const ncclUniqueId& id, int rank, socklen_t& length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = std::string(id.internal) + " " + std::to_string(rank);
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  length = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

/// Connected to all others, or what went wrong.
std::string connect_all(ncclComm& comm, const ncclUniqueId& id) {
  comm.sockets.assign(size_t(comm.ranks), -1);
  socklen_t length = 0;
  const int door = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address = address_of(id, comm.rank, length);
  if (bind(door, reinterpret_cast<sockaddr*>(&address), length) != 0 || listen(door, 64) != 0) {
    close(door);
    return "two ranks " + std::to_string(comm.rank);
  }
  const Clock::time_point end = Clock::now() + std::chrono::seconds(30);
  for (int r = 0; r < comm.rank; ++r) {
    address = address_of(id, r, length);
    const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    while (connect(s, reinterpret_cast<sockaddr*>(&address), length) != 0 && Clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (send(s, &comm.rank, sizeof comm.rank, MSG_NOSIGNAL) != sizeof comm.rank) {
      close(s), close(door);
      return "rank " + std::to_string(r) + " is not there";
    }
    comm.sockets[size_t(r)] = s;
  }
  for (int r = comm.rank + 1; r < comm.ranks; ++r) {
    pollfd wait{door, POLLIN, 0};
    int from = -1;
    const int s = poll(&wait, 1, 30000) == 1 ? accept4(door, nullptr, nullptr, SOCK_CLOEXEC) : -1;
    if (s < 0 || recv(s, &from, sizeof from, MSG_WAITALL) != sizeof from || from <= comm.rank || from >= comm.ranks) {
      close(door);
      return "a rank is not there";
    }
    comm.sockets[size_t(from)] = s;
  }
  close(door);
  return "";
}

}  // namespace

// -- the interface ----------------------------------------------------------------------------------------------------

#define STAND_IN extern "C" [[gnu::visibility("default")]]

STAND_IN ncclResult_t ncclGetVersion(int* version) {
  const long asked = setting("version").first;
  *version = asked >= 0 ? int(asked) : 22703;
  return ncclSuccess;
}
STAND_IN const char* ncclGetErrorString(ncclResult_t status) {
  constexpr const char* texts[] = {"no error",
                                   "unhandled cuda error",
                                   "unhandled system error",
                                   "internal error",
                                   "invalid argument",
                                   "invalid usage",
                                   "remote process exited or there was a network error",
                                   "operation in progress"};
  return size_t(status) < std::size(texts) ? texts[status] : "unknown";
}
STAND_IN const char* ncclGetLastError(ncclComm_t comm) {
  return comm && comm->alive == kAlive && !comm->why.empty() ? comm->why.c_str() : t_error.c_str();
}
STAND_IN ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  if (setting("unique_id").first == 1) return fail(ncclSystemError, "no unique id, as ORDO_NCCL_STAND_IN asks");
  static std::atomic<int> number = 0;
  *id = {};
  std::snprintf(id->internal, sizeof id->internal, "%s%d %d %llx", kIdBegin, int(getpid()), ++number,
                static_cast<unsigned long long>(Clock::now().time_since_epoch().count()));
  return ncclSuccess;
}
/// Connects what is made already.
static ncclResult_t begin(ncclComm& comm, const ncclUniqueId& id) {
  const auto fails = [&](ncclResult_t status, const std::string& why) {
    comm.close_all();
    comm.why = why;
    return fail(status, why);
  };
  if (setting("init_silence").first == comm.rank) std::this_thread::sleep_for(std::chrono::seconds(3600));
  if (const std::string why = connect_all(comm, id); !why.empty())
    return fails(ncclSystemError, "ncclCommInitRank: " + why);
  if (setting("init").first == comm.rank)
    return fails(ncclInternalError, "ncclCommInitRank fails, as ORDO_NCCL_STAND_IN asks");
  return ncclSuccess;
}
static ncclResult_t make(ncclComm_t* comm, int ranks, const ncclUniqueId& id, int rank) {
  *comm = nullptr;
  if (ranks < 1 || rank < 0 || rank >= ranks) return fail(ncclInvalidArgument, "ncclCommInitRank: no such rank");
  if (std::strncmp(id.internal, kIdBegin, std::strlen(kIdBegin)) != 0)
    return fail(ncclInvalidArgument, "ncclCommInitRank: the id is not one of ncclGetUniqueId");
  if (t_depth > 0) return fail(ncclInvalidUsage, "ncclCommInitRank: within a group, which is not here");
  *comm = new ncclComm;
  (*comm)->rank = rank, (*comm)->ranks = ranks;
  return ncclSuccess;
}
STAND_IN ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  if (const ncclResult_t status = make(comm, ranks, id, rank); status != ncclSuccess) return status;
  const ncclResult_t status = begin(**comm, id);
  if (status != ncclSuccess) delete std::exchange(*comm, nullptr);
  return status;
}
STAND_IN ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank,
                                             ncclConfig_t* config) {
  if (config->size < sizeof *config || config->magic != 0xcafebeef || config->blocking != 0)
    return fail(ncclInvalidArgument, "ncclCommInitRankConfig: not the configuration that Ordo is meant to ask for");
  if (const ncclResult_t status = make(comm, ranks, id, rank); status != ncclSuccess) return status;
  ncclComm& made = **comm;
  made.finalized = false;
  made.error = ncclInProgress;
  made.connecting = std::thread([&made, id] { made.error = begin(made, id); });
  return ncclInProgress;
}
STAND_IN ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  if (!comm || comm->alive != kAlive) return fail(ncclInvalidArgument, "ncclCommFinalize: no communicator");
  if (comm->waiting > 0) return fail(ncclInvalidUsage, "ncclCommFinalize: work is not done yet");
  comm->finalized = true;
  return ncclSuccess;
}
STAND_IN ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  if (!comm || comm->alive != kAlive) return fail(ncclInvalidArgument, "ncclCommDestroy: no communicator");
  if (comm->waiting > 0) return fail(ncclInvalidUsage, "ncclCommDestroy: work is not done yet");
  if (!comm->finalized) return fail(ncclInvalidUsage, "ncclCommDestroy: without ncclCommFinalize");
  if (comm->connecting.joinable()) comm->connecting.join();
  comm->close_all();
  comm->alive = 0;
  delete comm;
  return ncclSuccess;
}
STAND_IN ncclResult_t ncclCommAbort(ncclComm_t comm) {
  if (!comm || comm->alive != kAlive) return fail(ncclInvalidArgument, "ncclCommAbort: no communicator");
  comm->aborted = true;
  while (comm->waiting > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  comm->finalized = true;
  return ncclCommDestroy(comm);
}
STAND_IN ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  if (!comm || comm->alive != kAlive) return fail(ncclInvalidArgument, "ncclCommGetAsyncError: no communicator");
  *error = ncclResult_t(comm->error.load());
  return ncclSuccess;
}
STAND_IN ncclResult_t ncclGroupStart() {
  ++t_depth;
  return ncclSuccess;
}
STAND_IN ncclResult_t ncclGroupEnd() {
  if (t_depth == 0) return fail(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
  return --t_depth == 0 ? queue() : ncclSuccess;
}
STAND_IN ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                               cudaStream_t stream) {
  return add({kSend, static_cast<const char*>(from), nullptr, count, type, ncclSum, peer, comm, stream}, "ncclSend");
}
STAND_IN ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                               cudaStream_t stream) {
  return add({kRecv, nullptr, static_cast<char*>(to), count, type, ncclSum, peer, comm, stream}, "ncclRecv");
}
#define STAND_IN_CALL(kind, peer, op) \
  add({kind, static_cast<const char*>(from), static_cast<char*>(to), count, type, op, peer, comm, stream}, __func__)
STAND_IN ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t comm,
                                    cudaStream_t stream) {
  return STAND_IN_CALL(kAllGather, 0, ncclSum);
}
STAND_IN ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root,
                                    ncclComm_t comm, cudaStream_t stream) {
  return STAND_IN_CALL(kBroadcast, root, ncclSum);
}
STAND_IN ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                                    ncclComm_t comm, cudaStream_t stream) {
  return STAND_IN_CALL(kAllReduce, 0, op);
}
STAND_IN ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                                        ncclComm_t comm, cudaStream_t stream) {
  return STAND_IN_CALL(kReduceScatter, 0, op);
}

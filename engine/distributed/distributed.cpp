#include <ordo/engine/distributed/distributed.h>

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/distributed/collectives.h>
#include <ordo/engine/run/about.h>
#include <ordo/engine/run/determinism.h>
#include <ordo/engine/run/parallel.h>

namespace ordo::distributed {

void set_world(std::unique_ptr<World> world);  // world.cpp

namespace {

/// One MPI, by what its mpirun tells the processes that it starts.
struct Launcher {
  const char* name;
  const char* plugin;
  const char* rank;  // variables
  const char* size;
  const char* local_size;  // processes on this machine
  const char* local_rank;  // this one's number among them
};
constexpr Launcher kLaunchers[] = {
    {"Open MPI", "libordo_openmpi.so", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"MPICH", "libordo_mpich.so", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", "MPI_LOCALRANKID"},
};

const Launcher* launcher() {
  for (const Launcher& l : kLaunchers)
    if (std::getenv(l.size)) return &l;
  return nullptr;
}

/// Beside libordo.so.
std::string path_of(const char* plugin) {
  static const char here = 0;
  Dl_info own;
  ORDO_CHECK(dladdr(&here, &own) && own.dli_fname, DistributedError, "distributed::init",
             "cannot find where Ordo's library is");
  return (std::filesystem::path(own.dli_fname).parent_path() / plugin).string();
}

/// MPI waits at its start for all processes, and cannot be told to stop; mpirun ends the job when a process fails.
void end_late_start(const Launcher& by, double timeout) {
  const char* text = std::getenv(by.rank);
  const int rank = text ? std::atoi(text) : 0;
  std::this_thread::sleep_for(
      std::chrono::milliseconds(400 * std::min(rank, 10)));  // the first one's message is enough
  std::fprintf(stderr,
               "[ordo] rank %d of %s: waited %g seconds in distributed::init for the others: each process that mpirun "
               "started must call it\n",
               rank, std::getenv(by.size), timeout);
  std::fflush(stderr);
  std::_Exit(1);
}

std::unique_ptr<Transport> open(const Launcher& by, double timeout) {
  const char* op = "distributed::init";
  const std::string path = path_of(by.plugin);
  ORDO_CHECK(std::filesystem::exists(path), DistributedError, op,
             "mpirun of {} started this process, but Ordo was built without it: there is no {}. Install it ({}) and "
             "build again",
             by.name, path, by.name == kLaunchers[0].name ? "libopenmpi-dev" : "libmpich-dev");
  // Global: MPI opens parts of its own, which look for its functions.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) detail::fail<DistributedError>(op, "{} cannot be opened: {}", by.name, dlerror());
  const auto open_transport = reinterpret_cast<OpenTransport>(dlsym(library, kOpenTransport));
  ORDO_CHECK(open_transport, DistributedError, op, "{} is of another version of Ordo", path);
  char error[256] = "";
  const TimeLimit limit(timeout, [&] { end_late_start(by, timeout); });
  std::unique_ptr<Transport> transport(open_transport(error, sizeof error));
  ORDO_CHECK(transport, DistributedError, op, "{}: {}", by.name, error);
  return transport;
}

double timeout_of(const InitOptions& options) {
  double seconds = options.timeout_seconds;
  if (const char* text = std::getenv("ORDO_DISTRIBUTED_TIMEOUT"); text && seconds == 0) {
    const std::string_view digits = text;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    ORDO_CHECK(error == std::errc() && end == digits.data() + digits.size(), ValueError, "distributed::init",
               "ORDO_DISTRIBUTED_TIMEOUT must be a number of seconds, not '{}'", digits);
  } else if (seconds == 0) {
    seconds = 300;
  }
  ORDO_CHECK(seconds > 0, ValueError, "distributed::init", "needs a timeout above 0 seconds, not {}", seconds);
  return seconds;
}

/// Processes of one machine would otherwise each use all of its cores. No result depends on it.
void share_cores(const Launcher& by, World& world) {
  const char* text = std::getenv(by.local_size);
  if (!text) return;
  const int processes = std::max(1, std::atoi(text));
  world.shares_cores = processes > int(std::thread::hardware_concurrency());
  if (!std::getenv("OMP_NUM_THREADS")) set_num_threads(std::max(1, num_threads() / processes));
}

std::string description() {
  std::string lines =
      fmt::format("Ordo {}\nordering contract {}\nlevel {}\n", version(), ordering_contract(), name(determinism()));
  if (determinism() == Determinism::run_to_run) {  // one build, one kind of machine
    for (const LibraryVersion& library : libraries()) lines += fmt::format("{} {}\n", library.name, library.version);
    for (const std::string& setting : library_settings()) lines += setting + "\n";
    for (const DeviceDescription& device : devices()) lines += fmt::format("{} {}\n", device.device.str(), device.name);
  }
  return lines;
}

}  // namespace

std::string_view name(ReduceOp op) {
  constexpr std::string_view names[] = {"sum", "mean", "product", "min", "max"};
  return size_t(op) < std::size(names) ? names[size_t(op)] : "invalid";
}

bool is_launched() { return launcher() != nullptr; }

static std::atomic<bool> g_initialized = false;

bool is_initialized() { return g_initialized; }

void init(const InitOptions& options) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);  // MPI begins once: another thread that calls this at the time waits
  if (g_initialized || World::current().size() > 1) return;
  const double timeout = timeout_of(options);
  if (const Launcher* by = launcher(); by && std::string_view(std::getenv(by->size)) != "1") {
    set_world(std::make_unique<World>(open(*by, timeout), timeout));
    share_cores(*by, World::current());
    std::atexit([] { World::current().finish(); });
    expect_same(*World::current().all(), "distributed::init", description());
  }
  g_initialized = true;
}

Group new_group(const std::vector<int64_t>& ranks) {
  World& world = World::current();
  const char* op = "distributed::new_group";
  ORDO_CHECK(!ranks.empty(), ValueError, op, "needs at least one rank");
  std::vector<int> members;
  for (const int64_t r : ranks) {
    ORDO_CHECK(r >= 0 && r < world.size(), ValueError, op, "there is no rank {} of {}", r, world.size());
    ORDO_CHECK(std::find(members.begin(), members.end(), int(r)) == members.end(), ValueError, op,
               "rank {} is named twice", r);
    members.push_back(int(r));
  }
  expect_same(*world.all(), op, fmt::format("a group of the ranks {}", fmt::join(ranks, ", ")));
  return Group(world.new_group(std::move(members)));
}

int64_t rank(const Group& group) { return state_of(group).rank; }
int64_t world_size(const Group& group) { return state_of(group).size(); }

Device local_device() {
  const Launcher* by = launcher();
  const char* text = by ? std::getenv(by->local_rank) : nullptr;
  const int devices = cuda::device_count();
  return Device(Device::Type::cuda, text && devices > 0 ? std::max(0, std::atoi(text)) % devices : 0);
}

void barrier(const Group& group) {
  GroupState& state = member_state_of("barrier", group);
  if (state.size() > 1) state.run([&] { meet(state, {.op = "barrier"}); });
}

uint64_t bytes_sent() { return World::current().bytes_sent; }

void fail_job(const std::string& cause) { World::current().end_job(cause); }

}  // namespace ordo::distributed

// The schedules of a device that is simulated, for tests and tools that compile the same in every build. Where
// is_simulated() is false, there is nothing to set and every count is 0. Internal.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ordo::cuda {

/// Whether device cuda:0 is the emulator, or the PTX machine in place of the CUDA runtime: its threads run in an order
/// that is drawn, and every one takes its time.
bool is_simulated();

/// What decides the order in which threads and streams run; docs/emulator.md, docs/ptx.md. The PTX machine has order
/// and seed.
struct Schedule {
  uint64_t seed = 1;
  std::string order = "random";  ///< or "forward", "reverse"
  double yield = 0.3;            ///< chance of giving way at an atomic or a fence
  int multiprocessors = 0;       ///< of the device; 0: drawn from the seed
  bool eager = false;            ///< streams run at once, in program order

  friend bool operator==(const Schedule&, const Schedule&) = default;
};
Schedule schedule();
/// For work queued from now on. Throws ValueError.
void set_schedule(const Schedule& schedule);
/// Launches count from the start again, so that the same work has the same schedules as in a new process.
void restart_schedule();
/// Runs what is queued on all streams. Throws the error of a kernel that nobody was told of.
void finish_queued_work();
/// The environment variables that bring `schedule` about: "ORDO_EMULATOR_SEED=1 ...". Empty where nothing is simulated.
std::string schedule_text(const Schedule& schedule);

/// Since the start of the process, including what is queued.
struct EmulatorCounts {
  uint64_t launches = 0;
  uint64_t float_atomics = 0;      ///< atomic additions of floating-point numbers
  uint64_t float_collectives = 0;  ///< calls of CUB whose floating-point order is its own
  uint64_t host_waits = 0;         ///< calls that wait for a stream, an event or the device; the emulator's only
};
EmulatorCounts emulator_counts();

/// What the launches of a kernel have done since start_counting(), by the names that simulators/ptx/counts.h explains.
/// The last may be of cuBLAS and cuDNN, of which nothing but library_calls is known. Where cuda:0 is not the PTX
/// machine there are none.
struct KernelCounts {
  std::string kernel;
  std::map<std::string, double> counts;
};
/// From now on, with a second-level cache that is empty.
void start_counting();
std::vector<KernelCounts> kernel_counts();

}  // namespace ordo::cuda

// One of three parts, by build.
#include <ordo/engine/run/emulation.h>

#if ORDO_EMULATED

#include <fmt/format.h>

#include <ordo/engine/calls/check.h>
#include <ordo/simulators/emulator/scheduler.h>
#include <ordo/simulators/emulator/streams.h>

namespace ordo::cuda {

bool is_simulated() { return true; }

using emulator::Order;

Schedule schedule() {
  const emulator::Options& o = emulator::options();
  const char* order = o.order == Order::forward ? "forward" : o.order == Order::reverse ? "reverse" : "random";
  return {o.seed, order, o.yield, o.multiprocessors, o.eager};
}

void set_schedule(const Schedule& s) {
  ORDO_CHECK(s.order == "random" || s.order == "forward" || s.order == "reverse", ValueError, "emulator",
             "order '{}'; it must be random, forward or reverse", s.order);
  ORDO_CHECK(s.yield >= 0 && s.yield <= 1, ValueError, "emulator", "yield {}; it must be a probability", s.yield);
  ORDO_CHECK(s.multiprocessors >= 0 && s.multiprocessors <= 1024, ValueError, "emulator",
             "{} multiprocessors; it must be 1 to 1024, or 0 to draw them", s.multiprocessors);
  emulator::Options& o = emulator::options();
  o.seed = s.seed;
  o.order = s.order == "forward" ? Order::forward : s.order == "reverse" ? Order::reverse : Order::random;
  o.yield = s.yield;
  o.multiprocessors = s.multiprocessors;
  o.eager = s.eager || emulator::kEagerByDefault;
}

void restart_schedule() { emulator::restart(); }

void finish_queued_work() {
  while (cudaDeviceSynchronize() != cudaSuccess) {
    cudaGetLastError();
    emulator::throw_failure();
  }
}

std::string schedule_text(const Schedule& s) {
  std::string text =
      fmt::format("ORDO_EMULATOR_SEED={} ORDO_EMULATOR_ORDER={} ORDO_EMULATOR_YIELD={}", s.seed, s.order, s.yield);
  if (s.multiprocessors) text += fmt::format(" ORDO_EMULATOR_MULTIPROCESSORS={}", s.multiprocessors);
  if (s.eager) text += " ORDO_EMULATOR_EAGER=1";
  return text;
}

EmulatorCounts emulator_counts() {
  const emulator::Stats& s = emulator::stats();
  return {s.launches, s.float_atomics, s.float_collectives, s.host_waits};
}
void start_counting() {}
std::vector<KernelCounts> kernel_counts() { return {}; }

}  // namespace ordo::cuda

#elif ORDO_HAS_CUDA

#include <dlfcn.h>
#include <fmt/format.h>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/cuda/cuda.h>

namespace ordo::cuda {

namespace {

// What the PTX machine has beside the CUDA runtime's interface (simulators/ptx/runtime.cpp). Null where the runtime is
// NVIDIA's.
template <class F>
F* of_machine(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}
auto* set_schedule_of_machine() {
  static auto* const f = of_machine<void(const char*, unsigned long long, bool)>("ordo_ptx_set_schedule");
  return f;
}

Schedule g_schedule;

}  // namespace

bool is_simulated() { return set_schedule_of_machine() != nullptr; }

Schedule schedule() { return g_schedule; }

void set_schedule(const Schedule& s) {
  ORDO_CHECK(s.order == "random" || s.order == "forward" || s.order == "reverse", ValueError, "schedule",
             "order '{}'; it must be random, forward or reverse", s.order);
  g_schedule = s;
  if (auto* const set = set_schedule_of_machine()) set(s.order.c_str(), s.seed, s.eager);
}

void restart_schedule() {
  static auto* const restart = of_machine<void()>("ordo_ptx_restart_schedule");
  if (restart) restart();
}

void finish_queued_work() {
  if (is_simulated()) check(cudaDeviceSynchronize(), "synchronize");
}

std::string schedule_text(const Schedule& s) {
  if (!is_simulated()) return {};
  return fmt::format("ORDO_PTX_SEED={} ORDO_PTX_ORDER={}{}", s.seed, s.order, s.eager ? " ORDO_PTX_EAGER=1" : "");
}

EmulatorCounts emulator_counts() {
  static auto* const count = of_machine<void(unsigned long long*, unsigned long long*)>("ordo_ptx_counts");
  if (!count) return {};
  unsigned long long launches = 0, float_atomics = 0;
  count(&launches, &float_atomics);
  return {launches, float_atomics, 0};
}

void start_counting() {
  static auto* const start = of_machine<void()>("ordo_ptx_start_counting");
  if (start) start();
}
std::vector<KernelCounts> kernel_counts() {
  using Visit = void(void* context, const char* kernel, const char* count, unsigned long long value);
  static auto* const visit = of_machine<void(Visit*, void*)>("ordo_ptx_kernel_counts");
  std::vector<KernelCounts> all;
  if (visit)
    visit(
        [](void* context, const char* kernel, const char* count, unsigned long long value) {
          auto& all = *static_cast<std::vector<KernelCounts>*>(context);
          if (all.empty() || all.back().kernel != kernel) all.push_back({kernel, {}});
          all.back().counts[count] = double(value);
        },
        &all);
  return all;
}

}  // namespace ordo::cuda

#else

namespace ordo::cuda {

bool is_simulated() { return false; }
Schedule schedule() { return {}; }
void set_schedule(const Schedule&) {}
void restart_schedule() {}
void finish_queued_work() {}
std::string schedule_text(const Schedule&) { return {}; }
EmulatorCounts emulator_counts() { return {}; }
void start_counting() {}
std::vector<KernelCounts> kernel_counts() { return {}; }

}  // namespace ordo::cuda

#endif

// One of two halves, by build.
#include <ordo/engine/emulation.h>

#if ORDO_EMULATED

#include <fmt/format.h>

#include <ordo/engine/check.h>
#include <ordo/engine/cuda/emulator/scheduler.h>
#include <ordo/engine/cuda/emulator/streams.h>

namespace ordo::cuda {

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
  return {s.launches, s.float_atomics, s.float_collectives};
}

}  // namespace ordo::cuda

#else

namespace ordo::cuda {

Schedule schedule() { return {}; }
void set_schedule(const Schedule&) {}
void restart_schedule() {}
void finish_queued_work() {}
std::string schedule_text(const Schedule&) { return {}; }
EmulatorCounts emulator_counts() { return {}; }

}  // namespace ordo::cuda

#endif

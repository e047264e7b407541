#include <ordo/engine/run/determinism.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/initial_exec.h>
#include <ordo/engine/run/fork.h>
#include <ordo/engine/run/guard_stack.h>

namespace ordo {
namespace {

constexpr std::string_view kNames[] = {"not_guaranteed", "run_to_run", "device_to_device"};

Determinism start_level() {
  const char* text = std::getenv("ORDO_DETERMINISM");
  return text && *text ? determinism_from_name(text) : Determinism::not_guaranteed;
}

struct Settings {
  std::atomic<Determinism> level{start_level()};
  std::atomic<bool> warn_only{false}, fill{true};
  std::atomic<bool> cudnn_benchmark{false}, cudnn_deterministic{false};
};
Settings& settings() {
  static Settings s;
  return s;
}

constexpr int kNoGuard = -1;
thread_local int guard_level ORDO_INITIAL_EXEC = kNoGuard;

}  // namespace

static Determinism known(Determinism level) {
  ORDO_CHECK(size_t(level) < std::size(kNames), ValueError, "determinism", "number {} is not a level", int(level));
  return level;
}

std::string_view name(Determinism level) {
  return size_t(level) < std::size(kNames) ? kNames[size_t(level)] : "invalid";
}

Determinism determinism_from_name(std::string_view text) {
  for (int i = 0; i < 3; ++i)
    if (kNames[i] == text) return Determinism(i);
  detail::fail<ValueError>("determinism",
                           "\"{}\" is not a level; there are not_guaranteed, run_to_run and device_to_device", text);
}

void use_deterministic_algorithms(bool on, bool warn_only) {
  set_determinism(on ? Determinism::run_to_run : Determinism::not_guaranteed, warn_only);
}

void set_determinism(Determinism level, bool warn_only) {
  settings().level = known(level);
  settings().warn_only = warn_only;
}

Determinism determinism() {
  return guard_level == kNoGuard ? settings().level.load(std::memory_order_relaxed) : Determinism(guard_level);
}

bool determinism_warn_only() { return settings().warn_only; }

static thread_local detail::GuardStack<int> guards;

DeterminismGuard::DeterminismGuard(Determinism level) { guards.begin(this, guard_level, int(known(level))); }
DeterminismGuard::~DeterminismGuard() { guards.end("DeterminismGuard", this, guard_level); }

void set_fill_uninitialized_memory(bool on) { settings().fill = on; }
bool fill_uninitialized_memory() { return settings().fill; }

CudnnSettings cudnn_settings() { return {settings().cudnn_benchmark, settings().cudnn_deterministic}; }
void set_cudnn_settings(CudnnSettings s) {
  settings().cudnn_benchmark = s.benchmark;
  settings().cudnn_deterministic = s.deterministic;
}

void require_determinism(const char* op, Determinism strongest, const char* hint) {
  const Determinism level = determinism();
  if (strongest >= level) return;
  const std::string message = fmt::format("[{}] cannot meet the determinism level {}: it is at best {}. {}", op,
                                          name(level), name(strongest), hint);
  if (!determinism_warn_only()) throw NondeterministicError(message);
  static auto& warned = *new std::set<std::string>;
  const std::lock_guard lock(detail::process_mutex(detail::ProcessLock::warnings));
  if (warned.insert(op).second) std::fprintf(stderr, "ordo: warning: %s\n", message.c_str());
}

}  // namespace ordo

#include <ordo/engine/cuda/emulator/streams.h>

#include <mutex>

#include <ordo/engine/cuda/emulator/threads.h>

namespace ordo::cuda::emulator {

namespace {
std::recursive_mutex g_mutex;
uint64_t g_launches = 0;  // since the start or restart()
uint64_t g_calls = 0;
}  // namespace

void queue_task(cudaStream_t, std::function<void()> work, size_t) {
  const std::lock_guard lock(g_mutex);
  work();
}

void queue_launch(const LaunchCall& call, cudaStream_t) {
  const std::lock_guard lock(g_mutex);
  check_configuration(call);
  run(call, options(), ++g_launches);
}

void finish() {}

void restart() {
  const std::lock_guard lock(g_mutex);
  g_launches = g_calls = 0;
}

uint64_t call_seed() {
  const std::lock_guard lock(g_mutex);
  return Random(options().seed * 0x2545f4914f6cdd1dull + ~++g_calls).next();
}

Stats& stats() {
  finish();
  return counters();
}

}  // namespace ordo::cuda::emulator

#include <ordo/engine/run/fork.h>

#include <pthread.h>

#include <atomic>
#include <iterator>

#include <ordo/engine/run/parallel.h>

namespace ordo {
namespace {

constinit std::mutex g_mutexes[int(detail::ProcessLock::memory) + 1];
constinit std::atomic<int> g_forks = 0;

void lock_all() {
  for (std::mutex& mutex : g_mutexes) mutex.lock();
}

void unlock_all() {
  for (auto mutex = std::rbegin(g_mutexes); mutex != std::rend(g_mutexes); ++mutex) mutex->unlock();
}

[[maybe_unused]] const int g_registered = ::pthread_atfork(lock_all, unlock_all, [] {
  unlock_all();
  ++g_forks;
  detail::forget_threads();
});

}  // namespace

std::mutex& detail::process_mutex(ProcessLock which) { return g_mutexes[int(which)]; }

int detail::forks() { return g_forks.load(std::memory_order_relaxed); }

}  // namespace ordo

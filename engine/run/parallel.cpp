// Pools of threads instead of OpenMP's: waiting threads spin for some microseconds and then sleep, and the calling
// thread runs every piece that no other has begun. On a machine that is busy with something else, nobody then waits for
// a thread that the system has not scheduled. Threads of the program that compute at the same time (a second training,
// a loader's workers) have pools of their own and share the cores evenly.
#include <ordo/engine/run/parallel.h>

#include <sched.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/operation_name.h>
#include <ordo/engine/memory/out_of_memory.h>

namespace ordo {
namespace {

thread_local bool in_region = false;

void relax() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

constexpr int kSpins = 2000;  // some tens of microseconds, more than usually passes between two operations

template <class Done>
void spin_until(const Done& done) {
  for (int i = 0; i < kSpins && !done(); ++i) relax();
}

class Pool {
 public:
  /// One caller at a time has a pool.
  bool try_take() { return !taken_.exchange(true, std::memory_order_acquire); }
  void give_back() { taken_.store(false, std::memory_order_release); }

  /// Runs the pieces here and on `helpers` other threads.
  void run(int pieces, int helpers, void (*body)(void*, int), void* context) {
    while (int(workers_.size()) < helpers) {
      workers_.push_back(std::make_unique<Worker>());
      try {
        std::thread([this, worker = workers_.back().get()] { work(*worker); }).detach();
      } catch (const std::exception&) {
        // The system gives no more threads, or no memory for them; those there are share the work.
      }
    }
    operation_ = detail::operation_in_force;
    body_ = body;
    context_ = context;
    error_ = nullptr;
    unfinished_.store(pieces, std::memory_order_relaxed);
    // Pieces are claimed by counting `next` up in the low bits; the high bits tell one job from another.
    claims_.store({++job_, 0, uint16_t(pieces)}, std::memory_order_release);
    for (int i = 0; i < helpers; ++i) {
      workers_[size_t(i)]->posted.fetch_add(1, std::memory_order_release);
      workers_[size_t(i)]->posted.notify_one();
    }
    while (run_a_piece()) {
    }
    spin_until([this] { return unfinished_.load(std::memory_order_acquire) == 0; });
    for (int left; (left = unfinished_.load(std::memory_order_acquire)) != 0;) unfinished_.wait(left);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  struct alignas(8) Claims {
    uint32_t job;
    uint16_t next, pieces;
  };

  /// False when every piece has been claimed.
  bool run_a_piece() {
    Claims claims = claims_.load(std::memory_order_acquire);
    do {
      if (claims.next == claims.pieces) return false;
    } while (!claims_.compare_exchange_weak(claims, {claims.job, uint16_t(claims.next + 1), claims.pieces},
                                            std::memory_order_acq_rel, std::memory_order_acquire));
    const bool outer = std::exchange(in_region, true);
    const detail::LibraryCall call;
    const detail::OperationName name(detail::OperationName::Always{}, operation_);
    try {
      body_(context_, claims.next);
    } catch (...) {
      const std::lock_guard lock(error_mutex_);
      if (!error_ || claims.next < error_piece_) {
        error_ = std::current_exception();
        error_piece_ = claims.next;
      }
    }
    in_region = outer;
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
    return true;
  }

  struct alignas(64) Worker {
    std::atomic<int> posted{0};  // jobs it was told of
  };

  void work(Worker& me) {
    for (;;) {
      const int seen = me.posted.load(std::memory_order_acquire);
      while (run_a_piece()) {
      }
      spin_until([&] { return me.posted.load(std::memory_order_acquire) != seen; });
      me.posted.wait(seen, std::memory_order_acquire);
    }
  }

  std::atomic<bool> taken_{false};
  std::vector<std::unique_ptr<Worker>> workers_;
  uint32_t job_ = 0;
  const char* operation_ = nullptr;  // of the caller: errors name it on every thread
  void (*body_)(void*, int) = nullptr;
  void* context_ = nullptr;
  std::exception_ptr error_;
  int error_piece_ = 0;
  std::mutex error_mutex_;
  alignas(64) std::atomic<Claims> claims_{Claims{0, 0, 0}};
  alignas(64) std::atomic<int> unfinished_{0};
};

// More callers than that at a time compute on their own threads only.
constexpr int kPools = 16;
std::atomic<int> callers{0};

// Never destroyed: their threads may still wait when the process ends.
Pool* pools() {
  static auto* all = new Pool[kPools];
  return all;
}

Pool* take_pool() {
  for (int i = 0; i < kPools; ++i)
    if (pools()[i].try_take()) return &pools()[i];
  return nullptr;
}

constexpr int kMaxThreads = 4096;

/// OMP_NUM_THREADS (the first number of a list), else the cores that this process may use.
int default_threads() {
  if (const char* text = std::getenv("OMP_NUM_THREADS")) {
    const long wanted = std::strtol(text, nullptr, 10);
    if (wanted >= 1) return int(std::min<long>(wanted, kMaxThreads));
  }
  cpu_set_t usable;
  const int cores =
      sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : int(std::thread::hardware_concurrency());
  return std::clamp(cores, 1, kMaxThreads);
}

std::atomic<int>& thread_setting() {
  static std::atomic<int> n{default_threads()};
  return n;
}

}  // namespace

int num_threads() { return thread_setting().load(std::memory_order_relaxed); }

void set_num_threads(int n) {
  ORDO_CHECK(n >= 1 && n <= kMaxThreads, ValueError, "set_num_threads", "takes 1 to {} threads, not {}", kMaxThreads,
             n);
  thread_setting() = n;
}

void detail::forget_threads() {
  if (in_region) return;
  callers = 0;
  for (int i = 0; i < kPools; ++i) new (&pools()[i]) Pool;  // what they had may have been about to change
}

bool detail::in_parallel_region() { return in_region; }

void detail::run_pieces(int pieces, void (*body)(void*, int), void* context) {
  struct Caller {
    int count = callers.fetch_add(1, std::memory_order_relaxed) + 1;  // with those who compute already
    Pool* pool = nullptr;
    ~Caller() {
      if (pool) pool->give_back();
      callers.fetch_sub(1, std::memory_order_relaxed);
    }
  } caller;
  const int helpers = std::min(pieces, num_threads() / caller.count) - 1;
  if (helpers > 0) caller.pool = take_pool();
  if (caller.pool) return caller.pool->run(pieces, helpers, body, context);
  for (int piece = 0; piece < pieces; ++piece) body(context, piece);
}

}  // namespace ordo

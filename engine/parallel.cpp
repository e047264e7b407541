#include <ordo/engine/parallel.h>

#include <omp.h>

#include <atomic>

#include <ordo/engine/check.h>

namespace ordo {

static std::atomic<int>& thread_setting() {
  static std::atomic<int> n{omp_get_max_threads()};
  return n;
}

int num_threads() { return thread_setting().load(std::memory_order_relaxed); }

void set_num_threads(int n) {
  ORDO_CHECK(n >= 1 && n <= 4096, ValueError, "set_num_threads", "takes 1 to 4096 threads, not {}", n);
  thread_setting() = n;
}

bool detail::in_parallel_region() { return omp_in_parallel(); }

void detail::run_pieces(int pieces, void (*body)(void*, int), void* context) {
  std::exception_ptr error;
#pragma omp parallel for num_threads(pieces) schedule(static, 1)
  for (int piece = 0; piece < pieces; ++piece) {
    try {
      body(context, piece);
    } catch (...) {
#pragma omp critical(ordo_run_pieces)
      if (!error) error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace ordo

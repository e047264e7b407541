#include <ordo/engine/run/matmul_algorithm.h>

#include <atomic>
#include <cstdlib>
#include <string_view>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/initial_exec.h>
#include <ordo/engine/run/guard_stack.h>

namespace ordo {
namespace {

Algorithm known(const char* function, Algorithm algorithm) {
  ORDO_CHECK(algorithm == Algorithm::automatic || algorithm == Algorithm::exact, ValueError, function,
             "takes automatic or exact, not {}", name(algorithm));
  return algorithm;
}

Algorithm start_algorithm() {
  const char* const variable = std::getenv("ORDO_MATMUL");
  const std::string_view text = variable ? variable : "";
  ORDO_CHECK(text.empty() || text == "automatic" || text == "exact", ValueError, "matmul",
             "ORDO_MATMUL must be automatic or exact, not {}", text);
  return text == "exact" ? Algorithm::exact : Algorithm::automatic;
}

std::atomic<Algorithm>& process_algorithm() {
  static std::atomic<Algorithm> algorithm = start_algorithm();
  return algorithm;
}

constexpr int kNoGuard = -1;
thread_local int guard_algorithm ORDO_INITIAL_EXEC = kNoGuard;
thread_local detail::GuardStack<int> guards;

}  // namespace

void set_matmul_algorithm(Algorithm algorithm) { process_algorithm() = known("set_matmul_algorithm", algorithm); }

Algorithm matmul_algorithm() {
  return guard_algorithm == kNoGuard ? process_algorithm().load(std::memory_order_relaxed) : Algorithm(guard_algorithm);
}

MatmulAlgorithmGuard::MatmulAlgorithmGuard(Algorithm algorithm) {
  guards.begin(this, guard_algorithm, int(known("MatmulAlgorithmGuard", algorithm)));
}
MatmulAlgorithmGuard::~MatmulAlgorithmGuard() { guards.end("MatmulAlgorithmGuard", this, guard_algorithm); }

}  // namespace ordo

#include "tests/support/mpi_jobs.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tests/support/threads_scope.h"

namespace ordo::test {
namespace {

bool init_in_threads() {
  std::atomic<int> connected = 0;
  in_threads(8, [&](int) {
    distributed::init();
    connected += distributed::world_size() > 1;
  });
  distributed::barrier();
  return connected == 8;
}

bool groups_of_threads() {
  distributed::init();
  const int64_t size = distributed::world_size();
  std::vector<int64_t> ranks;
  for (int64_t r = 0; r < size; ++r) ranks.push_back(r);
  std::vector<distributed::Group> groups;
  for (int i = 0; i < 4; ++i) groups.push_back(distributed::new_group(ranks));
  std::atomic<int> wrong = 0;
  in_threads(4, [&](int i) {
    for (const Determinism level : {Determinism::not_guaranteed, Determinism::run_to_run}) {
      const DeterminismGuard guard(level);
      for (int k = 0; k < 100; ++k) {
        const Tensor sum =
            distributed::all_reduce(full({3000}, double(i + k)), distributed::ReduceOp::sum, groups[size_t(i)]);
        wrong += sum[0].item() != double((i + k) * size);
      }
    }
  });
  return wrong == 0;
}

bool init_is_missing() {
  const char* own = std::getenv("OMPI_COMM_WORLD_RANK");
  if (!own) own = std::getenv("PMI_RANK");
  if (own && std::string(own) == "1")
    std::this_thread::sleep_for(std::chrono::seconds(60));
  else
    distributed::init();
  return true;
}

}  // namespace

int job_command(const std::vector<std::string>& arguments) {
  const std::string name = arguments.size() == 1 ? arguments[0] : "";
  bool (*const job)() = name == "init_in_threads"     ? init_in_threads
                        : name == "groups_of_threads" ? groups_of_threads
                        : name == "init_is_missing"   ? init_is_missing
                                                      : nullptr;
  if (!job) return std::fputs("usage: ordo_tests job NAME\n", stderr), 2;
  try {
    return job() ? 0 : 1;
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}

}  // namespace ordo::test

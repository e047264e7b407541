// The ordered all-reduce beside the library's own, in one run:   mpirun -n 2 ordo_all_reduce [MEGABYTES...]
// Both work in place on the same memory. Times alternate, one call of each after the other; a time is that of the
// slowest process; medians of all rounds are printed, and the ratio of the least ones.
#include <ordo/engine/distributed/collectives.h>
#include <ordo/kernels/distributed/ordered_reduce.h>
#include <ordo/ordo.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace ordo;
using namespace ordo::distributed;

namespace {

double seconds_of(const std::function<void()>& f) {
  barrier();
  const auto begun = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

}  // namespace

int main(int argc, char** argv) try {
  init();
  std::vector<int64_t> megabytes;
  for (int i = 1; i < argc; ++i) megabytes.push_back(std::atoll(argv[i]));
  if (megabytes.empty()) megabytes = {1, 4, 16, 64, 256};
  World& world = World::current();
  GroupState& all = *world.all();
  if (all.size() == 1) {
    std::fprintf(stderr, "start it by mpirun, with two processes or more\n");
    return 2;
  }
  if (rank() == 0)
    std::printf(
        "%s, %d processes\n   MB  MPI_Allreduce ms  ordered ms  ratio  ratio of least  MB sent by one  by a ring\n",
        world.use_transport([](const Transport& t) { return std::string(t.name()); }).c_str(), all.size());
  kernels::OrderedReduce what{.op = "all_reduce", .dtype = float32, .leaves = all.size()};
  for (int r = 0; r < all.size(); ++r) what.members.push_back({r, r + 1});
  for (const int64_t mb : megabytes) {
    const int64_t count = mb * (1 << 20) / 4;
    Tensor data = full({count}, 1e-3 * double(rank() + 1));
    const int rounds = int(std::max<int64_t>(8, 400 / mb));
    std::vector<double> library, ordered;
    uint64_t sent = 0;
    for (int i = 0; i < rounds; ++i) {
      data.fill_(1e-3 * double(rank() + 1));
      library.push_back(
          seconds_of([&] { all.run([&] { all.reduce(data.data(), size_t(count), int(float32), ReduceOp::sum); }); }));
      data.fill_(1e-3 * double(rank() + 1));
      const uint64_t before = bytes_sent();
      ordered.push_back(seconds_of([&] {
        all.run([&] {
          meet(all, {.op = "all_reduce"});
          kernels::ordered_all_reduce(all, what, {{data.data()}, true}, data.data(), count);
        });
      }));
      sent = bytes_sent() - before;
    }
    const Tensor slowest = all_reduce(stack({from_vector(library, {rounds}), from_vector(ordered, {rounds})}),
                                      ReduceOp::max, {}, Algorithm::direct);
    if (rank() != 0) continue;
    const auto median = [&](int64_t row) { return slowest[row].median().item() * 1e3; };
    const double least = slowest[1].min().item() / slowest[0].min().item();
    const double ring = 2.0 * double(all.size() - 1) / double(all.size()) * double(mb);
    std::printf("%5d  %16.3f  %10.3f  %5.2f  %14.2f  %14.3f  %9.3f\n", int(mb), median(0), median(1),
                median(1) / median(0), least, double(sent) / (1 << 20), ring);
    std::fflush(stdout);
  }
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

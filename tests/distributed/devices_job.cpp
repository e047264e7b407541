// Collectives of CUDA tensors beside those of the same values on the CPU:   mpirun -n N ordo_devices_job nccl|host [K]
// The argument says which way they must take; K: as if each machine had K processes. Ends with an error where bits differ, where that way is not taken, or,
// by NCCL, where a tensor was copied to the host.
#include <ordo/engine/distributed/reduction_tree.h>
#include <ordo/engine/distributed/world.h>
#include <ordo/engine/run/emulation.h>
#include <ordo/ordo.h>
#include <ordo/simulators/emulator/streams.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

using namespace ordo;
using namespace ordo::distributed;

namespace {

bool by_nccl = false;
int compared = 0;

void expect(bool holds, const std::string& what) {
  if (!holds) throw RuntimeError("does not hold: " + what);
}

/// Of several magnitudes, so that another order of sums has other bits; whole numbers where the dtype has no others.
Tensor values(const Dims& sizes, DType dtype, int64_t seed) {
  Generator generator(static_cast<uint64_t>(seed));
  const Tensor scale = exp(randn(sizes, TensorOptions{.dtype = float64}, &generator) * 3.0);
  const Tensor t = randn(sizes, TensorOptions{.dtype = float64}, &generator) * scale;
  if (dtype == boolean) return t > 0;
  return is_floating(dtype) ? t.to(dtype) : (clamp(t.abs(), 0.0, 100.0)).to(dtype);
}

std::vector<char> bytes_of(const Tensor& t) {
  const Tensor host = t.to(cpu).contiguous();
  std::vector<char> bytes(host.nbytes());
  if (!bytes.empty()) std::memcpy(bytes.data(), host.data(), bytes.size());
  return bytes;
}

/// f of the tensor on the CPU and on the device: the same bytes.
void same(const std::string& what, const Tensor& own, const Group& group,
          const std::function<Tensor(const Tensor&)>& f) {
  const Tensor expected = f(own), on_device = own.to(local_device());
  cuda::synchronize(on_device.device());
  const uint64_t before = cuda::emulator::bytes_copied_to_host(), waits = cuda::emulator_counts().host_waits;
  const Tensor result = f(on_device);
  const uint64_t waited = cuda::emulator_counts().host_waits - waits;
  const uint64_t copied = cuda::emulator::bytes_copied_to_host() - before;
  const std::string of = what + " of " + std::string(name(own.dtype())) + " " + own.sizes().str();
  expect(result.device() == on_device.device() && result.sizes() == expected.sizes(), of + ": its device or sizes");
  expect(bytes_of(result) == bytes_of(expected), of + ": its bytes");
  expect(bytes_of(on_device) == bytes_of(own), of + ": the argument as it was");
  const int64_t size = world_size(group);
  if (size > 1 && own.numel() > 0) {
    expect((state_of(group).devices.transport != nullptr) == by_nccl, of + ": the way asked for");
    expect(!by_nccl || waited == 0, of + ": the host waited for the device");
    expect((copied == 0) == by_nccl, of + ": " + std::to_string(copied) + " bytes copied to the host");
  }
  ++compared;
}

void moves(const Group& group, DType dtype, int64_t n) {
  const int64_t size = world_size(group), seed = rank() + 1;
  const Tensor own = values({n, 3}, dtype, seed);
  same("all_gather", own, group, [&](const Tensor& t) { return all_gather(t, group); });
  for (int64_t src = 0; src < size; ++src)
    same("broadcast", own, group, [&](const Tensor& t) { return broadcast(t, src, group); });
  same("all_to_all", values({n * size}, dtype, seed), group, [&](const Tensor& t) { return all_to_all(t, group); });
  // Not contiguous.
  same("all_gather", values({3, n + 1}, dtype, seed), group, [&](const Tensor& t) { return all_gather(t.t(), group); });
}

void reductions(const Group& group, DType dtype, int64_t n) {
  const int64_t size = world_size(group), seed = rank() + 1;
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::mean, ReduceOp::product, ReduceOp::min, ReduceOp::max}) {
    if (op == ReduceOp::mean && !is_floating(dtype)) continue;
    const std::string by(name(op));
    same("all_reduce by " + by, values({n}, dtype, seed), group,
         [&](const Tensor& t) { return all_reduce(t, op, group); });
    same("reduce_scatter by " + by, values({size, n}, dtype, seed), group,
         [&](const Tensor& t) { return reduce_scatter(t, op, group); });
  }
}

/// By the library, in its own order. Of whole numbers any order gives the same.
void by_the_library(const Group& group) {
  const DeterminismGuard guard(Determinism::not_guaranteed);
  const int64_t size = world_size(group), seed = rank() + 1;
  for (const DType dtype : {uint8, int32, int64}) {
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::product, ReduceOp::min, ReduceOp::max}) {
      same("all_reduce", values({50}, dtype, seed), group, [&](const Tensor& t) { return all_reduce(t, op, group); });
      same("reduce_scatter", values({size, 5}, dtype, seed), group,
           [&](const Tensor& t) { return reduce_scatter(t, op, group); });
    }
  }
  for (const DType dtype : {float32, float64}) {
    const Tensor own = values({2000}, dtype, seed).to(local_device());
    const Tensor library = all_reduce(own, ReduceOp::sum, group);
    const Tensor tree = all_reduce(own, ReduceOp::sum, group, Algorithm::direct);
    const Tensor difference = (library - tree).abs().to(cpu),
                 scale = all_reduce(own.abs(), ReduceOp::sum, group).to(cpu);
    expect((difference - scale * 1e-5).max().item() <= 0, "the library's sum is near the tree's");
    if (by_nccl && size > 2) expect(bytes_of(library) != bytes_of(tree), "the library's order shows");
    ++compared;
  }
}

/// As much as a ring's, and what the same call sends of a CPU tensor. Between machines, what one process of each would.
void traffic(const Group& group, int64_t of_machine) {
  const int64_t size = world_size(group), floats = 1 << 16;
  const auto sent = [&](const Tensor& t) {
    const uint64_t before = bytes_sent();
    (void)all_reduce(t, ReduceOp::sum, group);
    return double(bytes_sent() - before);
  };
  const Tensor own = values({floats}, float32, rank() + 1);
  const double ring = 2.0 * double(size - 1) / double(size) * double(floats) * 4;
  const double of_device = sent(own.to(local_device())), of_cpu = sent(own);
  // Of the tree's nodes that the members of a machine leave, each is sent to other machines.
  const double nodes = of_machine > 0 ? double(roots_of(size, {0, of_machine}).size()) : 1;
  if (nodes == 1) expect(of_device <= 1.1 * ring && of_device >= 0.99 * ring, "a ring's traffic");
  if (of_machine == 0) return expect(of_device == of_cpu, "the traffic of the same CPU tensor");
  const int64_t machines = size / of_machine;
  const uint64_t before = World::current().bytes_between_machines;
  (void)sent(own.to(local_device()));
  const double between = double(World::current().bytes_between_machines - before) * double(of_machine);
  const double ring_of_machines = (nodes + 1) * double(machines - 1) / double(machines) * double(floats) * 4;
  expect(between <= 1.1 * ring_of_machines && between >= 0.9 * ring_of_machines, "the traffic between machines");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    by_nccl = argc >= 2 && std::string(argv[1]) == "nccl";
    init();
    const int64_t of_machine = argc == 3 ? std::stoll(argv[2]) : 0;
    if (of_machine > 0) setenv("NCCL_HOSTID", std::to_string(rank() / of_machine).c_str(), 1);
    const Group all;
    for (const Determinism level : {Determinism::run_to_run, Determinism::device_to_device}) {
      const DeterminismGuard guard(level);
      for (const DType dtype : {boolean, uint8, int32, int64, float16, bfloat16, float32, float64}) {
        for (const int64_t n : {0, 1, 7, 300}) {
          moves(all, dtype, n);
          if (dtype != boolean) reductions(all, dtype, n);
        }
      }
      reductions(all, float32, 20011);
      traffic(all, of_machine);
    }
    by_the_library(all);
    if (world_size() > 2) {  // the last rank is not in it, and the others have other numbers
      std::vector<int64_t> ranks;
      for (int64_t r = world_size() - 1; r-- > 0;) ranks.push_back(r);
      const Group some = new_group(ranks);
      const DeterminismGuard guard(Determinism::device_to_device);
      if (rank(some) >= 0) moves(some, float32, 9), reductions(some, float32, 9);
    }
    // A rank whose tensor is on the CPU: all go through the host.
    const DeterminismGuard guard(Determinism::device_to_device);
    const Tensor own = values({100}, float32, rank() + 1);
    const Tensor mixed = all_reduce(rank() == 0 ? own : own.to(local_device()));
    expect(bytes_of(mixed) == bytes_of(all_reduce(own)), "tensors of both devices in one call");
    barrier();
    if (rank() == 0) std::printf("%d results have the same bytes\n", compared);
    return 0;
  } catch (const std::exception& error) {
    fail_job(error.what());
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

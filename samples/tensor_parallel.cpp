// Layers and batches that processes share: `mpirun -n 4 tensor_parallel 2` divides the layers between two processes, and
// the batches between two such pairs. It prints the weights of `tensor_parallel`, to the bit.
#include <ordo/ordo.h>

#include <cstdio>
#include <cstdlib>

using namespace ordo;

namespace {

/// Of the groups, the one that this process is in. All processes make all groups.
distributed::Group own_group(const std::vector<std::vector<int64_t>>& groups) {
  distributed::Group own;
  for (const auto& ranks : groups) {
    const distributed::Group group = distributed::new_group(ranks);
    if (distributed::rank(group) >= 0) own = group;
  }
  return own;
}

void train(int64_t processes_of_layer) {
  const int64_t processes = distributed::world_size(), columns = processes_of_layer, rows = processes / columns;
  if (columns < 1 || rows * columns != processes)
    throw ValueError("[tensor_parallel] the number of processes must be a multiple of those that share a layer");
  std::vector<std::vector<int64_t>> layers(static_cast<size_t>(rows)), batches(static_cast<size_t>(columns));
  for (int64_t r = 0; r < processes; ++r) {
    layers[size_t(r / columns)].push_back(r);
    batches[size_t(r % columns)].push_back(r);
  }
  const distributed::Group layer = own_group(layers), batch = own_group(batches);

  seed_everything({.seed = 1, .deterministic = Determinism::run_to_run});
  const Tensor x = randn({512, 16}), y = argmax(x.matmul(randn({16, 4})), 1);
  nn::ColumnParallelLinear first(16, 64, {.group = layer});
  nn::RowParallelLinear last(64, 4, {.group = layer});
  nn::Sequential model{first, nn::GELU(), last};
  optim::Adam optimizer(model.parameters(), {.lr = 1e-2});
  nn::DataParallel parallel(model, 8, batch);
  double loss = 0;
  for (int64_t step = 0; step < 50; ++step) {
    const int64_t from = step * 64 % x.size(0);
    loss = parallel.backward(64, [&](int64_t begin, int64_t end) {
      return cross_entropy(model(x.slice(0, from + begin, from + end)), y.slice(0, from + begin, from + end));
    });
    optimizer.step();
  }
  const TensorList whole{distributed::all_gather(first.weight.detach(), layer),
                         distributed::all_gather(first.bias.detach(), layer),
                         distributed::all_gather(last.weight.detach().t().contiguous(), layer), last.bias.detach()};
  if (distributed::rank() == 0) std::printf("loss %.17g\nweights %s\n", loss, sha256_hex(whole).c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  distributed::init();
  train(argc > 1 ? std::atoll(argv[1]) : 1);
} catch (const Error& error) {
  distributed::fail_job(error.what());
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

// A training loop of one's own in several processes: `mpirun -n 4 own_loop` prints the weights of `own_loop`, to the bit.
#include <ordo/ordo.h>

#include <cstdio>

int main() {
  using namespace ordo;
  distributed::init();
  seed_everything({.seed = 1, .deterministic = Determinism::run_to_run});
  const Tensor x = randn({2048, 16}), y = argmax(x.matmul(randn({16, 4})), 1);

  nn::Sequential model{nn::Linear(16, 32), nn::ReLU(), nn::Dropout(0.1), nn::Linear(32, 4)};
  optim::Adam optimizer(model.parameters(), {.lr = 1e-2});
  nn::DataParallel parallel(model, 8);  // rows at a time
  double loss = 0;
  for (int64_t step = 0; step < 100; ++step) {
    const int64_t first = step * 64 % x.size(0);
    loss = parallel.backward(64, [&](int64_t begin, int64_t end) {
      return cross_entropy(model(x.slice(0, first + begin, first + end)), y.slice(0, first + begin, first + end));
    });
    optim::clip_grad_norm_(model.parameters(), 1);
    optimizer.step();
  }
  if (distributed::rank() == 0) std::printf("loss %.17g\nweights %s\n", loss, sha256_hex(model.parameters()).c_str());
}

// A small training that does not repeat, for one of ten reasons:   planted CAUSE
//
// atomic, seed, order, uninitialized, shape, outside, pointers, nan, algorithm, vectors; or none, which does repeat.
// `ordo check -- planted CAUSE` names the place and the reason (docs/audit.md).
//
// planted rows|neighbours N: a network's results for N rows, which depend on their own row, or on all.
#include <ordo/kernels/vectors/vector_targets.h>
#include <ordo/ordo.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>

using namespace ordo;

namespace {

uint64_t now() { return uint64_t(std::chrono::steady_clock::now().time_since_epoch().count()); }

/// Batches of the rows of a data set, in an order that the clock chooses.
std::vector<int64_t> rows_by_clock(int64_t batches, int64_t rows) {
  std::vector<int64_t> order(static_cast<size_t>(batches)), all;
  std::iota(order.begin(), order.end(), 0);
  uint64_t random = now();
  for (size_t i = order.size(); i > 1; --i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    std::swap(order[i - 1], order[(random >> 33) % i]);
  }
  for (int64_t batch : order)
    for (int64_t row = 0; row < rows; ++row) all.push_back(batch * rows + row);
  return all;
}

/// A sum in the order in which threads of our own arrive: Ordo sees the result only.
float sum_of_threads(const Tensor& t) {
  const float* values = t.data<float>();
  const int64_t n = t.numel(), piece = 64;
  float sum = 0;
  std::mutex mutex;
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int64_t k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      for (++ready; ready < 4;) std::this_thread::yield();
      for (int64_t first = k * piece; first < n; first += 4 * piece) {
        float part = 0;
        for (int64_t i = first; i < std::min(n, first + piece); ++i) part += values[i];
        const std::lock_guard lock(mutex);
        sum += part;
        if (now() % 4 == 0) std::this_thread::yield();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return sum;
}

/// The sum of the means of its parts, in the order of a hash table of their addresses, which change from run to run.
Tensor sum_by_addresses(const Tensor& t) {
  const TensorList parts = t.chunk(8);
  std::vector<const Tensor*> order;
  for (const Tensor& part : parts) order.push_back(&part);
  std::sort(order.begin(), order.end(), [](const Tensor* a, const Tensor* b) {
    return std::hash<const void*>()(a) % 61 < std::hash<const void*>()(b) % 61;
  });
  Tensor sum = zeros({});
  for (const Tensor* part : order) sum += part->mean();
  return sum;
}

/// What a sensor has measured. Some values were not there in time.
Tensor measured(const Tensor& t) {
  std::vector<float> values(t.data<float>(), t.data<float>() + 4096);
  uint64_t random = now();
  for (float& value : values) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    if (random >> 58 == 0) value = NAN;
  }
  return from_vector(values, {4096});
}

/// The sums of as many groups as the clock says. Into more places than there are values, Ordo adds by another algorithm.
Tensor groups_by_clock(const Tensor& t) {
  const int64_t values = 4096, groups = now() % 2 == 0 ? 64 : 2 * values;
  return zeros(groups).index_add(0, arange(values) % 64, t.narrow(0, 0, values));
}

/// An operation of the program's own, which adds in as many lanes as the processor's vectors have.
Tensor sum_of_lanes(const Tensor& t) {
  const OpCall call("sum_of_lanes", t);
  const std::string vectors = kernels::cpu::vector_targets().front();
  const int64_t lanes = vectors.starts_with("AVX3")                  ? 16
                        : vectors == "AVX2"                          ? 8
                        : vectors == "EMU128" || vectors == "SCALAR" ? 1
                                                                     : 4;
  std::vector<float> sums(static_cast<size_t>(lanes));
  for (int64_t i = 0; i < t.numel(); ++i) sums[size_t(i % lanes)] += t.data<float>()[i];
  return call.done(tensor<float>({std::accumulate(sums.begin(), sums.end(), 0.0f)}));
}

struct Net : nn::Module {
  nn::Embedding words;
  nn::Linear output = add("output", nn::Linear(8, 4));
  explicit Net(int64_t count) : words(add("words", nn::Embedding(count, 8))) {}
  Tensor forward(const Tensor& x) override { return output(words(x).mean(1)); }
};

void train(const std::string& cause) {
  constexpr int64_t kBatches = 6, kRows = 256, kWords = 64;
  if (cause != "atomic")
    set_determinism(Determinism::run_to_run);  // else not_guaranteed, or what ORDO_DETERMINISM says
  set_fill_uninitialized_memory(cause != "uninitialized");
  manual_seed(cause == "seed" ? now() : 1);
  // One word only is as good as a lock: all threads add to its row.
  Net net(cause == "atomic" ? 1 : kWords);
  Generator fixed(7);
  const Tensor x = randint(cause == "atomic" ? 1 : kWords, {kBatches * kRows, kWords}, {int64}, &fixed);
  const Tensor y = randint(4, {kBatches * kRows}, {int64}, &fixed);
  const Tensor noise = randn({1 << 16}, {}, &fixed);
  std::vector<int64_t> rows(size_t(kBatches * kRows));
  std::iota(rows.begin(), rows.end(), 0);
  if (cause == "order") rows = rows_by_clock(kBatches, kRows);
  data::DataLoader loader(data::Subset(data::TensorDataset({x, y}), rows), {.batch_size = kRows});
  optim::SGD sgd(net.parameters(), {.lr = 0.1});
  int64_t step = 0;
  for (auto [inputs, targets] : loader) {
    sgd.zero_grad();
    Tensor loss = cross_entropy(net(inputs), targets);
    if (++step == 3) {
      if (cause == "uninitialized") loss = loss + empty({1 << 14}).clamp(-1, 1).mean();
      if (cause == "shape") loss = loss + noise.narrow(0, 0, int64_t(64 + now() % 60000)).mean();
      if (cause == "outside") loss = loss + tensor<float>({sum_of_threads(noise)}).mean();
      if (cause == "pointers") loss = loss + sum_by_addresses(noise);
      if (cause == "nan") loss = loss + measured(noise).clamp(-1, 1).mean();
      if (cause == "algorithm") loss = loss + groups_by_clock(noise).mean();
      if (cause == "vectors") loss = loss + sum_of_lanes(noise).mean();
    }
    loss.backward();
    sgd.step();
  }
  std::printf("weights %s\n", sha256_hex(net.parameters()).c_str());
}

void predict(int64_t rows, bool neighbours) {
  set_determinism(Determinism::run_to_run);
  manual_seed(1);
  Net net(64);
  nn::BatchNorm1d norm(4);
  if (!neighbours) norm.eval();  // else by the mean of the batch
  Generator fixed(7);
  const NoGrad guard;
  std::printf("results %s\n", sha256_hex({norm(net(randint(64, {rows, 16}, {int64}, &fixed)))}).c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string cause = argc >= 2 ? argv[1] : "";
  if (argc == 3 && (cause == "rows" || cause == "neighbours"))
    return predict(std::stoll(argv[2]), cause == "neighbours"), 0;
  for (const char* known : {"none", "atomic", "seed", "order", "uninitialized", "shape", "outside", "pointers", "nan",
                            "algorithm", "vectors"})
    if (cause == known) return train(cause), 0;
  std::fprintf(stderr,
               "usage: planted none|atomic|seed|order|uninitialized|shape|outside|pointers|nan|algorithm|vectors\n"
               "       planted rows|neighbours N\n");
  return 2;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

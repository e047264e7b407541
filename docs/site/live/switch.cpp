// The switch in a web page: train(DETERMINISTIC, SEED, STEPS) trains on the emulated GPU, where threads run in an order
// drawn from the seed, and prints the loss of each step and the bits of the weights.
#include <emscripten/emscripten.h>

#include <bit>
#include <cstdio>

#include <ordo/simulators/emulator/streams.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>
#include "docs/site/live/on_device.h"
#include "docs/site/live/switch.h"

namespace ordo::site {
namespace {

__global__ void bag_kernel(const int* words, const int* classes, const float* table, const float* weights,
                           float* hidden, float* logit_gradient, float* row_gradient, float* loss) {
  bag_step(int(blockIdx.x * blockDim.x + threadIdx.x), words, classes, table, weights, hidden, logit_gradient,
           row_gradient, loss);
}
__global__ void weight_kernel(const float* hidden, const float* logit_gradient, float* weights) {
  weight_step(int(threadIdx.x), hidden, logit_gradient, weights);
}
__global__ void table_kernel(const float* gradient, float* table) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  table[i] -= kRate * gradient[i];
}
}  // namespace
}  // namespace ordo::site

extern "C" EMSCRIPTEN_KEEPALIVE void train(int deterministic, int seed, int steps) {
  using namespace ordo;
  using namespace ordo::site;
  cuda::emulator::options().seed = uint64_t(seed);
  cuda::emulator::options().stack_bytes = 24 << 10;
  cuda::emulator::options().yield = 0.1;  // enough for another order in every step
  const Data data = make_data();
  const Model model = make_model();
  const OnDevice<int> words(data.words), classes(data.classes);
  OnDevice<float> table(model.table), weights(model.weights), hidden(kBags * kWidth), loss(kBags);
  OnDevice<float> logit_gradient(kBags * kClasses), row_gradient(kBags * kWidth), gradient(kWords * kWidth);
  for (int step = 0; step < steps; ++step) {
    cuda::launch(bag_kernel, dim3(kBags / 32), dim3(32), 0, nullptr, words, classes, table, weights, hidden,
                 logit_gradient, row_gradient, loss);
    cuda::check(cudaMemsetAsync(gradient, 0, sizeof(float) * kWords * kWidth, nullptr), "cudaMemsetAsync");
    // What an operation chooses at not_guaranteed, and above it.
    const WordGradients items{kItems, words, row_gradient};
    const kernels::AccumulateShape shape{kWords, 1, kWidth};
    if (deterministic)
      kernels::cuda::accumulate_sorted(items, gradient.data(), shape, kGpu);
    else
      kernels::cuda::accumulate_atomic(items, gradient.data(), shape, nullptr);
    cuda::launch(weight_kernel, dim3(1), dim3(kWidth * kClasses), 0, nullptr, hidden, logit_gradient, weights);
    cuda::launch(table_kernel, dim3(kWords * kWidth / 32), dim3(32), 0, nullptr, gradient, table);
    double sum = 0;
    for (float l : loss.values()) sum += double(l);
    std::printf("loss %.17g\n", sum / kBags);
  }
  std::vector<float> trained = table.values(), rest = weights.values();
  trained.insert(trained.end(), rest.begin(), rest.end());
  std::printf("weights ");
  for (const float w : trained) std::printf("%08x", std::bit_cast<uint32_t>(w));
  std::printf("\n");
}

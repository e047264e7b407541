// What one GPU does in a second of the things that bench/gpu_model.cpp counts: launches, copies by width, additions to
// memory by type and place, votes, double arithmetic. Prints a table; each figure is the median of several runs.
//   ordo_gpu_micro
// Exit status: 0, or 2 without a CUDA device.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 256, kRuns = 7;

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

/// Median seconds of what `work` queues.
template <class F>
double seconds(const F& work) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "event");
  check(cudaEventCreate(&end), "event");
  std::vector<double> times;
  for (int run = 0; run < kRuns + 1; ++run) {
    check(cudaEventRecord(begin), "record");
    work();
    check(cudaGetLastError(), "launch");
    check(cudaEventRecord(end), "record");
    check(cudaEventSynchronize(end), "wait");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "time");
    if (run > 0) times.push_back(milliseconds * 1e-3);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void row(const char* what, double value, const char* unit) { std::printf("%-58s %10.4g %s\n", what, value, unit); }

__global__ void nothing() {}

template <class T>
__global__ void copy(const T* __restrict__ from, T* __restrict__ to, int64_t n) {
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x)
    to[i] = from[i];
}

__device__ uint32_t mixed(uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
  return x ^ x >> 16;
}

/// Each thread adds to `repeats` of `words` places; with `Result` it uses what was there.
template <class T, bool Result>
__global__ void add(T* data, uint32_t words, int repeats) {
  uint32_t state = blockIdx.x * blockDim.x + threadIdx.x;
  T kept = 0;
  for (int i = 0; i < repeats; ++i) {
    state = mixed(state + 0x9e3779b9u);
    T* place = data + (words == 1 ? 0 : state % words);
    if constexpr (Result)
      kept += atomicAdd(place, T(1));
    else
      atomicAdd(place, T(1));
  }
  if (Result && kept == T(-1)) data[0] = kept;
}

template <class T>
__global__ void add_shared(T* out, uint32_t words, int repeats) {
  __shared__ T sums[2048];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) sums[i] = 0;
  __syncthreads();
  uint32_t state = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < repeats; ++i) {
    state = mixed(state + 0x9e3779b9u);
    atomicAdd(sums + (words == 1 ? 0 : state % words), T(1));
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

template <class T>
__global__ void match(uint32_t* out, int repeats) {
  T state = T(blockIdx.x * blockDim.x + threadIdx.x);
  uint32_t all = 0;
  for (int i = 0; i < repeats; ++i) {
    state = T(mixed(uint32_t(state) + 0x9e3779b9u) & 15);
    all ^= __match_any_sync(0xffffffffu, state);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

/// Eight chains of multiply-adds a thread.
template <class T>
__global__ void multiply_add(T* out, T by, int repeats) {
  T v[8];
  for (int k = 0; k < 8; ++k) v[k] = T(threadIdx.x + k);
  for (int i = 0; i < repeats; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k) v[k] = fma(v[k], by, by);
  T sum = 0;
  for (int k = 0; k < 8; ++k) sum += v[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <class T>
void additions(const char* type, void* memory, int blocks) {
  const auto measure = [&](auto kernel, const char* how, uint32_t words, const char* where, int repeats) {
    const double s = seconds([&] { kernel<<<blocks, kThreads>>>(static_cast<T*>(memory), words, repeats); });
    char title[128];
    std::snprintf(title, sizeof title, "additions of %s, %s, %s", type, how, where);
    row(title, double(blocks) * kThreads * repeats / s * 1e-9, "G/s");
  };
  struct Target {
    uint32_t words;
    const char* where;
    int repeats;
  };
  for (const Target& p :
       {Target{1u << 24, "16M words", 32}, Target{65536, "64K words", 32}, Target{1, "one word", 2}}) {
    measure(add<T, false>, "no result", p.words, p.where, p.repeats);
    measure(add<T, true>, "result used", p.words, p.where, p.repeats);
  }
  measure(add_shared<T>, "no result", 2048, "shared memory, 2048 words", 64);
  measure(add_shared<T>, "no result", 1, "shared memory, one word", 64);
}

}  // namespace

int main() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    std::fprintf(stderr, "ordo_gpu_micro: there is no CUDA device: %s\n", cudaGetErrorString(status));
    return 2;
  }
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0), "properties");
  std::printf("%s, %d multiprocessors, %.0f GB\n\n", device.name, device.multiProcessorCount,
              double(device.totalGlobalMem) * 1e-9);
  const int blocks = device.multiProcessorCount * 8;
  const int64_t bytes = int64_t(1) << 30;
  void *from = nullptr, *to = nullptr;
  check(cudaMalloc(&from, bytes), "memory");
  check(cudaMalloc(&to, bytes), "memory");
  check(cudaMemset(from, 0, bytes), "memset");
  check(cudaMemset(to, 0, bytes), "memset");

  row("launch after launch", seconds([] {
                               for (int i = 0; i < 1000; ++i) nothing<<<1, 32>>>();
                             }) * 1e3,
      "us");
  const auto moved = [&](double s) { return 2 * double(bytes) / s * 1e-12; };
  row("copy by the runtime", moved(seconds([&] { cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice); })),
      "TB/s");
  const auto copies = [&](auto element, const char* title) {
    using T = decltype(element);
    const int64_t n = bytes / int64_t(sizeof(T));
    const int full = int((n + kThreads - 1) / kThreads);
    row(title, moved(seconds([&] { copy<<<full, kThreads>>>(static_cast<const T*>(from), static_cast<T*>(to), n); })),
        "TB/s");
  };
  copies(uint16_t(), "copy, 2 bytes a thread");
  copies(uint32_t(), "copy, 4 bytes a thread");
  copies(uint2(), "copy, 8 bytes a thread");
  copies(uint4(), "copy, 16 bytes a thread");
  additions<float>("float", to, blocks);
  additions<double>("double", to, blocks);
  additions<unsigned>("uint32", to, blocks);
  additions<unsigned long long>("uint64", to, blocks);
  const double threads = double(blocks) * kThreads;
  row("match.any of 32 bits", threads / 32 * 256 / seconds([&] {
                                match<uint32_t><<<blocks, kThreads>>>(static_cast<uint32_t*>(to), 256);
                              }) * 1e-9,
      "G warps/s");
  row("match.any of 64 bits", threads / 32 * 256 / seconds([&] {
                                match<unsigned long long><<<blocks, kThreads>>>(static_cast<uint32_t*>(to), 256);
                              }) * 1e-9,
      "G warps/s");
  row("multiply-adds of float", threads * 8 * 4096 / seconds([&] {
                                  multiply_add<float><<<blocks, kThreads>>>(static_cast<float*>(to), 0.5f, 4096);
                                }) * 1e-12,
      "T/s");
  row("multiply-adds of double", threads * 8 * 4096 / seconds([&] {
                                   multiply_add<double><<<blocks, kThreads>>>(static_cast<double*>(to), 0.5, 4096);
                                 }) * 1e-12,
      "T/s");
  check(cudaDeviceSynchronize(), "end");
  return 0;
}

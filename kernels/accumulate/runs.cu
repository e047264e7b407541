#include <algorithm>
#include <bit>

#include <ordo/engine/cuda/cub.h>
#include <ordo/kernels/accumulate/runs_cuda.cuh>

namespace ordo::kernels::cuda {

template <class Index>
__global__ void run_heads_kernel(const Index* keys, Index* heads, int64_t count) {
  for (int64_t i = ordo::cuda::thread_index(); i < count; i += ordo::cuda::thread_count())
    heads[i] = i == 0 || keys[i] != keys[i - 1];
}

template <class Index>
__global__ void run_starts_kernel(const Index* number, Index* start, int64_t count) {
  for (int64_t i = ordo::cuda::thread_index(); i < count; i += ordo::cuda::thread_count()) {
    if (i == 0 || number[i] != number[i - 1]) start[number[i] - 1] = Index(i);
    if (i == count - 1) start[number[i]] = Index(count);
  }
}

namespace {

template <class F>
void with_temporary(Device device, const char* what, F&& call) {
  size_t bytes = 0;
  ordo::cuda::check(call(nullptr, bytes), what);
  Scratch<char> temporary(int64_t(bytes ? bytes : 1), device);
  ordo::cuda::check(call(temporary.data(), bytes), what);
}

}  // namespace

template <class Index>
Runs<Index> RunBuilder<Index>::build(cudaStream_t stream) {
  const int bits = std::bit_width(uint64_t(destinations_));
  with_temporary(device_, "radix sort", [&](void* temporary, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys_.data(), sorted_keys_.data(), items_.data(),
                                           sorted_items_.data(), count_, 0, bits, stream);
  });
  Index* heads = items_.data();  // no longer needed
  ordo::cuda::launch_over(run_heads_kernel<Index>, count_, stream, sorted_keys_.data(), heads, count_);
  with_temporary(device_, "scan", [&](void* temporary, size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(temporary, bytes, heads, number_.data(), count_, stream);
  });
  ordo::cuda::launch_over(run_starts_kernel<Index>, count_, stream, number_.data(), start_.data(), count_);
  return {sorted_keys_.data(), sorted_items_.data(), number_.data(), start_.data(), count_};
}

template Runs<int32_t> RunBuilder<int32_t>::build(cudaStream_t);
template Runs<int64_t> RunBuilder<int64_t>::build(cudaStream_t);

}  // namespace ordo::kernels::cuda

// The steps of `exact` that do not ask for items, compiled once.
#include <ordo/kernels/accumulate/exact/exact_cuda.cuh>

namespace ordo::kernels::cuda {

__global__ void accumulate_exact_begin_kernel(ExactSums sums) {
  const int64_t total = ExactWindowsUsed(sums).slots() * sums.count;
  ORDO_NO_UNROLL
  for (int64_t c = ordo::cuda::thread_index(); c < total; c += ordo::cuda::thread_count()) sums.sums[c] = 0;
}

template <class T>
__global__ void accumulate_exact_finish_kernel(T* output, ExactSums sums) {
  const ExactWindowsUsed used(sums);
  ORDO_NO_UNROLL
  for (int64_t c = ordo::cuda::thread_index(); c < sums.count; c += ordo::cuda::thread_count()) {
    const auto sum = [&](int64_t slot) { return int64_t(sums.sums[slot * sums.count + c]); };
    const int64_t counts = used.infinities ? sum(used.infinity_slot()) : 0;
    const T old = output[c];
    if (counts != 0 || exact_exponent(float(old)) == kExactNotFinite) {
      output[c] = exact_not_finite_result(old, counts);
      continue;
    }
    int lowest = used.lowest;  // of this element
    while (lowest < used.highest && sum(used.slot(lowest)) == 0) ++lowest;
    output[c] = exact_result(old, used.windows, lowest, used.highest, [&](int w) { return sum(used.slot(w)); });
  }
}

void exact_begin(const ExactSums& sums, cudaStream_t stream) {
  ordo::cuda::launch_over(accumulate_exact_begin_kernel, 2 * sums.count, stream, sums);
}

template <class T>
void exact_finish(T* output, const ExactSums& sums, cudaStream_t stream) {
  ordo::cuda::launch_over(accumulate_exact_finish_kernel<T>, sums.count, stream, output, sums);
}
template void exact_finish(float*, const ExactSums&, cudaStream_t);
template void exact_finish(Half*, const ExactSums&, cudaStream_t);
template void exact_finish(BFloat16*, const ExactSums&, cudaStream_t);

}  // namespace ordo::kernels::cuda

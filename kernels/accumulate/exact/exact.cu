// The step of `exact` that does not ask for items, compiled once.
#include <ordo/kernels/accumulate/exact/exact_cuda.cuh>

namespace ordo::kernels::cuda {

template <class T>
__global__ void accumulate_exact_finish_kernel(T* output, ExactSums sums) {
  if (sums.skipped()) return;
  const bool beyond_usual = *sums.beyond_usual != 0;
  const bool given_up = sums.pass == ExactSums::Pass::usual && beyond_usual;
  ORDO_NO_UNROLL
  for (int64_t c = sums.first + ordo::cuda::thread_index(); c < sums.first + sums.count;
       c += ordo::cuda::thread_count()) {
    if (!given_up) {
      const T old = output[c];
      const double last = beyond_usual ? *sums.level(sums.levels - 1, c) : 0;
      const bool infinite = last - last != 0;  // or a NaN
      if (infinite || exact_exponent(float(old)) == kExactNotFinite)
        output[c] = exact_not_finite_result(old, infinite && !(last < 0), infinite && !(last > 0));
      else
        output[c] =
            exact_result(old, beyond_usual ? sums.levels : ExactSums::kUsual, [&](int k) { return *sums.level(k, c); });
    }
    // For the next part, all of whose levels begin as zeros.
    if (sums.pass != ExactSums::Pass::only && beyond_usual)
      for (int k = 0; k < sums.levels; ++k) *sums.level(k, c) = 0;
  }
}

template <class T>
void exact_finish(T* output, const ExactSums& sums, cudaStream_t stream) {
  ordo::cuda::launch_over(accumulate_exact_finish_kernel<T>, sums.count, stream, output, sums);
}
template void exact_finish(float*, const ExactSums&, cudaStream_t);
template void exact_finish(Half*, const ExactSums&, cudaStream_t);
template void exact_finish(BFloat16*, const ExactSums&, cudaStream_t);

}  // namespace ordo::kernels::cuda

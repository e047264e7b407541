// The folds of `sorted` that do not ask for items, compiled once for every element type.
#include <ordo/kernels/accumulate/factor.h>
#include <ordo/kernels/accumulate/sorted/sorted_cuda.cuh>

namespace ordo::kernels::cuda {

/// Threads for each slot of a level: one for a column, but 32 at most, which take more columns each.
__host__ __device__ inline int level_lanes(int64_t columns) { return columns < 32 ? int(columns) : 32; }

template <class T, class Index>
__global__ void accumulate_level_kernel(T* output, AccumulateShape shape, Runs<Index> runs, int bits,
                                        const accumulate_t<T>* below, accumulate_t<T>* above) {
  using Acc = accumulate_t<T>;
  constexpr int kAhead = 8;
  const int64_t columns = shape.columns(), wide = kOrderedGroup << bits;
  const int lanes = level_lanes(columns);
  const int64_t total = group_slots(runs.count, bits) * lanes;
  ORDO_NO_UNROLL
  for (int64_t t = ordo::cuda::thread_index(); t < total; t += ordo::cuda::thread_count()) {
    const int64_t slot = t / lanes;
    const Group group = runs.group_at(slot, bits);
    if (group.begin < 0 || ((group.begin - group.run_begin) & (wide - 1)) != 0) continue;
    const int groups = runs.groups_from(group.begin, bits);
    const bool begins_run = group.begin == group.run_begin, whole_run = begins_run && !runs.reaches(group.begin, wide);
    const int64_t later = group_slot(group.begin, bits, false);
    ORDO_NO_UNROLL
    for (int64_t c = t % lanes; c < columns; c += lanes) {
      const auto value = [&](int g) { return below[(later + 2 * g) * columns + c]; };
      Acc sum = below[slot * columns + c];
      int g = 1;
      ORDO_NO_UNROLL
      for (; g + kAhead <= groups; g += kAhead) {
        Acc next[kAhead];
        for (int k = 0; k < kAhead; ++k) next[k] = value(g + k);
        for (int k = 0; k < kAhead; ++k) sum = wrapping_add(sum, next[k]);
      }
      ORDO_NO_UNROLL
      for (; g < groups; ++g) sum = wrapping_add(sum, value(g));
      if (whole_run) {
        T& out = output[shape.offset(group.destination, c / shape.inner, c % shape.inner)];
        out = T(wrapping_add(Acc(out), sum));
      } else {
        above[group_slot(group.begin, bits + kOrderedGroupBits, begins_run) * columns + c] = sum;
      }
    }
  }
}

template <class T, class Index>
void fold_level(T* output, const AccumulateShape& shape, const Runs<Index>& runs, int bits,
                const accumulate_t<T>* below, accumulate_t<T>* above, cudaStream_t stream) {
  ordo::cuda::launch_over(accumulate_level_kernel<T, Index>,
                          group_slots(runs.count, bits) * level_lanes(shape.columns()), stream, output, shape, runs,
                          bits, below, above);
}

#define ORDO_FOLD_LEVEL(T, Index)                                                                       \
  template void fold_level(T*, const AccumulateShape&, const Runs<Index>&, int, const accumulate_t<T>*, \
                           accumulate_t<T>*, cudaStream_t);
#define ORDO_FOLD_LEVELS(T)   \
  ORDO_FOLD_LEVEL(T, int32_t) \
  ORDO_FOLD_LEVEL(T, int64_t)
ORDO_FOLD_LEVELS(uint8_t)
ORDO_FOLD_LEVELS(int32_t)
ORDO_FOLD_LEVELS(int64_t)
ORDO_FOLD_LEVELS(Half)
ORDO_FOLD_LEVELS(BFloat16)
ORDO_FOLD_LEVELS(float)
ORDO_FOLD_LEVELS(double)
ORDO_FOLD_LEVELS(Factor<int64_t>)
ORDO_FOLD_LEVELS(Factor<float>)
ORDO_FOLD_LEVELS(Factor<double>)

}  // namespace ordo::kernels::cuda

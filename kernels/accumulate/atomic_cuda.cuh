// The algorithm `atomic` of the accumulate engine on CUDA. Internal to accumulate_cuda.cuh.
//
// What goes to the same place is added up as far as that is cheap, and then added to the output atomically, in the
// order of arrival. atomic_plan.h says which form is taken when, atomic_merge_cuda.cuh how values meet. All forms read
// every value once, in coalesced order; where no destination repeats they cost one atomic addition per value, or per
// `plan.vector` neighbouring ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>

#include <ordo/engine/cuda/atomics.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/atomic_plan.h>
#include <ordo/kernels/accumulate/atomic_merge_cuda.cuh>

namespace ordo::kernels::cuda {

/// Loads under way at a time in a thread that walks over items.
inline constexpr int kAtomicBatch = 4;

/// What sums of T are carried in until they are added to an element of type T. Not accumulate_t: integers wrap around
/// at any width, and the narrower ones are cheaper to pass on.
template <class T>
using AtomicSum = std::conditional_t<sizeof(T) == 2, float, T>;

/// Items that are always of one column say so (kSingleColumn), which spares the kernels for wider ones.
template <class Items>
inline constexpr bool kSingleColumn = requires {
  Items::kSingleColumn;
};

/// Items repeated for every index of the outer dimension: row o * items.count + i is item i, at o. Rows of different o
/// go to different destinations, o * shape.destinations + d.
template <class Items, int V>
struct Rows {
  using value_type = typename Items::value_type;
  using Sum = Pack<AtomicSum<value_type>, V>;
  Items items;
  AccumulateShape shape;

  ORDO_HD int64_t count() const { return items.count * shape.outer; }
  /// The destination of a row, kNowhere for none; and its columns from `inner` on. Reads nothing beyond the last row.
  __device__ int64_t load(int64_t row, int64_t inner, Sum& value) const {
    if (row >= count()) return kNowhere;
    const int64_t o = shape.outer == 1 ? 0 : row / items.count, item = row - o * items.count;
    const int64_t d = items.destination(item);
    if (d < 0) return kNowhere;
    for (int k = 0; k < V; ++k) value.v[k] = AtomicSum<value_type>(item_value(items, shape, item, o, inner + k));
    return o * shape.destinations + d;
  }
};

/// How lanes are laid over narrow rows: a team of the fewest warps that hold whole rows, so that a lane has the same
/// column at every step. A team walks `steps` times the rows that it holds at once.
struct WarpTeams {
  int64_t units, warps, rows, steps;  // of a row; of a team; that a team holds; of a team
  WarpTeams(int64_t units, int64_t steps)
      : units(units), warps(units / std::gcd(units, int64_t(32))), rows(32 * warps / units), steps(steps) {}
  int64_t all_warps(int64_t total_rows) const { return (total_rows + rows * steps - 1) / (rows * steps) * warps; }
};

/// Walks all rows, with whole warps, and gives what is left to add to sink(offset in the output, sum). The destination
/// that most rows of a team's first step have (if any two agree) is added up in the lanes until the end, the others are
/// merged between the lanes at every step.
template <class Items, int V, class Sink>
__device__ void walk_by_warps(const Rows<Items, V>& rows, const WarpTeams& teams, int64_t all_warps, const Sink& sink) {
  using Sum = typename Rows<Items, V>::Sum;
  const int64_t lane = threadIdx.x % 32;
  for (int64_t w = ordo::cuda::thread_index() / 32; w < all_warps; w += ordo::cuda::thread_count() / 32) {
    const int64_t slot = w % teams.warps * 32 + lane, inner = slot % teams.units * V;
    const int64_t first = w / teams.warps * teams.steps * teams.rows + slot / teams.units;
    const auto pass_on = [&](int64_t to, Sum& sum) {
      if (!__any_sync(kAllLanes, to != kNowhere)) return;
      const int64_t offset = to != kNowhere ? to * rows.shape.inner + inner : kNowhere;
      if (merge_lanes(offset, sum)) sink(offset, sum);
    };
    int64_t hot = kNowhere;
    bool hot_met = false;
    Sum hot_sum;
    for (int64_t step = 0; step < teams.steps; step += kAtomicBatch) {
      int64_t to[kAtomicBatch];
      Sum value[kAtomicBatch];
      for (int b = 0; b < kAtomicBatch; ++b)
        to[b] = step + b < teams.steps ? rows.load(first + (step + b) * teams.rows, inner, value[b]) : kNowhere;
      if (step == 0 && teams.steps > 1) hot = most_frequent(to[0], int(teams.units));
      for (int b = 0; b < kAtomicBatch && step + b < teams.steps; ++b) {
        if (to[b] != kNowhere && to[b] == hot) {
          hot_sum.add(value[b]);
          hot_met = true;
          to[b] = kNowhere;
        }
        pass_on(to[b], value[b]);
      }
    }
    if (hot != kNowhere) pass_on(hot_met ? hot : kNowhere, hot_sum);  // the same in all lanes
  }
}

template <class T>
struct GlobalSink {
  T* output;
  template <class Sum>
  __device__ void operator()(int64_t offset, const Sum& sum) const {
    atomic_add_pack(output + offset, sum);
  }
};

template <class Items, int V>
__global__ void accumulate_atomic_warp_kernel(Rows<Items, V> rows, typename Items::value_type* output, WarpTeams teams,
                                              int64_t all_warps) {
  walk_by_warps(rows, teams, all_warps, GlobalSink<typename Items::value_type>{output});
}

/// `outputs` sums in shared memory.
template <class Items>
__global__ void accumulate_atomic_histogram_kernel(Rows<Items, 1> rows, typename Items::value_type* output,
                                                   int64_t outputs, WarpTeams teams, int64_t all_warps) {
  using T = typename Items::value_type;
  using Sum = AtomicSum<T>;
  ORDO_DYNAMIC_SHARED(Sum, sums);
  for (int64_t i = threadIdx.x; i < outputs; i += blockDim.x) sums[i] = Sum(0);
  __syncthreads();
  walk_by_warps(rows, teams, all_warps, GlobalSink<Sum>{sums});
  __syncthreads();
  for (int64_t i = threadIdx.x; i < outputs; i += blockDim.x)
    if (sums[i] != Sum(0)) ordo::cuda::atomic_add(output + i, T(sums[i]));
}

/// Columns are fastest, then chunks of `steps` rows, which a thread walks.
template <class Items, int V>
__global__ void accumulate_atomic_rows_kernel(Rows<Items, V> rows, typename Items::value_type* output, int64_t steps) {
  using Sum = typename Rows<Items, V>::Sum;
  const int64_t units = rows.shape.inner / V, total = (rows.count() + steps - 1) / steps * units;
  for (int64_t t = ordo::cuda::thread_index(); t < total; t += ordo::cuda::thread_count()) {
    const int64_t chunk = t / units, inner = (t - chunk * units) * V;
    const auto add = [&](int64_t to, const Sum& sum) {
      if (to != kNowhere) atomic_add_pack(output + to * rows.shape.inner + inner, sum);
    };
    Walk<Sum> walk;
    Sum sum;
    for (int64_t step = 0; step < steps; step += kAtomicBatch) {
      int64_t to[kAtomicBatch];
      Sum value[kAtomicBatch];
      for (int b = 0; b < kAtomicBatch; ++b)
        to[b] = step + b < steps ? rows.load(chunk * steps + step + b, inner, value[b]) : kNowhere;
      for (int b = 0; b < kAtomicBatch; ++b) add(walk.take(to[b], value[b], sum), sum);
    }
    add(walk.end_run(sum), sum);
    add(walk.often(sum), sum);
  }
}

/// In one of the forms, whatever plan_atomic would choose; tests ask for each.
template <class Items, int V>
void accumulate_atomic_as(const AtomicPlan& plan, const Items& items, typename Items::value_type* output,
                          const AccumulateShape& shape, cudaStream_t stream) {
  using T = typename Items::value_type;
  const Rows<Items, V> rows{items, shape};
  if (plan.form == AtomicForm::rows) {
    if constexpr (!kSingleColumn<Items>) {
      const int64_t chunks = (rows.count() + plan.steps - 1) / plan.steps;
      ordo::cuda::launch_over(accumulate_atomic_rows_kernel<Items, V>, chunks * (shape.inner / V), stream, rows, output,
                              plan.steps);
    }
    return;
  }
  const WarpTeams teams(shape.inner / V, plan.steps);
  const int64_t warps = teams.all_warps(rows.count());
  if (plan.form == AtomicForm::warp) {
    ordo::cuda::launch_over(accumulate_atomic_warp_kernel<Items, V>, warps * 32, stream, rows, output, teams, warps);
  } else if constexpr (V == 1) {
    const auto& tuning = ordo::cuda::launch_tuning();
    const int64_t outputs = shape.destinations * shape.columns();
    ordo::cuda::launch(accumulate_atomic_histogram_kernel<Items>,
                       dim3(unsigned(std::min(plan.histogram_blocks, tuning.most_blocks))),
                       dim3(unsigned(tuning.block)), size_t(outputs) * sizeof(AtomicSum<T>), stream, rows, output,
                       outputs, teams, warps);
  }
}

template <class Items>
void accumulate_atomic(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                       cudaStream_t stream) {
  constexpr int kVector = kSingleColumn<Items> ? 1 : kAtomicVector<typename Items::value_type>;
  const AtomicPlan plan = plan_atomic(items.count, shape, output);
  if (plan.vector == kVector) return accumulate_atomic_as<Items, kVector>(plan, items, output, shape, stream);
  accumulate_atomic_as<Items, 1>(plan, items, output, shape, stream);
}

}  // namespace ordo::kernels::cuda

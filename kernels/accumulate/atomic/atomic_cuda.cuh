// The algorithm `atomic` of the accumulate engine on CUDA. Internal to accumulate_cuda.cuh.
//
// What goes to the same place is added up as far as that is cheap, and then added to the output atomically, in the
// order of arrival. atomic_plan.h chooses the form, ../shared/merge_cuda.cuh merges values. All forms read
// every value once, in coalesced order; where no destination repeats they cost one atomic addition per value, or per
// `plan.vector` neighbouring ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>

#include <ordo/engine/cuda/atomics.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/tensor/divisor.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/atomic/atomic_plan.h>
#include <ordo/kernels/accumulate/shared/merge_cuda.cuh>

namespace ordo::kernels::cuda {

/// What sums of T are carried in until they are added to an element of type T. Not accumulate_t: integers wrap around
/// at any width, and the narrower ones are cheaper to pass on.
template <class T>
using AtomicSum = std::conditional_t<sizeof(T) == 2, float, T>;

/// items.destination() in two parts, where it has them.
template <class Items>
__device__ int64_t raw_destination(const Items& items, int64_t item) {
  if constexpr (requires { items.raw_destination(item); })
    return items.raw_destination(item);
  else
    return items.destination(item);
}
template <class Items>
__device__ int64_t destination_from(const Items& items, int64_t item, int64_t raw) {
  if constexpr (requires { items.raw_destination(item); })
    return items.destination_from(item, raw);
  else
    return raw;
}

/// Items repeated for every index of the outer dimension: row o * items.count + i is item i, at o. Rows of different o
/// go to different destinations, o * shape.destinations + d.
template <class Items, int V>
struct Rows {
  using value_type = typename Items::value_type;
  using Sum = Pack<AtomicSum<value_type>, V>;
  static constexpr int kBatch = V > 2 ? kAtomicBatch / 2 : kAtomicBatch;  // rows on their way, as registers allow
  Items items;
  AccumulateShape shape;
  Divisor per_outer;

  Rows(const Items& items, const AccumulateShape& shape) : items(items), shape(shape), per_outer(items.count) {}
  ORDO_HD int64_t count() const { return items.count * shape.outer; }
  /// kBatch rows, `apart` from `row` on and only before `end`: where they go, o * shape.destinations + d or
  /// kNowhere, and their columns from `inner` on. All indices are read before the first is looked at.
  __device__ void load(int64_t row, int64_t apart, int64_t end, int64_t inner, int64_t (&to)[kBatch],
                       Sum (&value)[kBatch]) const {
    for (int b = 0; b < kBatch; ++b) {
      const int64_t at = row + b * apart;
      to[b] = at < end ? raw_destination(items, at - outer(at) * items.count) : kNowhere;
    }
    for (int b = 0; b < kBatch; ++b) {
      const int64_t at = row + b * apart;
      if (at >= end) continue;
      const int64_t o = outer(at), item = at - o * items.count, d = destination_from(items, item, to[b]);
      to[b] = d < 0 ? kNowhere : o * shape.destinations + d;
      if (d < 0) continue;
      for (int k = 0; k < V; ++k) value[b].v[k] = AtomicSum<value_type>(item_value(items, shape, item, o, inner + k));
    }
  }

 private:
  ORDO_HD int64_t outer(int64_t row) const { return shape.outer == 1 ? 0 : per_outer.quotient(row); }
};

/// Calls f(destination, value) for each row of a batch. There is one copy of its code, which finds the next row in the
/// registers of the first: four copies of what adds a row would be most of a kernel.
template <int kBatch, class Sum, class F>
__device__ void for_batch(int64_t count, int64_t (&to)[kBatch], Sum (&value)[kBatch], const F& f) {
  ORDO_NO_UNROLL
  for (int64_t b = 0; b < count; ++b) {
    f(to[0], value[0]);
    for (int k = 0; k + 1 < kBatch; ++k) {
      to[k] = to[k + 1];
      value[k] = value[k + 1];
    }
  }
}

/// How lanes are laid over narrow rows: a team of the fewest warps that hold whole rows, so that a lane has the same
/// column at every step. A team walks `steps` times the rows that it holds at once.
struct WarpTeams {
  int units, warps, rows;  // of a row; of a team; that a team holds
  int64_t steps;
  WarpTeams(int64_t row_units, int64_t steps)
      : units(int(row_units)), warps(units / std::gcd(units, 32)), rows(32 * warps / units), steps(steps) {}
  int64_t all_warps(int64_t total_rows) const { return (total_rows + rows * steps - 1) / (rows * steps) * warps; }
};

/// Walks all rows, with whole warps, and gives what is left to add to sink(offset in the output, sum). The destination
/// that most rows of a team's first step have (if any two agree) is added up in the lanes until the end, the others are
/// merged between the lanes at every step.
template <class Items, int V, class Sink>
__device__ void walk_by_warps(const Rows<Items, V>& rows, const WarpTeams& teams, int64_t all_warps, const Sink& sink) {
  using Sum = typename Rows<Items, V>::Sum;
  constexpr int kBatch = Rows<Items, V>::kBatch;
  const int lane = int(threadIdx.x) % 32;
  ORDO_NO_UNROLL
  for (int64_t w = ordo::cuda::thread_index() / 32; w < all_warps; w += ordo::cuda::thread_count() / 32) {
    const int64_t team = teams.warps == 1 ? w : w / teams.warps;
    const int slot = int(w - team * teams.warps) * 32 + lane, inner = slot % teams.units * V;
    const int64_t first = team * teams.steps * teams.rows,
                  end = std::min(first + teams.steps * teams.rows, rows.count());
    const auto pass_on = [&](int64_t to, Sum& sum) {
      if (!__any_sync(kAllLanes, to != kNowhere)) return;
      const int64_t offset = to != kNowhere ? to * rows.shape.inner + inner : kNowhere;
      if (merge_lanes(offset, sum)) sink(offset, sum);
    };
    int64_t hot = kNowhere;
    bool hot_met = false;
    Sum hot_sum;
    ORDO_NO_UNROLL
    for (int64_t step = 0; step < teams.steps; step += kBatch) {
      int64_t to[kBatch];
      Sum value[kBatch];
      rows.load(first + slot / teams.units + step * teams.rows, teams.rows, end, inner, to, value);
      if (step == 0 && teams.steps > 1) hot = most_frequent(to[0], teams.units);
      const int64_t left = teams.steps - step;
      for_batch(left < kBatch ? left : kBatch, to, value, [&](int64_t d, Sum& sum) {
        if (d != kNowhere && d == hot) {
          hot_sum.add(sum);
          hot_met = true;
          d = kNowhere;
        }
        pass_on(d, sum);
      });
    }
    if (hot != kNowhere) pass_on(hot_met ? hot : kNowhere, hot_sum);  // the same in all lanes
  }
}

// So few registers that half of a multiprocessor's warps find some.
#define ORDO_HALF_FULL __launch_bounds__(ordo::cuda::LaunchTuning::kMostThreads, 2)

template <class T>
struct GlobalSink {
  T* output;
  template <class Sum>
  __device__ void operator()(int64_t offset, const Sum& sum) const {
    atomic_add_pack(output + offset, sum);
  }
};

template <class Items, int V>
__global__ void ORDO_HALF_FULL accumulate_atomic_warp_kernel(Rows<Items, V> rows, typename Items::value_type* output,
                                                             WarpTeams teams, int64_t all_warps) {
  walk_by_warps(rows, teams, all_warps, GlobalSink<typename Items::value_type>{output});
}

/// `outputs` sums in shared memory.
template <class Items>
__global__ void ORDO_HALF_FULL accumulate_atomic_histogram_kernel(Rows<Items, 1> rows,
                                                                  typename Items::value_type* output, int64_t outputs,
                                                                  WarpTeams teams, int64_t all_warps) {
  using T = typename Items::value_type;
  using Sum = AtomicSum<T>;
  ORDO_DYNAMIC_SHARED(Sum, sums);
  ORDO_NO_UNROLL
  for (int64_t i = threadIdx.x; i < outputs; i += blockDim.x) sums[i] = Sum(0);
  __syncthreads();
  walk_by_warps(rows, teams, all_warps, GlobalSink<Sum>{sums});
  __syncthreads();
  ORDO_NO_UNROLL
  for (int64_t i = threadIdx.x; i < outputs; i += blockDim.x)
    if (sums[i] != Sum(0)) ordo::cuda::atomic_add(output + i, T(sums[i]));
}

/// Columns are fastest, then chunks of `steps` rows, which a thread walks.
template <class Items, int V>
__global__ void ORDO_HALF_FULL accumulate_atomic_rows_kernel(Rows<Items, V> rows, typename Items::value_type* output,
                                                             int64_t steps) {
  using Sum = typename Rows<Items, V>::Sum;
  constexpr int kBatch = Rows<Items, V>::kBatch;
  const int64_t units = rows.shape.inner / V, total = (rows.count() + steps - 1) / steps * units;
  ORDO_NO_UNROLL
  for (int64_t t = ordo::cuda::thread_index(); t < total; t += ordo::cuda::thread_count()) {
    const int64_t chunk = t / units, inner = (t - chunk * units) * V;
    const int64_t first = chunk * steps, end = std::min(first + steps, rows.count());
    const auto add = [&](int64_t to, const Sum& sum) {
      if (to != kNowhere) atomic_add_pack(output + to * rows.shape.inner + inner, sum);
    };
    Walk<Sum> walk;
    Sum sum;
    ORDO_NO_UNROLL
    for (int64_t row = first; row < end; row += kBatch) {
      int64_t to[kBatch];
      Sum value[kBatch];
      rows.load(row, 1, end, inner, to, value);
      for_batch(kBatch, to, value, [&](int64_t d, const Sum& v) { add(walk.take(d, v, sum), sum); });
    }
    ORDO_NO_UNROLL
    for (int last = 0; last < 2; ++last) add(last ? walk.often(sum) : walk.end_run(sum), sum);
  }
}

/// In one of the forms, whatever plan_atomic would choose; tests ask for each.
template <class Items, int V>
void accumulate_atomic_as(const AtomicPlan& plan, const Items& items, typename Items::value_type* output,
                          const AccumulateShape& shape, cudaStream_t stream) {
  using T = typename Items::value_type;
  const Rows<Items, V> rows(items, shape);
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

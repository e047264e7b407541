// Row programs on CUDA: one kernel where values of a row lie side by side, else one for the folds, or for each of them, and
// one for the map. Internal.
#pragma once

#include <ordo/kernels/reduce/reduce_shape.h>
#include <ordo/kernels/reduce/each_cuda.cuh>
#include <ordo/kernels/reduce/reduce_cuda.cuh>
#include <ordo/kernels/reduce/row_team_cuda.cuh>

namespace ordo::kernels::cuda {

template <class Map>
struct MappedValue {
  Map map;
  Divisor rows, inner;
  ORDO_HD void operator()(int64_t at) const {
    const int64_t line = inner.quotient(at), o = rows.quotient(line);
    map.out[at] = map.value(map.row(line - o * rows.value), at, at + (o - line) * inner.value);
  }
};

/// Two reductions of the same values in one pass, which reads once what both read.
template <class F, class G>
struct Both {
  static constexpr bool kOneLine = kernels::kOneLine<F> && kernels::kOneLine<G>;
  F first;
  G second;
  struct State {
    typename F::State first;
    typename G::State second;
  };
  static ORDO_HD State identity() { return {F::identity(), G::identity()}; }
  static ORDO_HD State empty() { return {F::empty(), G::empty()}; }
  static ORDO_HD State combine(const State& a, const State& b) {
    return {F::combine(a.first, b.first), G::combine(a.second, b.second)};
  }
  ORDO_HD State load(int64_t offset, int64_t i, int64_t output) const {
    return {first.load(offset, i, output), second.load(offset, i, output)};
  }
  ORDO_HD void store(int64_t output, const State& s) const {
    first.store(output, s.first);
    second.store(output, s.second);
  }
};

/// Those of the two that are not null.
template <class F, class G>
void reduce_both(const F* f, const G* g, const ReduceShape& shape, Device device) {
  if (f && g) return reduce(Both<F, G>{*f, *g}, shape, device);
  if (f) reduce(*f, shape, device);
  if (g) reduce(*g, shape, device);
}

/// Rows of values side by side: what a row's team reads again is in its cache. kFirst: whether there are two folds. With at
/// most 64 registers a thread, half of a multiprocessor's warps find room.
template <class Map, class F, class G, bool kFirst>
__global__ void __launch_bounds__(32 * RowTeam::kMost, 4)
    row_program_kernel(int warps, Map map, F f, G g, RowsShape s, Divisor part) {
  const RowTeam team(warps);
  ORDO_NO_UNROLL
  for (int64_t r = team.first_row(); r < s.rows; r += team.teams()) {
    const int64_t base = r * s.inner;
    const auto fold = [&](const auto& by) {
      const auto sum =
          team.template sum<typename F::State>(s.inner, [&](int64_t i) { return by.load(base + i, i, r); });
      if (team.thread() == 0) by.store(r, sum);
      team.wait();
    };
    if constexpr (kFirst) fold(f);
    fold(g);
    auto row = map.row(r * s.parts);
    for (int64_t i = team.thread(); i < s.inner; i += team.threads()) {
      if (s.parts > 1) row = map.row(r * s.parts + part.quotient(i));
      map.out[base + i] = map.value(row, base + i, i);
    }
  }
}

/// The second fold reads what the first one stores, unless it is kAlone.
template <class Map, class F, class G>
void row_program(const RowsShape& s, Device device, const Map& map, const F* f, const G* g) {
  constexpr int64_t kManyRows = 256;  // whose teams fill a GPU
  static_assert(std::is_same_v<typename F::State, typename G::State>);
  const ReduceShape shape = s.reduction();
  if (s.outer == 1 && g && (s.inner <= RowTeam::kMost * kReduceBlock || s.rows >= kManyRows)) {
    if (s.rows == 0) return;
    const Divisor part(s.inner / s.parts);
    if (f) return launch_teams(row_program_kernel<Map, F, G, true>, s.rows, s.inner, device, map, *f, *g, s, part);
    return launch_teams(row_program_kernel<Map, G, G, false>, s.rows, s.inner, device, map, *g, *g, s, part);
  }
  if constexpr (requires { G::kAlone; }) {
    reduce_both(f, g, shape, device);
  } else {
    if (f) reduce(*f, shape, device);
    if (g) reduce(*g, shape, device);
  }
  each(s.numel(), MappedValue<Map>{map, Divisor(s.rows * s.parts), Divisor(s.inner / s.parts)}, device);
}

}  // namespace ordo::kernels::cuda

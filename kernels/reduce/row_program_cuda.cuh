// Row programs on CUDA: a kernel for each fold, and one for the map. Internal.
#pragma once

#include <ordo/kernels/reduce/rows.h>
#include <ordo/kernels/reduce/each_cuda.cuh>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

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
  F first;
  G second;
  struct State {
    typename F::State first;
    typename G::State second;
  };
  struct Fold {
    using State = Both::State;
    static ORDO_HD State combine(const State& a, const State& b) {
      return {F::combine(a.first, b.first), G::combine(a.second, b.second)};
    }
  };
  static ORDO_HD State identity() { return {F::identity(), G::identity()}; }
  static ORDO_HD State empty() { return {F::empty(), G::empty()}; }
  static ORDO_HD State combine(const State& a, const State& b) { return Fold::combine(a, b); }
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

/// The second fold reads what the first one stores, unless it is kAlone.
template <class Map, class F, class G>
void row_program(const RowsShape& s, Device device, const Map& map, const F* f, const G* g) {
  const ReduceShape shape = s.reduction();
  if constexpr (requires { G::kAlone; }) {
    reduce_both(f, g, shape, device);
  } else {
    if (f) reduce(*f, shape, device);
    if (g) reduce(*g, shape, device);
  }
  each(s.numel(), MappedValue<Map>{map, Divisor(s.rows * s.parts), Divisor(s.inner / s.parts)}, device);
}

}  // namespace ordo::kernels::cuda

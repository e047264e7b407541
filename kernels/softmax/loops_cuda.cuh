// CUDA's rows for softmax.loops.h, the counterpart of loops_cpu.h. Internal.
#pragma once

#include <ordo/kernels/softmax/softmax.h>
#include <ordo/kernels/reduce/row_team_cuda.cuh>

#define ORDO_LOOPS_DEVICE cuda

namespace ordo::kernels::cuda {

template <class P>
__global__ void softmax_kernel(int warps, P p, AxisShape s) {
  using A = typename P::A;
  using Max = Largest<A>;
  const RowTeam team(warps);
  const int64_t rows = s.outer * s.inner;
  ORDO_NO_UNROLL
  for (int64_t row = team.first_row(); row < rows; row += team.teams()) {
    const int64_t base = row / s.inner * s.length * s.inner + row % s.inner;
    A max(0);
    if constexpr (P::kShifted)
      max = team.template extremum<Max>(s.length, [&](int64_t i) { return p.first(base + i * s.inner); });
    const auto term = [&](int64_t i) { return p.term(p.first(base + i * s.inner), base + i * s.inner, max); };
    const A finished = p.finish(team.template sum<A>(s.length, term));
    for (int64_t i = team.thread(); i < s.length; i += team.threads()) {
      const int64_t at = base + i * s.inner;
      p.out[at] = p.result(p.first(at), at, max, term(i), finished);
    }
  }
}

template <class P>
void softmax_rows(const P& p, const AxisShape& s, Device device) {
  launch_teams(softmax_kernel<P>, s.outer * s.inner, s.length, device, p, s);
}

}  // namespace ordo::kernels::cuda

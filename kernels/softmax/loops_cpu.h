// The CPU's rows for softmax.loops.h. Internal.
#pragma once

#include <ordo/kernels/reduce/reduce_cpu.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/softmax/softmax.h>
#include <ordo/kernels/vectors/vector_targets.h>

#define ORDO_LOOPS_DEVICE cpu

namespace ordo::kernels::cpu {

template <class P>
void softmax_rows(const P& p, const AxisShape& s, Device) {
  using A = typename P::A;
  const ReduceShape shape = reduce_line(s.length);
  parallel_for(0, s.outer * s.inner, std::max<int64_t>(1, 4096 / s.length), [&](int64_t first, int64_t last) {
    const int64_t length = s.length, step = s.inner;
    const Scratch<A> scratch(2 * length, ordo::cpu);
    A *const line = scratch.data(), *const terms = line + length;
    for (int64_t row = first; row < last; ++row) {
      const int64_t at = row / step * length * step + row % step;
      vectorised(length, [=] {
        for (int64_t i = 0; i < length; ++i) line[i] = p.first(at + i * step);
      });
      const A max = P::kShifted ? reduce_one(LargestOf<A>(line), shape, 0) : A(0);
      vectorised(length, [=] {
        for (int64_t i = 0; i < length; ++i) terms[i] = p.term(line[i], at + i * step, max);
      });
      const A finished = p.finish(reduce_one(SumReducer<A>(terms, nullptr), shape, 0));
      vectorised(length, [=] {
        for (int64_t i = 0; i < length; ++i)
          p.out[at + i * step] = p.result(line[i], at + i * step, max, terms[i], finished);
      });
    }
  });
}

}  // namespace ordo::kernels::cpu

// Products whose k is too long for one kernel, on either device. Internal.
#pragma once

#include <algorithm>
#include <cstdint>

#include <ordo/engine/memory/memory.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/ordering/add_parts.h>
#include <ordo/kernels/ordering/ordered_sum.h>

namespace ordo::kernels {

inline constexpr int64_t kSlice = kOrderedBlock * kOrderedGroup;  ///< values of k that one kernel adds up

/// The sums of slices of k, added left to right (rule 3). Each slice holds `slice` values, which is kOrderedBlock or
/// kSlice, or 64 times as many as often as is needed for at most 64 slices. Slices are products of their own, so threads share a long k even where C is
/// small. `multiply(part)` computes them; `finish(batch, sums)` writes a matrix of C from its row-major sums. At most
/// `kept` elements of slices' results are kept at a time, but always those of one.
template <class T, class A, class Multiply, class Finish>
void sliced_product(const Gemm& g, int64_t slice, int64_t kept, Device device, const Multiply& multiply,
                    const Finish& finish) {
  const auto count_slices = [&] { return (g.k + slice - 1) / slice; };
  while (count_slices() > kOrderedGroup) slice *= kOrderedGroup;
  const int64_t slices = count_slices(), size = g.m * g.n, at_once = std::clamp<int64_t>(kept / size, 1, slices);
  const Scratch<A> results(at_once * size, device), total(size, device);
  for (int64_t batch = 0; batch < g.batch; ++batch) {
    for (int64_t first = 0; first < slices; first += at_once) {
      const int64_t count = std::min(at_once, slices - first), whole = std::min(count, g.k / slice - first);
      const auto add = [&](int64_t from, int64_t how_many, int64_t k) {
        Gemm part{.m = g.m, .n = g.n, .k = k, .batch = how_many, .dtype = g.dtype, .c_dtype = dtype_of<A>};
        const int64_t k0 = (first + from) * slice;
        part.a = {g.a.template at<T>(batch, 0, k0), g.a.row, g.a.col, slice * g.a.col};
        part.b = {g.b.template at<T>(batch, k0, 0), g.b.row, g.b.col, slice * g.b.row};
        part.c = {results.data() + from * size, g.n, 1, size};
        multiply(part);
      };
      if (whole > 0) add(0, whole, slice);
      if (whole < count) add(whole, 1, g.k % slice);
      add_parts<A>(results.data(), count, size, first == 0, total.data(), device);
    }
    finish(batch, total.data());
  }
}

}  // namespace ordo::kernels

// Row programs on the CPU. Internal.
#pragma once

#include <algorithm>

#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/reduce/reduce_cpu.h>
#include <ordo/kernels/reduce/reduce_shape.h>
#include <ordo/kernels/vectors/vector_targets.h>

namespace ordo::kernels::cpu {
namespace detail {

/// n values from `at` on: of row r, from `column` on.
template <class Map>
void map_along(const Map& map, int64_t at, int64_t r, int64_t column, int64_t n) {
  vectorised(n, [=] {
    const auto row = map.row(r);
    for (int64_t i = 0; i < n; ++i) map.out[at + i] = map.value(row, at + i, column + i);
  });
}

/// n values from `at` on: value `column` of row r and of those after it.
template <class Map>
void map_across(Map map, int64_t at, int64_t r, int64_t column, int64_t n) {
  for (int64_t i = 0; i < n; ++i) map.out[at + i] = map.value(map.row(r + i), at + i, column);
}

template <class Map>
void map_all(const RowsShape& s, const Map& map) {
  const int64_t rows = s.rows * s.parts, inner = s.inner / s.parts, line = inner == 1 ? rows : inner;
  parallel_for(0, s.numel(), 16384, [&](int64_t first, int64_t last) {
    for (int64_t at = first, n; at < last; at += n) {
      const int64_t l = at / line, i = at - l * line;
      n = std::min(line - i, last - at);
      if (inner == 1)
        map_across(map, at, i, l, n);
      else
        map_along(map, at, l % rows, l / rows * inner + i, n);
    }
  });
}

}  // namespace detail

/// Those of the two that are not null.
template <class F, class G>
void reduce_both(const F* f, const G* g, const ReduceShape& shape, Device) {
  if (f) reduce(*f, shape);
  if (g) reduce(*g, shape);
}

/// A thread reads a row several times from its cache. With fewer rows than threads, or values of a row far apart, each
/// pass goes over all rows. The sums, and so the bits, are the same.
template <class Map, class F, class G>
void row_program(const RowsShape& s, Device device, const Map& map, const F* f, const G* g) {
  const ReduceShape shape = s.reduction();
  if (s.rows < num_threads() || (s.outer > 1 && s.inner < 8)) {
    reduce_both(f, g, shape, device);
    return detail::map_all(s, map);
  }
  const int64_t part = s.inner / s.parts;
  parallel_for(0, s.rows, row_grain(shape.length), [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r) {
      if (f) f->store(r, reduce_one(*f, shape, r));
      if (g) g->store(r, reduce_one(*g, shape, r));
      for (int64_t o = 0; o < s.outer; ++o)
        for (int64_t p = 0; p < s.parts; ++p)
          detail::map_along(map, (o * s.rows + r) * s.inner + p * part, r * s.parts + p, o * part, part);
    }
  });
}

}  // namespace ordo::kernels::cpu

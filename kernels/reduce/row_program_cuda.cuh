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

template <class Map, class... Folds>
void row_program(const RowsShape& s, Device device, const Map& map, const Folds*... folds) {
  const ReduceShape g = s.reduction();
  ((folds ? reduce(*folds, g, device) : void()), ...);
  each(s.numel(), MappedValue<Map>{map, Divisor(s.rows * s.parts), Divisor(s.inner / s.parts)}, device);
}

}  // namespace ordo::kernels::cuda

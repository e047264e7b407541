// A tensor seen as [outer, length, inner], `length` being the dimension that an operation works along.
#pragma once

#include <ordo/engine/tensor/dims.h>

namespace ordo::kernels {

struct AxisShape {
  int64_t outer = 1, length = 1, inner = 1;
};
inline AxisShape axis_shape(const Dims& sizes, int dim) {
  AxisShape s;
  for (int d = 0; d < sizes.size(); ++d) (d < dim ? s.outer : d == dim ? s.length : s.inner) *= sizes[d];
  return s;
}

}  // namespace ordo::kernels

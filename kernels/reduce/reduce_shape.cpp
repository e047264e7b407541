#include <ordo/engine/calls/check.h>
#include <ordo/kernels/reduce/reduce_shape.h>

namespace ordo::kernels {

unsigned reduced_mask(const char* op, int rank, const Dims& dims) {
  if (dims.empty()) return (1u << rank) - 1;
  unsigned mask = 0;
  for (int64_t d : dims) {
    const int at = wrap_dim(op, d, rank);
    if (rank == 0) continue;
    ORDO_CHECK(!(mask >> at & 1u), ValueError, op, "dimension {} appears twice in dims {}", d, dims);
    mask |= 1u << at;
  }
  return mask;
}

Dims sizes_after(const Dims& sizes, unsigned mask, bool keepdim) {
  Dims out;
  for (int d = 0; d < sizes.size(); ++d) {
    if (!(mask >> d & 1u))
      out.push_back(sizes[d]);
    else if (keepdim)
      out.push_back(1);
  }
  return out;
}

ReduceShape reduce_shape(const Dims& sizes, const Dims& strides, unsigned mask) {
  ReduceShape g;
  const auto append = [](int& n, Divisor* loop_sizes, int64_t* loop_strides, int64_t size, int64_t stride) {
    if (size == 1) return;
    if (n > 0 && loop_strides[n - 1] == size * stride) {
      loop_sizes[n - 1] = Divisor(loop_sizes[n - 1].value * size);
      loop_strides[n - 1] = stride;
      return;
    }
    loop_sizes[n] = Divisor(size);
    loop_strides[n++] = stride;
  };
  for (int d = 0; d < sizes.size(); ++d) {
    if (mask >> d & 1u) {
      g.length *= sizes[d];
      append(g.reduced, g.reduced_sizes, g.reduced_strides, sizes[d], strides[d]);
    } else {
      g.outputs *= sizes[d];
      append(g.kept, g.kept_sizes, g.kept_strides, sizes[d], strides[d]);
    }
  }
  return g;
}

}  // namespace ordo::kernels

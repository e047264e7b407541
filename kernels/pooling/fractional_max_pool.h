// Fractional maximum pooling on plain tensors. The differentiable functions are in
// <ordo/autograd/ops/functional/pooling.h>.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/kernels/pooling/max_pool_result.h>
#include <ordo/kernels/pooling/pool.h>

namespace ordo::kernels {

/// One axis: output o covers `kernel` cells from begin(o).
struct FractionalAxis {
  int64_t input, output, kernel;

  /// floor((o + u) a) - floor(u a) with a = (input - kernel) / (output - 1); the last window ends with the input.
  template <class V>
  ORDO_HD int64_t begin(int64_t o, V u) const {
    const int64_t last = input - kernel;
    if (o == output - 1) return last;
    if (!(u >= V(0))) u = V(0);
    if (u > V(1)) u = V(1);
    const V alpha = V(last) / V(output - 1);
    const int64_t at = int64_t((V(o) + u) * alpha) - int64_t(u * alpha);
    return at < last ? at : last;
  }
};

struct FractionalWindows {
  FractionalAxis d, h, w;
  int64_t rank;  // so many samples has a volume: those of (w, h), or of (d, h, w); in 2 dimensions d has one cell

  ORDO_HD int64_t inputs() const { return d.input * h.input * w.input; }
};

/// input: [N, C, spatial...] or [C, spatial...]; samples: [N, C, rank] in input's dtype. output_size: in three.
MaxPoolResult fractional_max_pool(const char* op, const Tensor& input, int rank, const Size3& kernel,
                                  const Size3& output_size, const Tensor& samples);

ORDO_DEVICES(void, fractional_max_pool, const Tensor& input, const Tensor& samples, const Tensor& values,
             const Tensor& indices, const FractionalWindows& windows)

}  // namespace ordo::kernels

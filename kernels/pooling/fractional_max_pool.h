// Fractional maximum pooling on plain tensors. The differentiable functions are in
// <ordo/autograd/ops/pooling.h>.
#pragma once

#include <ordo/engine/devices.h>
#include <ordo/kernels/pooling/cells.h>
#include <ordo/kernels/pooling/max_pool_result.h>
#include <ordo/kernels/pooling/pool_arguments.h>

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
  int64_t rank;  // so many samples has a volume: those of (w, h), or of (d, h, w)

  ORDO_HD int64_t inputs() const { return d.input * h.input * w.input; }
  ORDO_HD int64_t outputs() const { return d.output * h.output * w.output; }
  template <class T>
  ORDO_HD int64_t d_begin(const T* u, int64_t o) const {
    return rank == 2 ? 0 : d.begin(o, accumulate_t<T>(u[0]));
  }
  template <class T>
  ORDO_HD int64_t h_begin(const T* u, int64_t o) const {
    return h.begin(o, accumulate_t<T>(u[1]));
  }
  template <class T>
  ORDO_HD int64_t w_begin(const T* u, int64_t o) const {
    return w.begin(o, accumulate_t<T>(u[rank == 2 ? 0 : 2]));
  }
};

template <class T>
struct FractionalMaxPoolElement {
  FractionalWindows s;
  const T *input, *samples;
  T* values;
  int64_t* indices;
  ORDO_HD void operator()(int64_t i) const {
    const VolumeCell at(i, s.d.output, s.h.output, s.w.output);
    const T* const u = samples + at.volume * s.rank;
    const int64_t d = s.d_begin(u, at.d), h = s.h_begin(u, at.h), w = s.w_begin(u, at.w);
    const auto cell = first_maximum(input + at.volume * s.inputs(), s.h.input, s.w.input, {d, d + s.d.kernel},
                                    {h, h + s.h.kernel}, {w, w + s.w.kernel});
    values[i] = T(cell.value);
    indices[i] = cell.index;
  }
};

/// input: [N, C, spatial...] or [C, spatial...]; samples: [N, C, rank] in input's dtype. output_size: in three.
MaxPoolResult fractional_max_pool(const char* op, const Tensor& input, int rank, const Size3& kernel,
                                  const Size3& output_size, const Tensor& samples);

ORDO_DEVICES(void, fractional_max_pool, const Tensor& input, const Tensor& samples, const Tensor& values,
             const Tensor& indices, const FractionalWindows& windows)

}  // namespace ordo::kernels

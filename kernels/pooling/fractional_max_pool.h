// Fractional maximum pooling on plain tensors. The differentiable functions are in
// <ordo/autograd/ops/pooling.h>.
#pragma once

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
  int64_t rank;  // a volume's samples are those of (w, h), or of (d, h, w)

  ORDO_HD int64_t inputs() const { return d.input * h.input * w.input; }
  ORDO_HD int64_t outputs() const { return d.output * h.output * w.output; }
  ORDO_HD int64_t axes() const { return rank; }
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

/// Output (od, oh, ow) of a volume: the first maximum of its window in row-major order; a NaN, the last one, wins.
template <class T>
ORDO_HD MaxCell<accumulate_t<T>> fractional_max(const T* volume, const T* u, const FractionalWindows& s, int64_t od,
                                                int64_t oh, int64_t ow) {
  using V = accumulate_t<T>;
  const int64_t d0 = s.d_begin(u, od), h0 = s.h_begin(u, oh), w0 = s.w_begin(u, ow);
  MaxCell<V> best{V(0), (d0 * s.h.input + h0) * s.w.input + w0};
  best.value = V(volume[best.index]);
  for (int64_t d = d0; d < d0 + s.d.kernel; ++d)
    for (int64_t h = h0; h < h0 + s.h.kernel; ++h) {
      const int64_t row = (d * s.h.input + h) * s.w.input;
      for (int64_t cell = row + w0; cell < row + w0 + s.w.kernel; ++cell) {
        const V v = V(volume[cell]);
        if (v > best.value || v != v) {
          best.value = v;
          best.index = cell;
        }
      }
    }
  return best;
}

/// input: [N, C, spatial...] or [C, spatial...]; samples: [N, C, rank] in input's dtype. output_size: in three.
MaxPoolResult fractional_max_pool(const char* op, const Tensor& input, int rank, const Size3& kernel,
                                  const Size3& output_size, const Tensor& samples);

namespace cpu {
void fractional_max_pool(const Tensor& input, const Tensor& samples, const Tensor& values, const Tensor& indices,
                         const FractionalWindows& windows);
}
namespace cuda {
void fractional_max_pool(const Tensor& input, const Tensor& samples, const Tensor& values, const Tensor& indices,
                         const FractionalWindows& windows);
}

}  // namespace ordo::kernels

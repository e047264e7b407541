// fractional_max_pool2d and fractional_max_pool3d.
#pragma once

#include <ordo/kernels/pooling/cells.h>
#include <ordo/kernels/pooling/fractional_max_pool.h>

namespace ordo::kernels {

template <class T>
struct FractionalMaxPoolElement {
  FractionalWindows s;
  const T *input, *samples;
  T* values;
  int64_t* indices;
  ORDO_HD void operator()(int64_t i) const {
    using V = accumulate_t<T>;
    const VolumeCell at(i, s.d.output, s.h.output, s.w.output);
    const T* const u = samples + at.volume * s.rank;
    const int64_t d = s.d.begin(at.d, V(u[0])), h = s.h.begin(at.h, V(u[1])),
                  w = s.w.begin(at.w, V(u[s.rank == 2 ? 0 : 2]));
    const auto cell = first_maximum(input + at.volume * s.inputs(), s.h.input, s.w.input, {d, d + s.d.kernel},
                                    {h, h + s.h.kernel}, {w, w + s.w.kernel});
    values[i] = T(cell.value);
    indices[i] = cell.index;
  }
};

namespace ORDO_LOOPS_DEVICE {

void fractional_max_pool(const Tensor& input, const Tensor& samples, const Tensor& values, const Tensor& indices,
                         const FractionalWindows& s) {
  dispatch_floating("fractional_max_pool", input.dtype(), [&]<class T>() {
    each_of(
        s.d.kernel * s.h.kernel * s.w.kernel, values.numel(),
        FractionalMaxPoolElement<T>{s, input.data<T>(), samples.data<T>(), values.data<T>(), indices.data<int64_t>()},
        input.device());
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels

// Windows of images as columns, and columns added back to images, on plain tensors. The differentiable functions are in
// <ordo/autograd/ops/functional/convolution.h>.
#pragma once

#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/engine/tensor/size.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/windows/windows.h>

namespace ordo::kernels {

struct UnfoldArguments {
  Size2 kernel, dilation, padding, stride;
};
inline void report(ordo::detail::OpArguments& call, const UnfoldArguments& a) {
  for (const Size2& size : {a.kernel, a.dilation, a.padding, a.stride}) call.add(size);
}

Tensor unfold(const Tensor& input, const UnfoldArguments& arguments);
Tensor fold(const Tensor& input, Size2 output_size, const UnfoldArguments& arguments);

// Per device. Everything is contiguous; results are overwritten.
ORDO_DEVICES(void, unfold_columns, const Tensor& input, const Tensor& output, const UnfoldShape& shape)
ORDO_DEVICES(void, fold_columns, const Tensor& input, const Tensor& output, const UnfoldShape& shape)

/// One element of the columns; zero in the padding.
template <class T>
struct UnfoldElement {
  UnfoldShape s;
  const T* image;
  T* columns;
  ORDO_HD void operator()(int64_t e) const {
    const VolumeCell at(e, s.d.output, s.h.output, s.w.output);
    const VolumeCell of(at.volume, s.d.kernel, s.h.kernel, s.w.kernel);
    const int64_t z = at.d * s.d.stride + of.d * s.d.dilation - s.d.padding;
    const int64_t y = at.h * s.h.stride + of.h * s.h.dilation - s.h.padding;
    const int64_t x = at.w * s.w.stride + of.w * s.w.dilation - s.w.padding;
    const bool inside = z >= 0 && z < s.d.input && y >= 0 && y < s.h.input && x >= 0 && x < s.w.input;
    columns[e] = inside ? image[((of.volume * s.d.input + z) * s.h.input + y) * s.w.input + x] : T(0.0f);
  }
};

/// The output whose window has its element k at cell `at`, or -1.
ORDO_HD int64_t output_with(const WindowAxis& a, int64_t at, int64_t k) {
  const int64_t reach = at + a.padding - k * a.dilation;
  if (reach < 0) return -1;
  const int64_t o = quotient(reach, a.stride);
  return o * a.stride == reach && o < a.output ? o : -1;
}

/// One cell of an image: rule 1 over the elements of the window, row-major, that lie there; added to zero.
template <class A, class T>
struct FoldElement {
  UnfoldShape s;
  const A* columns;
  T* image;
  ORDO_HD void operator()(int64_t e) const {
    using V = accumulate_t<T>;
    const VolumeCell at(e, s.d.input, s.h.input, s.w.input);
    OrderedSum<V> sum;
    for (int64_t t = 0; t < s.d.kernel; ++t) {
      const int64_t l = output_with(s.d, at.d, t);
      if (l < 0) continue;
      for (int64_t u = 0; u < s.h.kernel; ++u) {
        const int64_t i = output_with(s.h, at.h, u);
        if (i < 0) continue;
        for (int64_t v = 0; v < s.w.kernel; ++v) {
          const int64_t j = output_with(s.w, at.w, v);
          if (j < 0) continue;
          const int64_t row = ((at.volume * s.d.kernel + t) * s.h.kernel + u) * s.w.kernel + v;
          sum.push(V(columns[row * s.outputs() + s.output_row(l, i) + j]));
        }
      }
    }
    image[e] = T(sum.result() + V(0));
  }
};

}  // namespace ordo::kernels

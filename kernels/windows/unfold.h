// Windows of images as columns, and columns added back to images, on plain tensors. The differentiable functions are in
// <ordo/autograd/ops/convolution.h>.
#pragma once

#include <ordo/engine/dtype.h>
#include <ordo/engine/op_call.h>
#include <ordo/engine/size.h>
#include <ordo/engine/tensor.h>
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

/// Columns [planes, kernel h, kernel w, output h, output w] of images [planes, input h, input w].
struct UnfoldShape {
  int64_t planes = 0;
  SlidingAxis h, w;
  ORDO_HD int64_t cells() const { return h.input * w.input; }
  ORDO_HD int64_t positions() const { return h.output * w.output; }
};

// Per device. Everything is contiguous; results are overwritten.
namespace cpu {
void unfold_columns(const Tensor& input, const Tensor& output, const UnfoldShape& shape);
void fold_columns(const Tensor& input, const Tensor& output, const UnfoldShape& shape);
}  // namespace cpu
namespace cuda {
void unfold_columns(const Tensor& input, const Tensor& output, const UnfoldShape& shape);
void fold_columns(const Tensor& input, const Tensor& output, const UnfoldShape& shape);
}  // namespace cuda

/// One element of the columns; zero in the padding.
template <class Word>
struct UnfoldElement {
  UnfoldShape s;
  const Word* input;
  Word* output;
  ORDO_HD void operator()(int64_t e) const {
    const int64_t row = quotient(e, s.w.output), j = e - row * s.w.output;
    const int64_t cell = quotient(row, s.h.output), i = row - cell * s.h.output;
    const int64_t kernel_row = quotient(cell, s.w.kernel), v = cell - kernel_row * s.w.kernel;
    const int64_t plane = quotient(kernel_row, s.h.kernel), u = kernel_row - plane * s.h.kernel;
    const int64_t y = i * s.h.stride - s.h.padding + u * s.h.dilation;
    const int64_t x = j * s.w.stride - s.w.padding + v * s.w.dilation;
    const bool inside = y >= 0 && y < s.h.input && x >= 0 && x < s.w.input;
    output[e] = inside ? input[(plane * s.h.input + y) * s.w.input + x] : Word(0);
  }
};

/// The output whose window has its cell k at `at`, or -1.
ORDO_HD int64_t window_with(const SlidingAxis& a, int64_t at, int64_t k) {
  const int64_t reach = at + a.padding - k * a.dilation;
  if (reach < 0) return -1;
  const int64_t o = quotient(reach, a.stride);
  return o * a.stride == reach && o < a.output ? o : -1;
}

/// One cell of an image: rule 1 over the cells (row, column) of the window that lie there, added to zero.
template <class T>
struct FoldElement {
  UnfoldShape s;
  const T* input;
  T* output;
  ORDO_HD void operator()(int64_t e) const {
    using V = accumulate_t<T>;
    const int64_t row = quotient(e, s.w.input), x = e - row * s.w.input;
    const int64_t plane = quotient(row, s.h.input), y = row - plane * s.h.input;
    const T* const columns = input + plane * s.h.kernel * s.w.kernel * s.positions();
    OrderedSum<V> sum;
    for (int64_t u = 0; u < s.h.kernel; ++u) {
      const int64_t i = window_with(s.h, y, u);
      if (i < 0) continue;
      for (int64_t v = 0; v < s.w.kernel; ++v) {
        const int64_t j = window_with(s.w, x, v);
        if (j >= 0) sum.push(V(columns[((u * s.w.kernel + v) * s.h.output + i) * s.w.output + j]));
      }
    }
    output[e] = T(V(0) + sum.result());
  }
};

}  // namespace ordo::kernels

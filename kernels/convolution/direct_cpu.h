// Convolutions with stride 1 in float and double on the CPU without unfolding, by rule 4 of docs/ordering.md. Internal.
#pragma once

#include <utility>

#include <ordo/kernels/convolution/conv_shape.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/ordering/ordered_sum.h>

namespace ordo::kernels::cpu {

inline constexpr int kDirectVectors = 3;  // of pixels that are computed together

// The line of an image with padding, and what lies behind its end so that whole vectors can be read. The zeros behind a
// row are those before the next one.
struct DirectLine {
  int64_t pitch, layer, size, length;  // of a row, of a layer, of all; length: of the result's line
  explicit DirectLine(const ConvShape& s)
      : pitch(s.w.input + s.w.padding),
        layer((s.h.input + 2 * s.h.padding) * pitch),
        size((s.d.input + 2 * s.d.padding) * layer + s.w.padding),
        length(row(s.d.output - 1, s.h.output - 1) + s.w.output) {}
  // Where row i of layer l begins.
  int64_t row(int64_t l, int64_t i) const { return l * layer + i * pitch; }
  static constexpr int64_t slack() { return kDirectVectors * 64; }
};

// The convolution that takes the gradient of the output to the one of the input.
inline ConvShape transposed(const ConvShape& s) {
  ConvShape t = s;
  std::swap(t.channels, t.filters);
  for (WindowAxis* axis : {&t.d, &t.h, &t.w}) {
    std::swap(axis->input, axis->output);
    axis->padding = axis->dilation * (axis->kernel - 1) - axis->padding;
  }
  return t;
}

/// Whether this shape has lines at all.
inline bool has_lines(const ConvShape& s) {
  if (s.pointwise() || s.window() == 0 || !s.every([](const WindowAxis& a) { return a.stride == 1; })) return false;
  // 32-bit offsets reach every pixel of the channels' lines.
  int64_t size = s.channels;
  return s.every([&](const WindowAxis& a) { return !__builtin_mul_overflow(size, a.input + 2 * a.padding, &size); }) &&
         size < (int64_t(1) << 31) - DirectLine::slack();
}

/// Whether forward below takes this shape: its blocks of rule 3 are one group of rule 1.
inline bool direct_fits(const ConvShape& s) { return has_lines(s) && s.window() <= kOrderedBlock * kOrderedGroup; }
/// Whether weight_grad does: its blocks are at most as many groups as a group has blocks.
inline bool direct_weight_grad_fits(const ConvShape& s) {
  return has_lines(s) && s.positions() <= kOrderedBlock * kOrderedGroup * kOrderedGroup;
}
/// Whether input_grad does: the gradient of such a convolution is one itself, with the padding that is missing. Its
/// zeros change nothing, as long as the weight is finite. A cell's filters are one block of rule 3, and the cells one
/// of rule 1.
inline bool direct_input_grad_fits(const ConvShape& s) {
  const ConvShape t = transposed(s);
  return has_lines(s) && s.complete() && t.every([](const WindowAxis& a) { return a.padding >= 0; }) && has_lines(t) &&
         s.filters <= kOrderedBlock && s.kernel_cells() <= kOrderedGroup;
}

/// As conv2d, conv2d_input_grad and conv2d_weight_grad, for the processor's instruction set.
template <class T>
struct DirectConvolution {
  void (*forward)(const ConvShape& s, const T* x, const T* weight, const T* bias, T* y);
  void (*input_grad)(const ConvShape& s, const T* grad, const T* weight, T* x_grad);
  void (*weight_grad)(const ConvShape& s, const T* grad, const T* x, T* weight_grad);
};
template <class T>
DirectConvolution<T> direct_convolution();
template <>
DirectConvolution<float> direct_convolution();
template <>
DirectConvolution<double> direct_convolution();

}  // namespace ordo::kernels::cpu

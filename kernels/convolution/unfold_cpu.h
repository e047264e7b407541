// Unfolding an image to columns and back, on the CPU. Internal.
#pragma once

#include <algorithm>

#include <ordo/kernels/accumulate/ordered_sum.h>
#include <ordo/kernels/convolution/conv_shape.h>

namespace ordo::kernels::cpu {

/// The output positions [first, last) along one side whose input lies inside for kernel element k.
struct Inside {
  int64_t first, last, offset;  // input = position * stride + offset
  Inside(int64_t k, const SlidingAxis& a) : offset(k * a.dilation - a.padding) {
    first = std::clamp<int64_t>(offset >= 0 ? 0 : (-offset + a.stride - 1) / a.stride, 0, a.output);
    last = std::clamp<int64_t>(offset >= a.input ? 0 : (a.input - 1 - offset) / a.stride + 1, first, a.output);
  }
};

/// f(t, u, v) for every cell of the kernel, in row-major order.
template <class F>
void for_kernel_cells(const ConvShape& s, const F& f) {
  for (int64_t t = 0; t < s.d.kernel; ++t)
    for (int64_t u = 0; u < s.h.kernel; ++u)
      for (int64_t v = 0; v < s.w.kernel; ++v) f(t, u, v);
}

/// The columns of one kernel cell in one layer [h, w] of the input.
template <class T>
void unfold_layer(const ConvShape& s, const Inside& rows, const Inside& cols, const T* x, T* columns) {
  const int64_t height = s.h.output, width = s.w.output;
  std::fill(columns, columns + rows.first * width, T(0.0f));
  std::fill(columns + rows.last * width, columns + height * width, T(0.0f));
  for (int64_t i = rows.first; i < rows.last; ++i) {
    const T* const from = x + (i * s.h.stride + rows.offset) * s.w.input + cols.offset;
    T* const to = columns + i * width;
    std::fill(to, to + cols.first, T(0.0f));
    if (s.w.stride == 1)
      std::copy(from + cols.first, from + cols.last, to + cols.first);
    else
      for (int64_t j = cols.first; j < cols.last; ++j) to[j] = from[j * s.w.stride];
    std::fill(to + cols.last, to + width, T(0.0f));
  }
}

/// columns[(c, t, u, v)][(l, i, j)] = x[c][l stride + t dilation - padding][...][...], zeros outside. One group of one
/// sample.
template <class T>
void unfold(const ConvShape& s, const T* x, T* columns) {
  const int64_t layer = s.h.input * s.w.input, layer_out = s.h.output * s.w.output;
  for (int64_t c = 0; c < s.channels; ++c, x += s.pixels())
    for_kernel_cells(s, [&](int64_t t, int64_t u, int64_t v) {
      const Inside layers(t, s.d), rows(u, s.h), cols(v, s.w);
      for (int64_t l = 0; l < s.d.output; ++l, columns += layer_out) {
        if (l < layers.first || l >= layers.last)
          std::fill(columns, columns + layer_out, T(0.0f));
        else
          unfold_layer(s, rows, cols, x + (l * s.d.stride + layers.offset) * layer, columns);
      }
    });
}

/// Whether with stride 1 every cell of the input is in some window: no dilation steps over it, none is left out.
inline bool covers_every_cell(const SlidingAxis& a) {
  return a.stride == 1 && a.output >= a.dilation && a.input + a.padding <= a.output + a.dilation * (a.kernel - 1);
}

/// x[c][z][y][x] = the ordered sum (rule 1) of the columns' elements that unfold() would have copied from there.
template <class A, class T>
void fold(const ConvShape& s, const A* columns, A* sums, T* x) {
  // Then whole rows can be added at once.
  const bool dense = s.kernel_cells() <= kOrderedGroup && s.every(covers_every_cell);
  const int64_t layer = s.h.input * s.w.input;
  for (int64_t c = 0; c < s.channels; ++c, x += s.pixels(), columns += s.kernel_cells() * s.positions()) {
    if (dense) {
      std::fill(sums, sums + s.pixels(), A(-0.0f));  // -0 + v is v, so the first value begins the sum
      const A* cell = columns;
      for_kernel_cells(s, [&](int64_t t, int64_t u, int64_t v) {
        const Inside layers(t, s.d), rows(u, s.h), cols(v, s.w);
        for (int64_t l = layers.first; l < layers.last; ++l)
          for (int64_t i = rows.first; i < rows.last; ++i) {
            A* const to = sums + (l + layers.offset) * layer + (i + rows.offset) * s.w.input + cols.offset;
            const A* const from = cell + (l * s.h.output + i) * s.w.output;
            for (int64_t j = cols.first; j < cols.last; ++j) to[j] = to[j] + from[j];
          }
        cell += s.positions();
      });
      for (int64_t p = 0; p < s.pixels(); ++p) x[p] = T(sums[p]);
      continue;
    }
    for (int64_t p = 0; p < s.pixels(); ++p) {
      // Of the input position along an axis, the output position whose kernel element k lies there, or -1.
      const auto position = [](const SlidingAxis& a, int64_t at, int64_t k) -> int64_t {
        const int64_t reach = at + a.padding - k * a.dilation;
        return reach < 0 || reach % a.stride != 0 || reach / a.stride >= a.output ? -1 : reach / a.stride;
      };
      const int64_t column = p % s.w.input, row = p / s.w.input % s.h.input, depth = p / layer;
      OrderedSum<A> sum;
      for (int64_t t = 0; t < s.d.kernel; ++t) {
        const int64_t l = position(s.d, depth, t);
        if (l < 0) continue;
        for (int64_t u = 0; u < s.h.kernel; ++u) {
          const int64_t i = position(s.h, row, u);
          if (i < 0) continue;
          for (int64_t v = 0; v < s.w.kernel; ++v) {
            const int64_t j = position(s.w, column, v);
            if (j < 0) continue;
            const int64_t cell = (t * s.h.kernel + u) * s.w.kernel + v;
            sum.push(columns[cell * s.positions() + (l * s.h.output + i) * s.w.output + j]);
          }
        }
      }
      x[p] = T(sum.result());
    }
  }
}

}  // namespace ordo::kernels::cpu

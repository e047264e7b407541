// Unfolding an image to columns and back, on the CPU. Internal.
#pragma once

#include <algorithm>
#include <vector>

#include <ordo/kernels/convolution/conv_shape.h>
#include <ordo/kernels/ordering/ordered_sum.h>

namespace ordo::kernels::cpu {

/// The output positions [first, last) along one side whose input lies inside for kernel element k.
struct Inside {
  int64_t first, last, offset;  // input = position * stride + offset
  Inside(int64_t k, const WindowAxis& a) : offset(k * a.dilation - a.padding) {
    first = std::clamp<int64_t>(offset >= 0 ? 0 : (-offset + a.stride - 1) / a.stride, 0, a.output);
    last = std::clamp<int64_t>(offset >= a.input ? 0 : (a.input - 1 - offset) / a.stride + 1, first, a.output);
  }
};

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
/// sample; rows of columns are `pitch` apart.
template <class T>
void unfold(const ConvShape& s, const T* x, T* columns, int64_t pitch) {
  const int64_t layer = s.h.input * s.w.input, layer_out = s.h.output * s.w.output;
  for (int64_t c = 0; c < s.channels; ++c, x += s.pixels())
    for (int64_t t = 0; t < s.d.kernel; ++t) {
      const Inside layers(t, s.d);
      for (int64_t u = 0; u < s.h.kernel; ++u) {
        const Inside rows(u, s.h);
        for (int64_t v = 0; v < s.w.kernel; ++v) {
          const Inside cols(v, s.w);
          for (int64_t l = 0; l < s.d.output; ++l) {
            T* const to = columns + l * layer_out;
            if (l < layers.first || l >= layers.last)
              std::fill(to, to + layer_out, T(0.0f));
            else
              unfold_layer(s, rows, cols, x + (l * s.d.stride + layers.offset) * layer, to);
          }
          columns += pitch;
        }
      }
    }
}

/// Whether with stride 1 every cell of the input is in some window: no dilation steps over it, none is left out.
inline bool covers_every_cell(const WindowAxis& a) {
  return a.stride == 1 && a.output >= a.dilation && a.input + a.padding <= a.output + a.dilation * (a.kernel - 1);
}

/// fold() of one channel where every cell is in some window of at most 64 cells: whole rows are added at once.
template <class A>
void fold_rows(const ConvShape& s, const A* columns, int64_t pitch, A* sums) {
  std::fill(sums, sums + s.pixels(), A(0));
  const int64_t layer = s.h.input * s.w.input;
  for (int64_t t = 0; t < s.d.kernel; ++t) {
    const Inside layers(t, s.d);
    for (int64_t u = 0; u < s.h.kernel; ++u) {
      const Inside rows(u, s.h);
      for (int64_t v = 0; v < s.w.kernel; ++v, columns += pitch) {
        const Inside cols(v, s.w);
        for (int64_t l = layers.first; l < layers.last; ++l)
          for (int64_t i = rows.first; i < rows.last; ++i) {
            A* const to = sums + (l + layers.offset) * layer + (i + rows.offset) * s.w.input + cols.offset;
            const A* const from = columns + (l * s.h.output + i) * s.w.output;
            for (int64_t j = cols.first; j < cols.last; ++j) to[j] = to[j] + from[j];
          }
      }
    }
  }
}

/// The elements k of the kernel along an axis that lie at cell `at` for some output position, in order: as
/// k element_step + position position_step.
inline void elements_at(const WindowAxis& a, int64_t at, int64_t element_step, int64_t position_step,
                        std::vector<int64_t>& elements) {
  elements.clear();
  for (int64_t k = 0; k < a.kernel; ++k) {
    const int64_t reach = at + a.padding - k * a.dilation;
    if (reach < 0) return;
    const int64_t position = reach / a.stride;
    if (position * a.stride == reach && position < a.output)
      elements.push_back(k * element_step + position * position_step);
  }
}

/// x[c][z][y][x] = the ordered sum (rule 1) of the columns' elements that unfold() would have copied from there, added
/// to +0: windows of zeros would change nothing. Rows of columns are `pitch` apart.
template <class A, class T>
void fold(const ConvShape& s, const A* columns, int64_t pitch, A* sums, T* x) {
  const bool dense = s.kernel_cells() <= kOrderedGroup && s.every(covers_every_cell);
  const int64_t plane = s.h.output * s.w.output;
  std::vector<int64_t> layers, rows, cols;
  for (int64_t c = 0; c < s.channels; ++c, columns += s.kernel_cells() * pitch) {
    if (dense) {
      fold_rows(s, columns, pitch, sums);
      for (int64_t p = 0; p < s.pixels(); ++p) *x++ = T(sums[p]);
      continue;
    }
    for (int64_t z = 0; z < s.d.input; ++z) {
      elements_at(s.d, z, s.h.kernel * s.w.kernel * pitch, plane, layers);
      for (int64_t y = 0; y < s.h.input; ++y) {
        elements_at(s.h, y, s.w.kernel * pitch, s.w.output, rows);
        for (int64_t at = 0; at < s.w.input; ++at) {
          elements_at(s.w, at, pitch, 1, cols);
          OrderedSum<A> sum;
          for (int64_t l : layers)
            for (int64_t i : rows)
              for (int64_t j : cols) sum.push(columns[l + i + j]);
          *x++ = T(sum.result() + A(0));
        }
      }
    }
  }
}

}  // namespace ordo::kernels::cpu

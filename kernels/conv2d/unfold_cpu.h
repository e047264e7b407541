// Unfolding an image to columns and back, on the CPU. Internal.
#pragma once

#include <algorithm>

#include <ordo/kernels/accumulate/ordered_sum.h>
#include <ordo/kernels/conv2d/conv_shape.h>

namespace ordo::kernels::cpu {

/// The output positions [first, last) along one side whose input lies inside for kernel element k.
struct Inside {
  int64_t first, last;
  Inside(int64_t k, int64_t size, int64_t out, int64_t stride, int64_t pad, int64_t dilation) {
    const int64_t offset = k * dilation - pad;  // input = position * stride + offset
    first = std::clamp<int64_t>(offset >= 0 ? 0 : (-offset + stride - 1) / stride, 0, out);
    last = std::clamp<int64_t>(offset >= size ? 0 : (size - 1 - offset) / stride + 1, first, out);
  }
};

/// columns[(c, u, v)][(i, j)] = x[c][i stride + u dilation - pad][...], zeros outside. One group of one sample.
template <class T>
void unfold(const ConvShape& s, const T* x, T* columns) {
  for (int64_t c = 0; c < s.channels; ++c)
    for (int64_t u = 0; u < s.kernel_h; ++u) {
      const Inside rows(u, s.height, s.out_h, s.stride_h, s.pad_h, s.dilation_h);
      for (int64_t v = 0; v < s.kernel_w; ++v, columns += s.positions()) {
        const Inside cols(v, s.width, s.out_w, s.stride_w, s.pad_w, s.dilation_w);
        std::fill(columns, columns + rows.first * s.out_w, T(0.0f));
        std::fill(columns + rows.last * s.out_w, columns + s.positions(), T(0.0f));
        for (int64_t i = rows.first; i < rows.last; ++i) {
          const T* const from =
              x + (c * s.height + i * s.stride_h + u * s.dilation_h - s.pad_h) * s.width + v * s.dilation_w - s.pad_w;
          T* const to = columns + i * s.out_w;
          std::fill(to, to + cols.first, T(0.0f));
          if (s.stride_w == 1)
            std::copy(from + cols.first, from + cols.last, to + cols.first);
          else
            for (int64_t j = cols.first; j < cols.last; ++j) to[j] = from[j * s.stride_w];
          std::fill(to + cols.last, to + s.out_w, T(0.0f));
        }
      }
    }
}

/// x[c][y][x] = the ordered sum (rule 1) of the columns' elements that unfold() would have copied from there.
template <class A, class T>
void fold(const ConvShape& s, const A* columns, A* sums, T* x) {
  // With stride 1 every pixel is in some window, unless a wide dilation steps over it: whole rows can be added at once.
  const bool dense = s.stride_h == 1 && s.stride_w == 1 && s.kernel_h * s.kernel_w <= kOrderedGroup &&
                     s.out_h >= s.dilation_h && s.out_w >= s.dilation_w;
  for (int64_t c = 0; c < s.channels; ++c, x += s.pixels(), columns += s.kernel_h * s.kernel_w * s.positions()) {
    if (dense) {
      std::fill(sums, sums + s.pixels(), A(-0.0f));  // -0 + v is v, so the first value begins the sum
      for (int64_t u = 0; u < s.kernel_h; ++u) {
        const Inside rows(u, s.height, s.out_h, 1, s.pad_h, s.dilation_h);
        for (int64_t v = 0; v < s.kernel_w; ++v) {
          const Inside cols(v, s.width, s.out_w, 1, s.pad_w, s.dilation_w);
          const A* const plane = columns + (u * s.kernel_w + v) * s.positions();
          for (int64_t i = rows.first; i < rows.last; ++i) {
            A* const to = sums + (i + u * s.dilation_h - s.pad_h) * s.width + v * s.dilation_w - s.pad_w;
            const A* const from = plane + i * s.out_w;
            for (int64_t j = cols.first; j < cols.last; ++j) to[j] = to[j] + from[j];
          }
        }
      }
      for (int64_t p = 0; p < s.pixels(); ++p) x[p] = T(sums[p]);
      continue;
    }
    for (int64_t p = 0; p < s.pixels(); ++p) {
      OrderedSum<A> sum;
      for (int64_t u = 0; u < s.kernel_h; ++u) {
        const int64_t down = p / s.width + s.pad_h - u * s.dilation_h;
        if (down < 0 || down % s.stride_h != 0 || down / s.stride_h >= s.out_h) continue;
        for (int64_t v = 0; v < s.kernel_w; ++v) {
          const int64_t right = p % s.width + s.pad_w - v * s.dilation_w;
          if (right < 0 || right % s.stride_w != 0 || right / s.stride_w >= s.out_w) continue;
          sum.push(columns[((u * s.kernel_w + v) * s.out_h + down / s.stride_h) * s.out_w + right / s.stride_w]);
        }
      }
      x[p] = T(sum.result());
    }
  }
}

}  // namespace ordo::kernels::cpu

// Convolutions by plain loops in double, in any number of dimensions: a case, and the products of which it consists.
#pragma once

#include <cstdint>

#include "tests/kernels/samples.h"

namespace ordo::test {

/// x [N, C, spatial...] and weight w. Of a transposed convolution, x and w are the ones of the convolution whose input
/// gradient it is, and the outputs may be fewer than fit.
template <int N>
struct ConvCase {
  const char* label;
  Dims x, w;
  bool bias;
  Size<N> stride = 1, padding = 0, dilation = 1;
  int64_t groups = 1;
  bool gradient = true;
  Size<N> output_padding = 0;  // of the transposed convolution

  Dims output_sizes() const {
    Dims sizes{x[0], w[0]};
    for (int i = 0; i < N; ++i)
      sizes.push_back((x[2 + i] + 2 * padding[i] - dilation[i] * (w[2 + i] - 1) - 1 - output_padding[i]) / stride[i] +
                      1);
    return sizes;
  }
  /// Rounding of up to some hundred sums of products. Filters of 3 x 3 a library may take by Winograd's F(4 x 4, 3 x
  /// 3), which in float32 was off by 12 to 37 epsilons for 1 to 64 channels of values in [-2, 2).
  double tolerance() const {
    const bool winograd = N == 2 && w[2] == 3 && w[3] == 3 && stride[0] == 1 && dilation[0] == 1;
    return gradient && !winograd ? 8.0 : 64.0;
  }

  /// Calls f(index in x, index in w, index in y) for every cell of every window, in the order of w for each y. In the
  /// padding the index in x is kOutside.
  static constexpr size_t kOutside = SIZE_MAX;
  template <class F>
  void for_each_cell(F f) const {
    const Dims y = output_sizes();
    const int64_t per_group = w[0] / groups;
    Dims at = Dims::filled(N, 0), k = at;
    for (int64_t n = 0; n < x[0]; ++n)
      for (int64_t o = 0; o < w[0]; ++o)
        for (bool more = y.product() > 0; more; more = next(at, y))
          for (int64_t c = 0; c < w[1]; ++c)
            for (bool more_k = true; more_k; more_k = next(k, w)) {
              int64_t in = n * x[1] + o / per_group * w[1] + c, out = n * w[0] + o, cell = o * w[1] + c;
              bool inside = true;
              for (int i = 0; i < N; ++i) {
                const int64_t pixel = at[i] * stride[i] + k[i] * dilation[i] - padding[i];
                inside = inside && pixel >= 0 && pixel < x[2 + i];
                in = in * x[2 + i] + pixel;
                out = out * y[2 + i] + at[i];
                cell = cell * w[2 + i] + k[i];
              }
              f(inside ? size_t(in) : kOutside, size_t(cell), size_t(out));
            }
  }
  /// Every product of the convolution: the cells inside the input, without the padding.
  template <class F>
  void for_each_product(F f) const {
    for_each_cell([&](size_t a, size_t b, size_t o) {
      if (a != kOutside) f(a, b, o);
    });
  }

 private:
  /// The next position of N spatial dimensions in row-major order; false, and the first one, after the last.
  static bool next(Dims& position, const Dims& sizes) {
    for (int i = N - 1; i >= 0; --i) {
      if (++position[i] < sizes[2 + i]) return true;
      position[i] = 0;
    }
    return false;
  }
};

#define ORDO_CONVOLUTION_OF_CASE(N)                                                                          \
  inline Tensor conv(const Tensor& x, const Tensor& w, const Tensor& bias, const ConvCase<N>& c) {           \
    return conv##N##d(x, w, bias, {c.stride, c.padding, c.dilation, c.groups});                              \
  }                                                                                                          \
  inline Tensor conv_input_grad(const Tensor& w, const Tensor& g, const ConvCase<N>& c) {                    \
    return conv##N##d_input_grad(c.x, w, g, {c.stride, c.padding, c.dilation, c.groups});                    \
  }                                                                                                          \
  inline Tensor conv_weight_grad(const Tensor& x, const Tensor& g, const ConvCase<N>& c) {                   \
    return conv##N##d_weight_grad(x, c.w, g, {c.stride, c.padding, c.dilation, c.groups});                   \
  }                                                                                                          \
  inline Tensor conv_transpose(const Tensor& y, const Tensor& w, const Tensor& bias, const ConvCase<N>& c) { \
    return conv_transpose##N##d(y, w, bias, {c.stride, c.padding, c.output_padding, c.groups, c.dilation});  \
  }
ORDO_CONVOLUTION_OF_CASE(1)
ORDO_CONVOLUTION_OF_CASE(2)
ORDO_CONVOLUTION_OF_CASE(3)
#undef ORDO_CONVOLUTION_OF_CASE

}  // namespace ordo::test

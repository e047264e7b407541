// The numbers of a convolution, shared by its CPU loops and CUDA kernels. Internal.
#pragma once

#include <cstdint>

#include <ordo/engine/tensor/host_device.h>
#include <ordo/kernels/windows/windows.h>

namespace ordo::kernels {

/// A convolution y of x and weight, and its gradients. Each pass writes one of the three, or its gradient, of the other
/// two.
enum class ConvPass : unsigned char {
  forward,      ///< y
  input_grad,   ///< x
  weight_grad,  ///< weight
};

/// Always three axes; those that a convolution does not have are one cell with one output. The output may leave out
/// windows at the end that fit. No padding bytes: the shape is a key, compared byte by byte.
struct ConvShape : WindowAxes {
  int64_t samples, groups;
  int64_t channels, filters;  ///< of one group

  ORDO_HD int64_t window() const { return channels * elements(); }
  ORDO_HD int64_t columns() const { return window() * outputs(); }  ///< elements of one group of one sample, unfolded
  ORDO_HD int64_t x_size() const { return channels * inputs(); }    ///< elements of one group of one sample
  ORDO_HD int64_t y_size() const { return filters * outputs(); }
  ORDO_HD int64_t w_size() const { return filters * window(); }  ///< elements of one group
  /// The windows over so many channels.
  UnfoldShape windows(int64_t planes) const { return {*this, planes}; }
  /// f(axis) holds for all three.
  template <class F>
  bool every(F f) const {
    return f(d) && f(h) && f(w);
  }
  /// Columns are the input itself.
  bool pointwise() const {
    return every(
        [](const WindowAxis& a) { return a.kernel == 1 && a.stride == 1 && a.padding == 0 && a.output == a.input; });
  }
  /// The outputs are all that fit.
  bool complete() const {
    return every([](const WindowAxis& a) {
      return a.output == (a.input + 2 * a.padding - a.dilation * (a.kernel - 1) - 1) / a.stride + 1;
    });
  }
};

/// Convolutions of floats on the CPU without unfolding, by rule 4 of docs/ordering.md, for the processor's instruction
/// set. False, and nothing written, where unfolding computes the shape, or does it faster.
namespace cpu {
bool direct_convolution(const ConvShape& s, const float* x, const float* weight, const float* bias, float* y);
bool direct_convolution_input_grad(const ConvShape& s, const float* grad, const float* weight, float* x_grad);
bool direct_convolution_weight_grad(const ConvShape& s, const float* grad, const float* x, float* weight_grad);
}  // namespace cpu

}  // namespace ordo::kernels

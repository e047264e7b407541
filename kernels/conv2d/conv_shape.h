// The numbers of a convolution, shared by its CPU loops and CUDA kernels. Internal.
#pragma once

#include <cstdint>

#include <ordo/engine/host_device.h>

namespace ordo::kernels {

struct ConvShape {
  int64_t samples, groups;
  int64_t channels, filters;  ///< of one group
  int64_t height, width;      ///< of the input
  int64_t kernel_h, kernel_w;
  int64_t out_h, out_w;
  int64_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;

  ORDO_HD int64_t window() const { return channels * kernel_h * kernel_w; }
  ORDO_HD int64_t positions() const { return out_h * out_w; }
  ORDO_HD int64_t pixels() const { return height * width; }
  ORDO_HD int64_t columns() const { return window() * positions(); }  ///< elements of one group of one sample, unfolded
  ORDO_HD int64_t x_size() const { return channels * pixels(); }      ///< elements of one group of one sample
  ORDO_HD int64_t y_size() const { return filters * positions(); }
  ORDO_HD int64_t w_size() const { return filters * window(); }  ///< elements of one group
  /// Columns are the input itself.
  bool pointwise() const {
    return kernel_h == 1 && kernel_w == 1 && stride_h == 1 && stride_w == 1 && pad_h == 0 && pad_w == 0;
  }
};

}  // namespace ordo::kernels

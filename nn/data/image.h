// An image as transforms and decoders handle it. Internal to nn/data.
#pragma once

#include <cstdint>

#include <ordo/engine/tensor.h>

namespace ordo::data {

/// Greatest height and width, which also bound coordinates in int and float.
constexpr int64_t kMostPixels = 1 << 20;

struct Image {
  /// Of a given tensor. ShapeError unless it is [C, H, W] with at least one pixel and at most 2^20 in a row or column,
  /// DTypeError unless float32, DeviceError unless in CPU memory; errors name `op`.
  Image(const char* op, const Tensor& image);
  /// A new one, not filled.
  Image(int64_t channels, int64_t height, int64_t width);

  Tensor tensor;  // contiguous
  int64_t channels, height, width;
  float* data;
  int64_t area() const { return height * width; }
  float& at(int64_t c, int64_t y, int64_t x) const { return data[(c * height + y) * width + x]; }
};

}  // namespace ordo::data

// An image as transforms and decoders handle it. Internal to nn/data.
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/nn/data/draws.h>

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

/// A random rectangle of an image, as cropping and erasing draw it.
struct Rectangle {
  int64_t top, left, height, width;
};

/// ValueError naming `op` unless both have two numbers, 0 < first <= second, and scale ends at 1 or below.
void expect_part(const char* op, const std::vector<double>& scale, const std::vector<double>& ratio);

/// Of area and ratio width / height between these; nothing after ten that were larger than the image.
std::optional<Rectangle> random_part(Draws& draws, int64_t height, int64_t width, const std::vector<double>& scale,
                                     const std::vector<double>& ratio);

/// Bytes of an image, row by row, pixel by pixel, its channels side by side.
struct Pixels {
  int64_t channels = 0, height = 0, width = 0;
  std::vector<uint8_t> bytes;
};

/// A file's contents, and how to complain about them.
struct ImageSource {
  const std::string& path;
  const std::string& contents;
  int64_t max_pixels;

  /// DataError: "[read_image] PATH: REASON".
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> reason, Args&&... args) const {
    ordo::detail::fail<DataError>("read_image", "{}: {}", path, fmt::format(reason, std::forward<Args>(args)...));
  }
  /// Fails for sizes that are 0, too many pixels, or more than kMostPixels in a row or column.
  void expect_sizes(int64_t height, int64_t width) const;
  /// Checks the sizes as expect_sizes(), and makes room.
  Pixels room_for(int64_t channels, int64_t height, int64_t width) const;
};

// Decoders of image formats. They return 1 or 3 channels.
Pixels decode_png(const ImageSource& source);
Pixels decode_jpeg(const ImageSource& source);
Pixels decode_pnm(const ImageSource& source);

/// `bytes` more bytes; false where there is no memory for them. For functions that libraries call and leave by longjmp.
inline bool appended(std::string& to, const void* from, size_t bytes) noexcept try {
  to.append(static_cast<const char*>(from), bytes);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

// Encoders, of 1 or 3 channels. They give the contents of the file; `path` is for their errors, DataError.
std::string encode_png(const std::string& path, const Pixels& pixels, int compression_level);
std::string encode_jpeg(const std::string& path, const Pixels& pixels, int quality);

}  // namespace ordo::data

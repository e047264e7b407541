// Decoders of image formats. Internal to nn/data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ordo::data {

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
  [[noreturn]] void fail(const std::string& reason) const;
  /// Fails for sizes that are 0, too many pixels, or more than kMostPixels in a row or column.
  void expect_sizes(int64_t height, int64_t width) const;
  /// The same, and makes room.
  Pixels room_for(int64_t channels, int64_t height, int64_t width) const;
};

// They return 1 or 3 channels.
Pixels decode_png(const ImageSource& source);
Pixels decode_jpeg(const ImageSource& source);
Pixels decode_pnm(const ImageSource& source);

}  // namespace ordo::data

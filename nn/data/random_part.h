// A random rectangle of an image, as cropping and erasing draw it. Internal to nn/data.
#pragma once

#include <optional>
#include <vector>

#include <ordo/nn/data/draws.h>

namespace ordo::data {

struct Part {
  int64_t top, left, height, width;
};

/// ValueError naming `op` unless both have two numbers, 0 < first <= second, and scale ends at 1 or below.
void expect_part(const char* op, const std::vector<double>& scale, const std::vector<double>& ratio);

/// Of area and ratio width / height between these; nothing after ten that were larger than the image.
std::optional<Part> random_part(Draws& draws, int64_t height, int64_t width, const std::vector<double>& scale,
                                const std::vector<double>& ratio);

}  // namespace ordo::data

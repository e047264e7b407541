#pragma once

#include <cstdint>
#include <optional>

namespace ordo {

/// A pair (height, width). One number stands for both: `max_pool2d(x, 3, 2)` is `max_pool2d(x, {3, 3}, {2, 2})`.
struct Size2 {
  int64_t h, w;

  constexpr Size2(int64_t both) : h(both), w(both) {}
  constexpr Size2(int64_t height, int64_t width) : h(height), w(width) {}

  friend constexpr bool operator==(const Size2&, const Size2&) = default;
};

/// A Size2 that may be left out. Unlike std::optional<Size2> it can be written `2` or `{2, 2}` in a call.
class OptionalSize2 {
 public:
  constexpr OptionalSize2() = default;
  constexpr OptionalSize2(std::nullopt_t) {}
  constexpr OptionalSize2(Size2 size) : size_(size), given_(true) {}
  constexpr OptionalSize2(int64_t both) : OptionalSize2(Size2(both)) {}
  constexpr OptionalSize2(int64_t height, int64_t width) : OptionalSize2(Size2(height, width)) {}

  constexpr bool has_value() const { return given_; }
  constexpr Size2 value_or(Size2 other) const { return given_ ? size_ : other; }

 private:
  Size2 size_ = 0;
  bool given_ = false;
};

}  // namespace ordo

#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

#include <ordo/engine/tensor/opaque.h>

namespace ordo {

/// A number for each of N spatial dimensions, outermost first: (width), (height, width) or (depth, height, width). One
/// number stands for all: `max_pool2d(x, 3, {.stride = 2})` is `max_pool2d(x, {3, 3}, {.stride = {2, 2}})`.
template <int N>
class Size {
 public:
  static_assert(N >= 1 && N <= 3);

  constexpr Size(int64_t all) {
    for (int64_t& v : v_) v = detail::opaque(all);
  }
  template <std::integral... I>
  requires(N > 1 && sizeof...(I) == N) constexpr Size(I... each) : v_{detail::opaque(int64_t(each))...} {}

  constexpr int64_t operator[](int axis) const { return v_[axis]; }
  constexpr const int64_t* begin() const { return v_; }
  constexpr const int64_t* end() const { return v_ + N; }

  friend constexpr bool operator==(const Size&, const Size&) = default;

 private:
  int64_t v_[N];
};

/// A Size that may be left out. Unlike std::optional<Size<2>> it can be written `2` or `{2, 2}` in a call.
template <int N>
class OptionalSize {
 public:
  constexpr OptionalSize() = default;
  constexpr OptionalSize(std::nullopt_t) {}
  constexpr OptionalSize(Size<N> size) : size_(size), given_(true) {}
  constexpr OptionalSize(int64_t all) : OptionalSize(Size<N>(all)) {}
  template <std::integral... I>
  requires(N > 1 && sizeof...(I) == N) constexpr OptionalSize(I... each) : OptionalSize(Size<N>(each...)) {}

  constexpr Size<N> value_or(Size<N> other) const { return given_ ? size_ : other; }

  friend constexpr bool operator==(const OptionalSize&, const OptionalSize&) = default;

 private:
  Size<N> size_ = 0;
  bool given_ = false;
};

using Size1 = Size<1>;
using Size2 = Size<2>;
using Size3 = Size<3>;
using OptionalSize1 = OptionalSize<1>;
using OptionalSize2 = OptionalSize<2>;
using OptionalSize3 = OptionalSize<3>;

}  // namespace ordo

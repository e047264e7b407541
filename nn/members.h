// members_of: the members of a struct of options, to give them on or to print them. Internal to nn.
#pragma once

#include <cstddef>
#include <tuple>

namespace ordo::detail {

/// References to the `count` members of `o`, which has no others, in their order.
template <size_t count, class Options>
auto members_of(const Options& o) {
  static_assert(count <= 7);
  if constexpr (count == 0) {
    return std::tuple<>();
  } else if constexpr (count == 1) {
    const auto& [a] = o;
    return std::tie(a);
  } else if constexpr (count == 2) {
    const auto& [a, b] = o;
    return std::tie(a, b);
  } else if constexpr (count == 3) {
    const auto& [a, b, c] = o;
    return std::tie(a, b, c);
  } else if constexpr (count == 4) {
    const auto& [a, b, c, d] = o;
    return std::tie(a, b, c, d);
  } else if constexpr (count == 5) {
    const auto& [a, b, c, d, e] = o;
    return std::tie(a, b, c, d, e);
  } else if constexpr (count == 6) {
    const auto& [a, b, c, d, e, f] = o;
    return std::tie(a, b, c, d, e, f);
  } else {
    const auto& [a, b, c, d, e, f, g] = o;
    return std::tie(a, b, c, d, e, f, g);
  }
}

}  // namespace ordo::detail

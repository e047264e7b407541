// What scatter_reduce, index_reduce and segment_reduce make of several values.
#pragma once

#include <string_view>

namespace ordo {

enum class Reduce : unsigned char { sum, prod, mean, amax, amin, max = amax, min = amin };
/// "sum", "prod", "mean", "amax" or "amin".
constexpr std::string_view name(Reduce reduce) {
  constexpr std::string_view kNames[] = {"sum", "prod", "mean", "amax", "amin"};
  return kNames[size_t(reduce)];
}

}  // namespace ordo

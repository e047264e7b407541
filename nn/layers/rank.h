// Layers for 1, 2 and 3 dimensions. Internal to nn.
#pragma once

#include <string>

namespace ordo::nn {

/// The one for N dimensions.
template <int N, class F1, class F2, class F3>
constexpr auto of_rank(F1 f1, F2 f2, F3 f3) {
  if constexpr (N == 1)
    return f1;
  else if constexpr (N == 2)
    return f2;
  else
    return f3;
}

/// "MaxPool2d"
template <int N>
std::string name_of_rank(const char* name) {
  return name + std::to_string(N) + "d";
}

}  // namespace ordo::nn

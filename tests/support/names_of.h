#pragma once

#include <string>

#include <ordo/nn/named_tensor.h>

namespace ordo::test {

/// The names of what a module or a state holds, with blanks between: "0.weight 0.bias".
inline std::string names_of(const nn::NamedTensorList& list) {
  std::string names;
  for (const auto& entry : list) names += (names.empty() ? "" : " ") + entry.name;
  return names;
}

}  // namespace ordo::test

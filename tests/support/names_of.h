#pragma once

#include <algorithm>

#include "tests/support/op_samples.h"

namespace ordo::test {

/// The names of what a module or a state holds, with blanks between: "0.weight 0.bias".
inline std::string names_of(const nn::NamedTensorList& list) {
  std::string names;
  for (const auto& entry : list) names += (names.empty() ? "" : " ") + entry.name;
  return names;
}

/// The same names, in any order, with the same dtypes, sizes and bytes.
inline void expect_same_tensors(const nn::NamedTensorList& got, const nn::NamedTensorList& want) {
  EXPECT_EQ(got.size(), want.size());
  for (const nn::NamedTensor& entry : want) {
    const auto same = [&](const nn::NamedTensor& other) { return other.name == entry.name; };
    const auto found = std::find_if(got.begin(), got.end(), same);
    ASSERT_NE(found, got.end()) << entry.name;
    EXPECT_EQ(found->tensor.dtype(), entry.tensor.dtype()) << entry.name;
    EXPECT_EQ(found->tensor.sizes(), entry.tensor.sizes()) << entry.name;
    EXPECT_EQ(bytes_of(found->tensor), bytes_of(entry.tensor)) << entry.name;
  }
}

}  // namespace ordo::test

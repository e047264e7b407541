// A module's entry for a parameter or buffer, and the Parameter objects that stand for it. Internal.
#pragma once

#include <string>
#include <vector>

#include <ordo/nn/parameter.h>

namespace ordo::nn {

struct ParameterSlot {
  std::string name;
  bool trained;  ///< a parameter, not a buffer
  Tensor tensor;
  std::vector<Parameter*> handles;

  /// Checks `value` and makes it the entry's tensor and that of all handles.
  void assign(const Tensor& value);
};

}  // namespace ordo::nn

// NamedTensor, a tensor with its name: what models, optimisers and files hand each other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ordo/engine/tensor/tensor.h>

namespace ordo::nn {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};
using NamedTensorList = std::vector<NamedTensor>;

/// What a load found beside entries of the same names on both sides.
struct LoadReport {
  std::vector<std::string> missing;     ///< entries of the object that were not given; they keep their values
  std::vector<std::string> unexpected;  ///< given entries that the object does not have
  std::vector<std::string> tied;        ///< given entries whose tensor the object lists under another name
};

/// A change that was checked and that only has to be made: with several of them, all are checked before the first is
/// made, so that an error changes nothing.
using Commit = std::function<void()>;

}  // namespace ordo::nn

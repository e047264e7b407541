// What clone() has copied so far. Internal to nn.
#pragma once

#include <memory>
#include <unordered_map>

#include <ordo/nn/parameter_slot.h>

namespace ordo::nn {

/// By what was copied: an object met twice, a tied parameter say, is copied once.
struct CloneMap {
  std::unordered_map<const void*, std::shared_ptr<void>> states;  // of modules
  std::unordered_map<const ParameterSlot*, std::shared_ptr<ParameterSlot>> slots;
  std::unordered_map<const TensorImpl*, Tensor> tensors;
};

/// Of this thread; null where nothing is cloned.
CloneMap* clone_map();

}  // namespace ordo::nn

// A module's entry for a parameter or buffer, and the Parameter objects that stand for it. Internal to nn.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <ordo/nn/named_tensor.h>
#include <ordo/nn/parameter.h>

namespace ordo::nn {

struct ParameterSlot {
  std::string name;
  bool trained;           ///< a parameter, not a buffer
  bool computed = false;  ///< from other parameters, before each call
  Tensor tensor;
  std::vector<Parameter*> handles;

  /// Whether the module lists it.
  bool listed() const { return !computed && tensor.defined(); }
  /// Checks `value` and makes it the entry's tensor and that of all handles.
  void assign(const Tensor& value);
  /// Without checks.
  void set(const Tensor& value);
};

/// What clone() has copied so far, by what was copied: an object met twice, a tied parameter say, is copied once.
struct CloneMap {
  std::unordered_map<const void*, std::shared_ptr<void>> states;  // of modules
  std::unordered_map<const ParameterSlot*, std::shared_ptr<ParameterSlot>> slots;
  std::unordered_map<const TensorImpl*, Tensor> tensors;
};
/// Of this thread; null where nothing is cloned.
CloneMap* clone_map();

/// A parameter that is computed from others.
struct Parametrization {
  using Compute = std::function<Tensor(const TensorList& from, bool training)>;
  std::shared_ptr<ParameterSlot> computed;
  std::vector<std::shared_ptr<ParameterSlot>> from;
  Compute compute;
};

class ModuleBase;
/// Makes parameters of modules computed ones.
struct Parametrized {
  /// What takes the place of a parameter.
  struct Parts {
    NamedTensorList parameters, buffers;
  };
  /// Throws: ValueError when the module has no parameter `name` of its own, or it is computed already.
  static void add(const char* op, const ModuleBase& module, const std::string& name,
                  const std::function<Parts(const Tensor& value)>& split, Parametrization::Compute compute);
};

}  // namespace ordo::nn

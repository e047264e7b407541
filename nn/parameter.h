// A module's tensors.
//
//   struct Scale : nn::Module {
//     nn::Parameter factor = add_parameter("factor", ones({1}));
//     Tensor forward(const Tensor& x) override { return x * factor; }
//   };
//
// Two modules share (tie) a parameter by assignment:
//
//   head.weight = tokens.weight;   // one tensor, one gradient; named_parameters() lists it once
#pragma once

#include <memory>

#include <ordo/engine/tensor/tensor.h>

namespace ordo::nn {

struct ParameterSlot;
/// What add_parameter and add_buffer give: it becomes a Parameter, and nothing else, so that a module cannot keep a
/// plain Tensor that assignment would part from its entry.
struct NewParameter {
  std::shared_ptr<ParameterSlot> slot;
};

/// A Tensor that stands for an entry of its module: what is assigned to it is from then on the module's parameter, in
/// named_parameters() and in every copy of the module.
///
/// PyTorch: torch.nn.Parameter.
class Parameter : public Tensor {
 public:
  Parameter() = default;                       ///< undefined, of no module yet
  Parameter(NewParameter entry);               ///< `Parameter p = add_parameter(...)`
  Parameter& operator=(NewParameter entry) &;  ///< the same later, in a constructor's body
  Parameter(const Parameter& other);           ///< stands for the same entry
  Parameter(Parameter&& other);
  ~Parameter();

  /// From now on the entry is `value`; undefined: the entry is empty and not listed. For parameters, not buffers,
  /// `value` becomes a leaf that requires a gradient. Optimisers made earlier keep the tensor they were given.
  ///
  /// Throws: ValueError when the Parameter is of no module; for parameters, AutogradError when `value` was computed
  /// from a leaf, DTypeError when its dtype is not floating.
  Parameter& operator=(const Tensor& value) &;
  Parameter& operator=(const Parameter& value) & { return *this = static_cast<const Tensor&>(value); }

 private:
  void join(std::shared_ptr<ParameterSlot> slot);
  void leave();
  std::shared_ptr<ParameterSlot> slot_;
};
/// A member for state that is not trained.
using Buffer = Parameter;

}  // namespace ordo::nn

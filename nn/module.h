// Module: a piece of a model with named parameters, buffers and sub-modules.
//
//   struct Net : nn::Module {
//     nn::Linear hidden = add("hidden", nn::Linear(784, 100));
//     nn::Linear output = add("output", nn::Linear(100, 10));
//     Tensor forward(const Tensor& x) override { return output(relu(hidden(x))); }
//   };
//   Net net;
//   for (auto& [name, parameter] : net.named_parameters()) ...   // "hidden.weight", "hidden.bias", "output.weight",
//   ...
//
// A module is a handle: a copy shares parameters, buffers and the training flag with its original, as a copied Tensor
// shares its memory. A class derived from Module keeps that property by holding tensors, modules and constants only.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ordo/engine/tensor.h>

namespace ordo::nn {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};
using NamedTensorList = std::vector<NamedTensor>;

class Module {
 public:
  Module();
  virtual ~Module();

  /// ValueError for modules that do not take exactly one tensor.
  virtual Tensor forward(const Tensor& input);
  Tensor operator()(const Tensor& input) { return forward(input); }

  // -- contents, this module's first, then those of its sub-modules in the order they were added ---------------------
  TensorList parameters() const;
  NamedTensorList named_parameters() const;
  NamedTensorList named_buffers() const;  ///< state that is not trained, e.g. "1.running_mean"
  /// Parameters, then buffers. The tensors are the module's own, not copies.
  NamedTensorList state_dict() const;
  /// Copies values in by name. ValueError names missing, unexpected and repeated entries; ShapeError differing sizes.
  void load_state_dict(const NamedTensorList& state);
  /// Direct sub-modules with their names.
  std::vector<std::pair<std::string, Module*>> named_children() const;
  int64_t parameter_count() const;  ///< elements of all parameters

  // -- state ----------------------------------------------------------------------------------------------------------
  /// Dropout and batch normalisation act differently while training. Modules start in training mode.
  void train(bool on = true);
  void eval() { train(false); }
  bool is_training() const;
  /// Makes every parameter's gradient undefined again.
  void zero_grad();
  /// Moves parameters, their gradients and buffers. Tensor handles taken before stay valid and move along, so an
  /// optimiser made earlier keeps working on the same parameters.
  void to(Device device);
  void to(DType dtype);  ///< floating parameters and buffers; DTypeError unless dtype is floating

 protected:
  Module(const Module&) = default;
  Module& operator=(const Module&) = default;
  Module(Module&&) = default;
  Module& operator=(Module&&) = default;

  /// ValueError when the name is empty, taken or contains a dot.
  Tensor add_parameter(const std::string& name, Tensor value);
  Tensor add_buffer(const std::string& name, Tensor value);
  /// Registers a sub-module and returns it, to be kept as a member.
  template <class M>
  M add(const std::string& name, const M& module) {
    static_assert(std::is_base_of_v<Module, M>, "add() takes a class derived from nn::Module");
    add_child(name, std::make_shared<M>(module));
    return module;
  }
  void add_child(const std::string& name, std::shared_ptr<Module> module);
  using Children = std::vector<std::pair<std::string, std::shared_ptr<Module>>>;
  const Children& children() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ordo::nn

// Pieces of models.
//
//   struct Net : nn::Module {
//     nn::Linear hidden = add("hidden", nn::Linear(784, 100));
//     nn::Linear output = add("output", nn::Linear(100, 10));
//     Tensor forward(const Tensor& x) override { return output(relu(hidden(x))); }
//   };
//   Net net;
//   for (auto& [name, parameter] : net.named_parameters()) ...   // "hidden.weight", "hidden.bias", ...
//
// A forward that takes or gives anything else than one tensor belongs to a class derived from ModuleOf:
//
//   struct Cell : nn::ModuleOf<Cell> {
//     nn::Linear input = add("input", nn::Linear(8, 16)), state = add("state", nn::Linear(16, 16));
//     std::pair<Tensor, Tensor> forward(const Tensor& x, const Tensor& h) {
//       const Tensor next = tanh(input(x) + state(h));
//       return {next, next};
//     }
//   };
//   auto [y, h] = cell(x, h0);
//
// Parameters of its own a module declares as in nn/parameter.h, lists of sub-modules as in nn/module_list.h. A
// sub-module that may be missing is a std::optional:
//
//   std::optional<nn::Conv2d> shortcut =
//       add("shortcut", stride > 1 ? std::optional(nn::Conv2d(8, 8, 1)) : std::nullopt);
//
// One that is made in the constructor's body is an nn::Later (nn/later.h).
//
// Errors of a model's parts say where they are. For model(x), where model.layers is a Sequential:
//
//   [linear] input [2, 3] ... [in layers.2 (Linear)]
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ordo/engine/calls/error.h>
#include <ordo/engine/calls/op_scope.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/nn/named_tensor.h>
#include <ordo/nn/parameter.h>

namespace ordo::nn {

struct ForwardHooks;
/// Of a hook of a module.
class HookHandle {
 public:
  HookHandle() = default;
  /// The hook is not called again. Does nothing the second time.
  void remove();

 private:
  friend class Module;
  HookHandle(const std::shared_ptr<ForwardHooks>& hooks, int64_t id) : hooks_(hooks), id_(id) {}
  std::weak_ptr<ForwardHooks> hooks_;
  int64_t id_ = 0;
};

/// What all modules are: named parameters, buffers and sub-modules. A module is a handle: a copy shares parameters,
/// buffers and the training flag with its original, as a copied Tensor shares its memory; clone() makes one of its own.
/// A class derived from Module
/// keeps that property by holding tensors, modules and constants only. Modules are not assigned, because a module that
/// they are part of would keep the old one: assign parameters, or construct anew (`std::optional<Net> net;
/// net.emplace();`).
///
/// Throws: every method, ValueError when the module was moved from.
/// PyTorch: torch.nn.Module.
class ModuleBase {
 public:
  ModuleBase();
  virtual ~ModuleBase();

  // -- contents, this module's first, then those of its sub-modules in the order they were added; what is shared by
  // several names is listed once, under the first ---------------------------------------------------------------------
  TensorList parameters() const;
  NamedTensorList named_parameters() const;
  NamedTensorList named_buffers() const;  ///< state that is not trained, e.g. "1.running_mean"
  /// Parameters, then buffers. The tensors are the module's own, not copies.
  NamedTensorList state_dict() const;
  /// Copies values in by name, converted to the module's dtypes and devices. What is tied may be given under any of its
  /// names, or under several, as PyTorch writes it.
  ///
  /// Throws: ShapeError naming entries of other sizes; ValueError naming repeated ones, those of one tied parameter that
  /// differ and, if `strict`, all that are missing or unexpected. Nothing has changed then.
  LoadReport load_state_dict(const NamedTensorList& state, bool strict = true);
  /// load_state_dict(), strictly, in two parts: checks now, copies when the result is called.
  Commit prepare_state_dict(const NamedTensorList& state);
  /// Direct sub-modules with their names.
  std::vector<std::pair<std::string, ModuleBase*>> named_children() const;
  /// This module, named "", and all modules in it.
  std::vector<std::pair<std::string, ModuleBase*>> named_modules();
  /// Calls f(ModuleBase&) for each of named_modules().
  template <class F>
  void apply(F&& f) {
    for (auto& [name, module] : named_modules()) f(*module);
  }
  int64_t parameter_count() const;  ///< elements of all parameters

  // -- text -----------------------------------------------------------------------------------------------------------
  /// The class and its options: "Conv2d(1, 8, kernel_size=3)". Where a class says nothing else, its name without
  /// namespaces. nn/description.h helps to write it.
  virtual std::string description() const;
  /// The model as a tree: a line for each module with its description, the shapes of its own parameters and buffers and
  /// how many parameters these are; the total last. What is shared counts where it stands first.
  ///
  ///   Sequential
  ///     0: Linear(784, 10)  weight [10, 784], bias [10]  7850
  ///     1: ReLU
  ///   7850 parameters
  std::string str() const;

  // -- state ----------------------------------------------------------------------------------------------------------
  /// Dropout and batch normalisation act differently while training. Modules start in training mode.
  void train(bool on = true);
  void eval() { train(false); }
  bool is_training() const;
  /// Makes every parameter's gradient undefined again.
  void zero_grad();
  /// Moves parameters, their gradients and buffers. Tensor handles taken before stay valid and move along, so an
  /// optimiser made earlier keeps working on the same parameters. To a dtype: those that are floating.
  ///
  /// Throws: DTypeError when dtype is not floating; else as Tensor::to.
  void to(Device device);
  void to(DType dtype);

  /// A call of a module, for listeners: its operations have its path. Where a module that runs contains it, that one's
  /// path and the names between them, else its class's name.
  class Call {
   public:
    explicit Call(const ModuleBase& module) {
      if (ordo::detail::op_listened()) [[unlikely]]
        scope_ = enter(module);
    }
    /// The parameters of the module that opened `scope`, by the names that follow its path. None for other scopes.
    static NamedTensorList parameters(const ordo::detail::OpScope& scope);

   private:
    static std::unique_ptr<ordo::detail::OpScope> enter(const ModuleBase& module);
    std::unique_ptr<ordo::detail::OpScope> scope_;
  };

 protected:
  /// What operator() does: forward(), which `f` calls, with what goes before it and with errors that say where they
  /// are.
  template <class F>
  decltype(auto) run_forward(const F& f) const {
    const Call running(*this);
    try {
      compute_parameters();
      return f();
    } catch (Error& error) {
      locate(error);
      throw;
    }
  }
  ModuleBase(const ModuleBase& other);
  ModuleBase(ModuleBase&&) = default;
  ModuleBase& operator=(const ModuleBase&) = delete;

  /// To be kept as a member of type Parameter (Buffer).
  ///
  /// Throws: ValueError when the name is empty, taken or contains a dot.
  NewParameter add_parameter(const std::string& name, Tensor value);
  NewParameter add_buffer(const std::string& name, Tensor value);
  /// Registers a sub-module and returns it, to be kept as a member.
  ///
  /// Throws: as add_parameter; ValueError when the module contains this one.
  template <class M>
  M add(const std::string& name, const M& module) {
    static_assert(std::is_base_of_v<ModuleBase, M>, "add() takes a class derived from nn::Module or nn::ModuleOf");
    const ordo::detail::LibraryCall call;
    add_child(name, module);
    return module;
  }
  template <class M>
  std::optional<M> add(const std::string& name, const std::optional<M>& module) {
    return module ? std::optional<M>(add(name, *module)) : std::nullopt;
  }
  template <class M>
  void add_child(const std::string& name, const M& module) {
    const Copier copier = [](const ModuleBase& m) -> std::shared_ptr<ModuleBase> {
      return std::make_shared<M>(static_cast<const M&>(m));
    };
    add_child(name, copier(module), copier);
  }
  void remove_child(const std::string& name);  ///< which is there
  using Children = std::vector<std::pair<std::string, std::shared_ptr<ModuleBase>>>;
  const Children& children() const;
  /// Negative indices count from the end.
  ///
  /// Throws: IndexError naming `container` when there is none.
  ModuleBase& child_at(const char* container, int64_t index) const;
  ModuleBase* find_child(const std::string& name) const;  ///< null when there is none
  /// The sub-module of this name.
  ///
  /// Throws: ValueError naming `container` when there is none.
  ModuleBase& child_named(const char* container, const std::string& name) const;

 private:
  struct State;
  friend class Module;
  friend struct Parametrized;
  using Copier = std::shared_ptr<ModuleBase> (*)(const ModuleBase&);
  void add_child(const std::string& name, std::shared_ptr<ModuleBase> module, Copier copier);
  /// Parameters that are computed from others (nn/parametrizations.h).
  void compute_parameters() const;
  /// Names the part of this module that `error` left, in its message. Does nothing where there is no memory for it.
  void locate(Error& error) const noexcept;
  std::shared_ptr<State> copied_state() const;
  State& state() const;
  /// What is listed under another name goes to `tied`, where there is one: with that name, the other one's tensor.
  void collect(bool trained, const std::string& prefix, NamedTensorList& out, NamedTensorList* tied = nullptr) const;
  NamedTensorList collected(bool trained) const;
  NewParameter add_slot(const std::string& name, Tensor value, bool trained);
  Commit prepare(const NamedTensorList& state, bool strict, LoadReport* report);
  std::shared_ptr<State> state_;
};

/// str()
std::ostream& operator<<(std::ostream& out, const ModuleBase& module);

/// A module that takes a tensor and gives one, and so can be part of a Sequential.
///
/// Throws: forward(), ValueError when the class has none for exactly one tensor.
class Module : public ModuleBase {
 public:
  virtual Tensor forward(const Tensor& input);
  Tensor operator()(const Tensor& input) {
    return run_forward([&] { return run(input); });
  }

  /// Calls `hook` before every forward() of this module and its copies; a defined tensor that it returns replaces the
  /// input. `hook` may return nothing.
  ///
  /// Throws: ValueError when it is empty.
  /// PyTorch: torch.nn.Module.register_forward_pre_hook.
  HookHandle register_forward_pre_hook(std::function<Tensor(Module& module, const Tensor& input)> hook);
  /// Calls `hook` after every forward(); a defined tensor that it returns replaces the output.
  ///
  /// Throws: as register_forward_pre_hook.
  /// PyTorch: torch.nn.Module.register_forward_hook.
  HookHandle register_forward_hook(
      std::function<Tensor(Module& module, const Tensor& input, const Tensor& output)> hook);
  template <class F>
  requires std::is_void_v<std::invoke_result_t<F&, Module&, const Tensor&>> HookHandle
  register_forward_pre_hook(F hook) {
    return register_forward_pre_hook([hook](Module& module, const Tensor& input) mutable {
      hook(module, input);
      return Tensor();
    });
  }
  template <class F>
  requires std::is_void_v<std::invoke_result_t<F&, Module&, const Tensor&, const Tensor&>> HookHandle
  register_forward_hook(F hook) {
    return register_forward_hook([hook](Module& module, const Tensor& input, const Tensor& output) mutable {
      hook(module, input, output);
      return Tensor();
    });
  }

 private:
  Tensor run(const Tensor& input);
};

struct CloneMap;
/// While it lives, modules that this thread copies get state of their own. Internal.
class Cloning {
 public:
  Cloning();
  ~Cloning();
  Cloning(const Cloning&) = delete;
  Cloning& operator=(const Cloning&) = delete;

 private:
  CloneMap* outer_;
};

/// A module of the same class with parameters and buffers of its own, of the same values; what is tied there is tied
/// here. Gradients and hooks are not copied. Members that are neither modules nor parameters are copied as C++ does.
///
/// PyTorch: copy.deepcopy, torch::nn::Module::clone.
template <class M>
M clone(const M& module) {
  static_assert(std::is_base_of_v<ModuleBase, M>, "clone() takes a module; Tensor::clone() copies a tensor");
  const ordo::detail::LibraryCall call;
  const Cloning cloning;
  return M(module);
}

/// A module whose forward() takes and gives what it likes: `struct Net : nn::ModuleOf<Net>`. Calling it calls forward.
template <class Derived>
class ModuleOf : public ModuleBase {
 public:
  template <class... Arguments>
  decltype(auto) operator()(Arguments&&... arguments) {
    return this->run_forward([&]() -> decltype(auto) {
      return static_cast<Derived&>(*this).forward(std::forward<Arguments>(arguments)...);
    });
  }
};

}  // namespace ordo::nn

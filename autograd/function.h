// Functions with a gradient of your own, of tensor operations. An operation with kernels of its own is more:
// samples/own_operation.cpp.
//
//   struct Clamped : Function<Clamped> {   // between 0 and `top`; the gradient passes everywhere
//     static Tensor forward(AutogradContext* ctx, const Tensor& x, double top) {
//       ctx->save_for_backward({x});
//       ctx->saved_data["top"] = top;
//       return x.clamp(0, top);
//     }
//     static TensorList backward(AutogradContext* ctx, const TensorList& grads) {
//       const Tensor x = ctx->get_saved_variables()[0];
//       return {grads[0]};
//     }
//   };
//   Tensor y = Clamped::apply(x, 6.0);
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

class Saved;

/// What forward() leaves for backward().
///
/// PyTorch: torch::autograd::AutogradContext.
class AutogradContext {
 public:
  AutogradContext();
  ~AutogradContext();
  AutogradContext& operator=(const AutogradContext&) = delete;

  /// Keeps arguments, tensors computed in forward(), or its only result. In place of those kept before.
  void save_for_backward(const TensorList& tensors);
  /// They, in their order.
  ///
  /// Throws: AutogradError when one was changed in place since, or the result is one of several.
  TensorList get_saved_variables() const;
  /// Whether the i-th tensor among the arguments wants a gradient.
  ///
  /// Throws: IndexError when there is none.
  bool needs_input_grad(int i) const;
  /// Numbers to keep.
  std::map<std::string, Scalar> saved_data;

 private:
  friend struct FunctionCall;
  AutogradContext(const AutogradContext& forward, const Tensor& result);  // what backward() sees
  void keep(const TensorList& results);                                   // what forward() saved

  std::vector<Saved> saved_;
  std::vector<bool> is_result_;  // of each that was saved; such a one is not kept here, or it would keep itself
  TensorList given_;             // while forward() runs
  std::vector<bool> needs_;
  Tensor result_;  // while backward() runs
};

/// What Function::apply() does, without its types. Internal.
struct FunctionCall {
  const char* name;
  TensorList inputs;
  std::vector<size_t> positions;  ///< of the inputs among all arguments
  size_t arguments;

  using Backward = TensorList (*)(AutogradContext*, const TensorList&);
  Tensor run(const std::function<Tensor(AutogradContext*)>& forward, Backward backward) const;
  TensorList run_many(const std::function<TensorList(AutogradContext*)>& forward, Backward backward) const;

 private:
  std::shared_ptr<AutogradContext> context() const;
  TensorList gradients(Backward backward, const AutogradContext& context, const Tensor& result,
                       const TensorList& grads) const;
};

/// The base of a class with static functions forward(), which computes a Tensor or a TensorList of its arguments, and
/// backward(), which gives the gradients of the arguments: one for each tensor, or one for each argument; undefined where
/// there is none. What forward() computes is not recorded. backward() may be differentiated again, if it is written in
/// operations. `static constexpr const char* name = "clamped";` names the function in errors and traces.
///
/// Throws: AutogradError, in the backward pass, when backward() gives another number of gradients.
/// PyTorch: torch::autograd::Function.
template <class Derived>
class Function {
 public:
  template <class... Arguments>
  static auto apply(const Arguments&... arguments) {
    FunctionCall call{"Function", {}, {}, sizeof...(arguments)};
    if constexpr (requires { Derived::name; }) call.name = Derived::name;
    size_t position = 0;
    (add(call, position++, arguments), ...);
    const auto forward = [&](AutogradContext* context) { return Derived::forward(context, arguments...); };
    if constexpr (std::is_same_v<std::invoke_result_t<decltype(forward)&, AutogradContext*>, TensorList>)
      return call.run_many(forward, Derived::backward);
    else
      return call.run(forward, Derived::backward);
  }

 private:
  template <class T>
  static void add(FunctionCall& call, size_t position, const T& argument) {
    if constexpr (std::is_base_of_v<Tensor, T>) {
      call.inputs.push_back(argument);
      call.positions.push_back(position);
    }
  }
};

}  // namespace ordo

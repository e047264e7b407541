// Differentiating: gradients of some tensors with respect to others, hooks, and the check of a gradient against
// finite differences.
#pragma once

#include <functional>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// d(outputs)/d(inputs), weighted with grad_outputs (undefined or missing: ones, for single elements).
///
/// Leaves' grad() stays as it is. An input that the outputs do not depend on gives an undefined tensor. With
/// create_graph, which implies retain_graph, the result can be differentiated again.
/// Throws: AutogradError when an output depends on nothing that requires a gradient, an input requires none, the graph
/// was freed by an earlier pass, or a saved tensor was changed since; ShapeError when a gradient has another shape than
/// its output, or is missing for more than one element; DeviceError when it is on another device; ValueError when
/// grad_outputs are some, but not as many as outputs.
/// PyTorch: torch.autograd.grad, with allow_unused.
TensorList grad(const TensorList& outputs, const TensorList& inputs, const TensorList& grad_outputs = {},
                bool retain_graph = false, bool create_graph = false);

/// Tensor::backward of several tensors at once: adds gradients into the grad() of leaves.
/// Throws: as grad; NondeterministicError when two threads add to one leaf with create_graph at a deterministic level.
/// PyTorch: torch.autograd.backward.
void backward(const TensorList& outputs, const TensorList& grad_outputs = {}, bool retain_graph = false,
              bool create_graph = false);

/// Calls `hook` with every gradient that arrives at `t` in a backward pass; a defined tensor that it returns replaces
/// the gradient. A hook that registers another one has it called from the next pass on.
/// Throws: AutogradError when `t` does not require a gradient; ValueError when it is undefined or `hook` is empty. In
/// the pass, ShapeError when a hook returns another shape.
/// PyTorch: torch.Tensor.register_hook.
void register_hook(const Tensor& t, std::function<Tensor(const Tensor& grad)> hook);

/// Calls `hook` with a leaf each time that a gradient has been added into its grad().
/// Throws: AutogradError when `leaf` is no leaf that requires a gradient; ValueError when it is undefined or `hook` is
/// empty.
/// PyTorch: torch.Tensor.register_post_accumulate_grad_hook.
void register_post_accumulate_grad_hook(const Tensor& leaf, std::function<void(const Tensor& leaf)> hook);

struct GradcheckOptions {
  double eps = 1e-6;  ///< half the distance of the central difference
  double atol = 1e-5, rtol = 1e-3;
  bool second_order = false;  ///< also check the gradient of the gradient
};
/// Compares the gradients of f with central differences, for every element of every input that requires a gradient. The
/// result is empty when they agree, else it says what differs and by how much.
/// Throws: DTypeError when such an input is not float64; ValueError when there is none.
/// PyTorch: torch.autograd.gradcheck, and gradgradcheck with second_order.
std::string gradcheck(const std::function<Tensor(const TensorList&)>& f, const TensorList& inputs,
                      GradcheckOptions options = {});

}  // namespace ordo

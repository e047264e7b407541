// Differentiating: gradients of some tensors with respect to others, hooks, and the check of a gradient against
// finite differences.
#pragma once

#include <functional>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// d(outputs)/d(inputs), weighted with grad_outputs (undefined or missing: ones, for single elements). Leaves' grad()
/// is not touched. An input that the outputs do not depend on gives an undefined tensor.
/// With create_graph the result can be differentiated again (implies retain_graph).
TensorList grad(const TensorList& outputs, const TensorList& inputs, const TensorList& grad_outputs = {},
                bool retain_graph = false, bool create_graph = false);

/// As Tensor::backward, from several tensors at once.
void backward(const TensorList& outputs, const TensorList& grad_outputs = {}, bool retain_graph = false,
              bool create_graph = false);

/// Calls `hook` with every gradient that arrives at `t` in a backward pass; a defined tensor that it returns replaces
/// the gradient. A hook that registers another one has it called from the next pass on. ValueError for an empty
/// function.
void register_hook(const Tensor& t, std::function<Tensor(const Tensor& grad)> hook);

/// Calls `hook` with a leaf that requires a gradient each time that a gradient has been added into its grad().
/// AutogradError for other tensors, ValueError for an empty function.
void register_post_accumulate_grad_hook(const Tensor& leaf, std::function<void(const Tensor& leaf)> hook);

struct GradcheckOptions {
  double eps = 1e-6;  ///< half the distance of the central difference
  double atol = 1e-5, rtol = 1e-3;
  bool second_order = false;  ///< also check the gradient of the gradient
};
/// Compares the gradients of f with central differences, for every element of every float64 input that requires a
/// gradient. Returns an empty string when they agree, else what differs and by how much.
std::string gradcheck(const std::function<Tensor(const TensorList&)>& f, const TensorList& inputs,
                      GradcheckOptions options = {});

}  // namespace ordo

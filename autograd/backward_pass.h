// The walk over the tape. Internal.
#pragma once

#include <ordo/autograd/tape.h>

namespace ordo {

/// Where a gradient with respect to `t` arrives: the node that made it, a leaf's accumulator, or null.
Edge gradient_edge(const Tensor& t);
/// A node whose result is not made by an operation.
Edge record_edge(const char* name, InputList inputs, BackwardFunction f);

struct BackwardOptions {
  bool retain_graph = false;
  bool create_graph = false;
};

/// Runs the tape from `outputs`. With `inputs`, returns their gradients and leaves every grad() alone; without, adds
/// into the grad() of the leaves and returns nothing.
TensorList run_backward(const TensorList& outputs, const TensorList& grad_outputs, const TensorList* inputs,
                        BackwardOptions options);

}  // namespace ordo

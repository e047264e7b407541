// The walk over the tape. Internal.
#pragma once

#include <ordo/autograd/tape.h>

namespace ordo {

/// Where a gradient with respect to `t` arrives: the node that made it, a leaf's accumulator, or null.
std::shared_ptr<Node> gradient_edge(const Tensor& t);
/// The name of the node whose backward function runs on this thread; "backward" outside.
const char* running_node_name();

struct BackwardOptions {
  bool retain_graph = false;
  bool create_graph = false;
};

/// Runs the tape from `outputs`. With `inputs`, returns their gradients and leaves every grad() alone; without, adds
/// into the grad() of the leaves and returns nothing.
TensorList run_backward(const TensorList& outputs, const TensorList& grad_outputs, const TensorList* inputs,
                        BackwardOptions options);

}  // namespace ordo

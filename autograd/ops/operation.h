// What the sources of operations include: the door, the tape, autocast, checks, rows of the registry, and the
// operations that most formulas are made of. Internal.
#pragma once

#include <ordo/autograd/autocast.h>
#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/cat.h>
#include <ordo/autograd/ops/comparison.h>
#include <ordo/autograd/ops/reductions.h>
#include <ordo/autograd/ops/unary.h>
#include <ordo/autograd/ops/where.h>
#include <ordo/autograd/tape.h>
#include <ordo/engine/check.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::detail {

/// Whether an operation on these inputs goes on the tape. Asking first spares the closures of those that do not.
template <class... Tensors>
bool recorded(const Tensors&... inputs) {
  const std::reference_wrapper<const Tensor> all[] = {inputs...};
  return any_requires_grad(all);
}

/// What a gradient must look like to belong to an input that was broadcast and promoted.
struct InputShape {
  Dims sizes;
  DType dtype;
  bool wanted;
  explicit InputShape(const Tensor& t) : sizes(t.sizes()), dtype(t.dtype()), wanted(t.requires_grad()) {}
  Tensor fit(const Tensor& grad) const { return (grad.sizes() == sizes ? grad : sum_to(grad, sizes)).to(dtype); }
};

/// Keeps a tensor only where a derivative needs it.
inline Saved saved_if(bool needed, const Tensor& t) { return needed ? Saved(t) : Saved(); }

}  // namespace ordo::detail

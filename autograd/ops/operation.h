// What the sources of operations include: the door, the tape, autocast, checks, rows of the registry, and the
// operations that most formulas are made of. Internal.
#pragma once

#include <ordo/autograd/autocast.h>
#include <ordo/autograd/ops/create/arange.h>
#include <ordo/autograd/ops/create/random.h>
#include <ordo/autograd/ops/index/gather.h>
#include <ordo/autograd/ops/index/index_add.h>
#include <ordo/autograd/ops/index/scatter.h>
#include <ordo/autograd/ops/linalg/matmul.h>
#include <ordo/autograd/ops/math/activations.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/math/comparison.h>
#include <ordo/autograd/ops/math/unary.h>
#include <ordo/autograd/ops/math/where.h>
#include <ordo/autograd/ops/reduce/reductions.h>
#include <ordo/autograd/ops/reduce/scans.h>
#include <ordo/autograd/ops/reduce/search.h>
#include <ordo/autograd/ops/shape/cat.h>
#include <ordo/autograd/ops/shape/shapes.h>
#include <ordo/autograd/tape.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo {
namespace detail {

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

/// An operation that changes `t` by write(), whose new value depends on `other`, where defined. backward(before) makes
/// the backward function, after write(); `before` is `t` as it was.
template <class Write, class Backward>
Tensor& change_in_place(const OpCall& call, Tensor& t, const Tensor& other, const Write& write,
                        const Backward& backward) {
  expect_defined(call.name(), t, "self");
  InPlaceChange guard(call, t, {other});
  if (!recorded(t, other)) return write(), t;
  const Tensor before = history_of(t);
  LostHistory lost(t);
  write();
  guard.wrote();
  try {
    record_in_place(call, t, before, {other.is_same(t) ? before : other}, detail::listing<Tensor>(backward(before)));
  } catch (...) {
    lost.take_effect();
    throw;
  }
  return t;
}

/// A tensor of the device and the dtype of another one.
inline void expect_alike(const char* op, const Tensor& a, const Tensor& b, const char* argument) {
  expect_defined(op, b, argument);
  expect_same_device(op, a, b);
  expect_same_dtype(op, a, b);
}
/// Two tensors, and two on one device.
inline void expect_defined(const char* op, const Tensor& a, const char* name_a, const Tensor& b, const char* name_b) {
  expect_defined(op, a, name_a);
  expect_defined(op, b, name_b);
}
inline void expect_pair(const char* op, const Tensor& a, const char* name_a, const Tensor& b, const char* name_b) {
  expect_defined(op, a, name_a, b, name_b);
  expect_same_device(op, a, b);
}

}  // namespace detail

using detail::InputShape;
using detail::needs;
using detail::recorded;
using detail::saved_if;

}  // namespace ordo

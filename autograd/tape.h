// The tape: how an operation records its gradient. Every differentiable operation has this shape:
//
//   Tensor mul(const Tensor& a, const Tensor& b) {
//     return record("mul", kernels::mul(a, b), {a, b}, [a = Saved(a), b = Saved(b)](const Tensor& grad) -> TensorList {
//       return {sum_to(grad * b.get(), a.sizes()), sum_to(grad * a.get(), b.sizes())};
//     });
//   }
//
// A backward function is written in differentiable operations, so that second derivatives follow. It returns one tensor
// per input, undefined where no gradient flows. It may take the operation's result as a second argument.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <vector>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/determinism.h>
#include <ordo/engine/tensor_impl.h>

namespace ordo {

/// A tensor kept for the backward pass. get() throws AutogradError, naming both operations, when the memory was changed
/// in place since.
class Saved {
 public:
  Saved() = default;
  explicit Saved(const Tensor& t);
  const Tensor& get() const;
  const Dims& sizes() const { return tensor_.sizes(); }
  DType dtype() const { return tensor_.dtype(); }
  bool defined() const { return tensor_.defined(); }

 private:
  Tensor tensor_;
  uint32_t version_ = 0;
};

/// A recorded operation.
class Node : public std::enable_shared_from_this<Node> {
 public:
  Node(const char* name, Determinism level);
  virtual ~Node();
  /// Gradients with respect to the inputs, given the one with respect to the result.
  virtual TensorList backward(const Tensor& grad) = 0;
  /// Drops what was saved; a later backward() throws.
  virtual void release() = 0;
  virtual bool released() const = 0;

  const char* name() const { return name_; }
  Determinism level() const { return level_; }     ///< in force when recorded
  uint64_t sequence() const { return sequence_; }  ///< grows with every recorded operation of the process
  const std::vector<std::shared_ptr<Node>>& inputs() const { return inputs_; }
  void set_inputs(std::vector<std::shared_ptr<Node>> inputs) { inputs_ = std::move(inputs); }
  using Hook = std::function<Tensor(const Tensor&)>;
  void add_hook(Hook hook) { hooks_.push_back(std::move(hook)); }
  virtual const std::vector<Hook>& hooks() const { return hooks_; }

 private:
  const char* name_;
  Determinism level_;
  uint64_t sequence_;
  std::vector<std::shared_ptr<Node>> inputs_;  // null where no gradient is wanted
  std::vector<Hook> hooks_;
};

struct AutogradMeta {
  bool requires_grad = false;  // a leaf that asked
  Tensor grad;
  std::shared_ptr<Node> node;                               // the operation that made the tensor; null for leaves
  std::weak_ptr<Node> accumulator;                          // a leaf's end of the tape, which keeps the leaf alive
  std::vector<std::function<Tensor(const Tensor&)>> hooks;  // a leaf's
};

using BackwardFunction = std::function<TensorList(const Tensor& grad)>;
using BackwardFunctionWithResult = std::function<TensorList(const Tensor& grad, const Tensor& result)>;

namespace detail {
bool any_requires_grad(const Tensor* const* inputs, size_t count);
void record_node(const char* name, Tensor& result, const Tensor* const* inputs, size_t count, BackwardFunction f);
void record_node(const char* name, Tensor& result, const Tensor* const* inputs, size_t count,
                 BackwardFunctionWithResult f);
}  // namespace detail

/// Puts `result`, a fresh handle, on the tape when gradients are enabled and an input requires one.
template <class F>
Tensor record(const char* name, Tensor result, const std::vector<const Tensor*>& inputs, F&& backward) {
  if (detail::any_requires_grad(inputs.data(), inputs.size()))
    detail::record_node(name, result, inputs.data(), inputs.size(), std::forward<F>(backward));
  return result;
}
template <class F>
Tensor record(const char* name, Tensor result, std::initializer_list<std::reference_wrapper<const Tensor>> inputs,
              F&& backward) {
  const Tensor* pointers[8];
  size_t n = 0;
  for (const Tensor& t : inputs) pointers[n++] = &t;
  if (detail::any_requires_grad(pointers, n)) {
    if constexpr (std::is_invocable_v<F, const Tensor&, const Tensor&>)
      detail::record_node(name, result, pointers, n, BackwardFunctionWithResult(std::forward<F>(backward)));
    else
      detail::record_node(name, result, pointers, n, BackwardFunction(std::forward<F>(backward)));
  }
  return result;
}

/// For view operations: as record, and marks the result as a view.
template <class F>
Tensor record_view(const char* name, Tensor result, const Tensor& input, F&& backward) {
  result.impl()->view = true;
  return record(name, std::move(result), {input}, std::forward<F>(backward));
}

/// For in-place operations, round the call of the kernel: checks that `t` may be changed (AutogradError for leaves that
/// require a gradient and, where the change would be recorded, for views). At the end of the scope the change is
/// counted, unless an error leaves it: the kernel refused its arguments and changed nothing. `others` are what the new
/// value depends on beside `t`.
class InPlaceChange {
 public:
  InPlaceChange(const char* op, const Tensor& t,
                std::initializer_list<std::reference_wrapper<const Tensor>> others = {});
  ~InPlaceChange();
  InPlaceChange(const InPlaceChange&) = delete;
  InPlaceChange& operator=(const InPlaceChange&) = delete;

 private:
  const char* op_;
  std::shared_ptr<Storage> storage_;
  int exceptions_;
};
/// After an in-place operation on `t`: `inputs` are what its new value depends on, `t` itself as it was first.
void record_in_place(const char* name, Tensor& t, const Tensor& before,
                     std::initializer_list<std::reference_wrapper<const Tensor>> others, BackwardFunction backward);
/// `t`'s handle as it was: same memory, same history. Take it before an in-place operation.
Tensor history_of(const Tensor& t);

/// Sums `grad` over the dimensions that broadcasting added, so that it has `sizes` again.
Tensor sum_to(const Tensor& grad, const Dims& sizes);

}  // namespace ordo

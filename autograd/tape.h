// The tape: how an operation records its gradient. Every differentiable operation has this shape:
//
//   Tensor mul(const Tensor& a, const Tensor& b) {
//     const OpCall call("mul", a, b);
//     return record(call, kernels::mul(a, b), {a, b}, [a = Saved(a), b = Saved(b)](const Tensor& grad) -> TensorList {
//       return {sum_to(grad * b.get(), a.sizes()), sum_to(grad * a.get(), b.sizes())};
//     });
//   }
//
// A backward function is written in differentiable operations, so that second derivatives follow. It returns one tensor
// per input, undefined where no gradient flows; of one input it may return the gradient itself. It may take the
// operation's result as a second argument.
//
// An operation with several results records them all at once, `record(call, TensorList{...}, inputs, f)`; f gets a list
// with one gradient per result, undefined for results that nothing was computed from.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>
#include <vector>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/run/determinism.h>
#include <ordo/engine/run/matmul_algorithm.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo {

/// A tensor kept for the backward pass.
class Saved {
 public:
  Saved() = default;
  explicit Saved(const Tensor& t);
  /// Throws: AutogradError, which names both operations, when the memory was changed in place since.
  const Tensor& get() const;
  const Dims& sizes() const { return tensor_.sizes(); }
  DType dtype() const { return tensor_.dtype(); }
  bool defined() const { return tensor_.defined(); }

 private:
  Tensor tensor_;
  uint32_t version_ = 0;
};

/// One of a node's results: where a gradient goes.
struct Edge {
  std::shared_ptr<Node> node;  ///< null where no gradient is wanted
  int output = 0;
  explicit operator bool() const { return node != nullptr; }
  bool operator==(const Edge&) const = default;
};

/// A recorded operation.
class Node : public std::enable_shared_from_this<Node> {
 public:
  Node(const char* name, Determinism level, int outputs = 1);
  virtual ~Node();
  /// Gradients with respect to the inputs, given those with respect to the results: as many as outputs(), undefined
  /// where nothing arrived, but at least one is defined.
  virtual TensorList backward(std::span<const Tensor> grads) = 0;
  /// Drops what was saved; a later backward() throws.
  virtual void release() = 0;
  virtual bool released() const = 0;

  const char* name() const { return name_; }
  Determinism level() const { return level_; }                      ///< in force when recorded
  Algorithm matmul_algorithm() const { return matmul_algorithm_; }  ///< in force when recorded
  uint64_t sequence() const { return sequence_; }  ///< grows with every recorded operation of the process
  int outputs() const { return outputs_; }
  const detail::OpScope::Path& scope() const { return scope_; }  ///< in force when recorded, where somebody listened
  const std::vector<Edge>& inputs() const { return inputs_; }
  void set_inputs(std::vector<Edge> inputs) { inputs_ = std::move(inputs); }
  using Hook = std::function<Tensor(const Tensor&)>;
  struct OutputHook {
    int output;
    Hook hook;
  };
  void add_hook(int output, Hook hook) { hooks_.push_back({output, std::move(hook)}); }
  /// By value: a hook may register another.
  virtual std::vector<OutputHook> hooks() const { return hooks_; }

 private:
  const char* name_;
  Determinism level_;
  Algorithm matmul_algorithm_;
  int outputs_;
  uint64_t sequence_;
  detail::OpScope::Path scope_;
  std::vector<Edge> inputs_;
  std::vector<OutputHook> hooks_;
};

class LeafGradient;

struct AutogradMeta {
  bool requires_grad = false;          // a leaf that asked
  Edge edge;                           // the operation that made the tensor; null for leaves
  std::shared_ptr<LeafGradient> leaf;  // what grad() gives (autograd/leaf_gradient.h); null where nothing is kept
};

using BackwardFunction = std::function<TensorList(const Tensor& grad)>;
using BackwardFunctionWithResult = std::function<TensorList(const Tensor& grad, const Tensor& result)>;
using BackwardFunctionOfMany = std::function<TensorList(const TensorList& grads)>;

/// Any number of an operation's inputs, undefined ones included: `{a, b}` where a function takes it.
using Inputs = std::span<const std::reference_wrapper<const Tensor>>;
using InputList = std::initializer_list<std::reference_wrapper<const Tensor>>;

namespace detail {
/// The name of the node whose backward function runs on this thread; "backward" outside.
const char* running_node_name();
/// Makes that node the one whose backward function runs on this thread; returns the one before.
const Node* exchange_running_node(const Node* node);
/// Inside of a backward function: whether input i of its operation wants a gradient.
bool needs(int i);
bool any_requires_grad(Inputs inputs);
void record_node(const OpCall& call, Tensor& result, Inputs inputs, BackwardFunction f);
void record_node(const OpCall& call, Tensor& result, Inputs inputs, BackwardFunctionWithResult f);
void record_node(const OpCall& call, Tensor& result, Inputs inputs, std::function<Tensor()> compute,
                 BackwardFunctionWithResult f);
void record_node(const OpCall& call, TensorList& results, Inputs inputs, BackwardFunctionOfMany f);

/// The backward function f of these arguments, with a list of the gradient where f returns the gradient itself.
template <class... G, class F>
std::function<TensorList(const G&...)> listing(F&& f) {
  if constexpr (std::is_same_v<std::invoke_result_t<F, const G&...>, Tensor>)
    return [f = std::forward<F>(f)](const G&... grads) -> TensorList { return {f(grads...)}; };
  else
    return std::forward<F>(f);
}
}  // namespace detail

/// Puts `result`, a fresh handle, on the tape when gradients are enabled and an input requires one, and reports it to
/// the call.
template <class F>
Tensor record(const OpCall& call, Tensor result, Inputs inputs, F&& backward) {
  if (detail::any_requires_grad(inputs)) {
    if constexpr (std::is_invocable_v<F, const Tensor&, const Tensor&>)
      detail::record_node(call, result, inputs, detail::listing<Tensor, Tensor>(std::forward<F>(backward)));
    else
      detail::record_node(call, result, inputs, detail::listing<Tensor>(std::forward<F>(backward)));
  }
  return call.done(std::move(result));
}
template <class F>
Tensor record(const OpCall& call, Tensor result, InputList inputs, F&& backward) {
  return record(call, std::move(result), Inputs(inputs.begin(), inputs.size()), std::forward<F>(backward));
}
/// As record of a function that takes the result, which is not saved: the backward pass computes it again, so that the
/// program may change it. `compute` is plain, of what it saved itself.
Tensor record_recomputed(const OpCall& call, Tensor result, InputList inputs, std::function<Tensor()> compute,
                         BackwardFunctionWithResult backward);
/// Several results of one operation. Those of integer dtype are reported and not recorded.
template <class F>
TensorList record(const OpCall& call, TensorList results, InputList inputs, F&& backward) {
  const Inputs all(inputs.begin(), inputs.size());
  if (detail::any_requires_grad(all))
    detail::record_node(call, results, all, detail::listing<TensorList>(std::forward<F>(backward)));
  return call.done(std::move(results));
}

/// For in-place operations, round the call of the kernel: checks that `t` may be changed. At the end of the scope the
/// change is counted, unless an error leaves it: the kernel refused its arguments and changed nothing. `others` are
/// what the new value depends on beside `t`.
/// Throws: AutogradError when gradients are enabled and `t` is a leaf that requires one, or a view of such a leaf, or,
/// where the change would be recorded, a view made under NoGrad or of a tensor whose elements share memory.
class InPlaceChange {
 public:
  InPlaceChange(const OpCall& call, const Tensor& t, InputList others = {});
  ~InPlaceChange();
  InPlaceChange(const InPlaceChange&) = delete;
  InPlaceChange& operator=(const InPlaceChange&) = delete;
  /// The memory has changed: what is thrown from now on is not a refusal.
  void wrote() { wrote_ = true; }

 private:
  const OpCall& call_;
  const Tensor& changed_;  // a named tensor: it is there as long as the change
  int exceptions_;
  bool wrote_ = false;
};
/// A history that says that it was lost, for a tensor that has changed when there is no memory to record how.
class LostHistory {
 public:
  /// Before the change.
  explicit LostHistory(const Tensor& t);
  /// Gives it to the tensor. Needs no memory.
  void take_effect() noexcept;

 private:
  std::shared_ptr<TensorImpl> changed_;  // the tensor, or its base
  std::shared_ptr<AutogradMeta> lost_;
};
/// After an in-place operation on `t`: `others` are what its new value depends on beside `t` as it was, whose gradient
/// the backward function returns first. Where `t` is a view, its base is what changes, and all views of it follow.
void record_in_place(const OpCall& call, Tensor& t, const Tensor& before, InputList others, BackwardFunction backward);
/// `t`'s handle as it was: same memory, same history. Take it before an in-place operation.
Tensor history_of(const Tensor& t);

/// Sums `grad` over the dimensions that broadcasting added, so that it has `sizes` again.
Tensor sum_to(const Tensor& grad, const Dims& sizes);

}  // namespace ordo

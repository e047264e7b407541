#include <ordo/autograd/tape.h>

#include <atomic>
#include <exception>
#include <optional>
#include <utility>

#include <ordo/autograd/backward_pass.h>
#include <ordo/autograd/view_history.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/index_check.h>
#include <ordo/engine/memory/initial_exec.h>
#include <ordo/engine/run/guard_stack.h>

namespace ordo {
namespace {

thread_local bool grad_mode ORDO_INITIAL_EXEC = true;
std::atomic<uint64_t> next_sequence{0};

void set_edge(const Tensor& t, Edge edge) {
  t.impl()->autograd = std::make_shared<AutogradMeta>();
  t.impl()->autograd->edge = std::move(edge);
}

/// What make_node() makes.
struct RecordedNode : Node {
  using Node::Node;
  RecordedNode* next_to_delete = nullptr;
};

/// Destroys nodes one after the other: a long chain of operations would overflow the stack if each destroyed its
/// inputs. Those that wait are a list of their own, because there may be no memory for another one.
void delete_node(RecordedNode* node) {
  thread_local RecordedNode* waiting = nullptr;
  thread_local bool deletes = false;
  node->next_to_delete = std::exchange(waiting, node);
  if (std::exchange(deletes, true)) return;
  while (RecordedNode* const next = waiting) {
    waiting = next->next_to_delete;
    delete next;
  }
  deletes = false;
}

/// A recorded operation whose backward function is a closure, of the node and the gradients of its results.
template <class F>
class FunctionNode : public RecordedNode {
 public:
  FunctionNode(const char* name, int outputs, F f)
      : RecordedNode(name, determinism(), outputs), backward_(std::move(f)) {}
  TensorList backward(std::span<const Tensor> grads) override { return (*backward_)(*this, grads); }
  void release() override { backward_.reset(); }
  bool released() const override { return !backward_; }

 private:
  std::optional<F> backward_;
};

/// A node with edges to `inputs`. They come first, so that sequence numbers grow along every path.
template <class F>
std::shared_ptr<Node> make_node(Inputs inputs, const char* name, int outputs, F f) {
  std::vector<Edge> from(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) from[i] = gradient_edge(inputs[i]);
  std::shared_ptr<Node> node(new FunctionNode<F>(name, outputs, std::move(f)), delete_node);
  node->set_inputs(std::move(from));
  return node;
}
std::shared_ptr<Node> make_node(Inputs inputs, const char* name, BackwardFunction f) {
  return make_node(inputs, name, 1, [f = std::move(f)](Node&, std::span<const Tensor> grads) { return f(grads[0]); });
}

/// A handle of its own for what may be an operation's input returned as its result.
void expect_fresh(Tensor& result) {
  if (result.impl()->autograd) result = views::alias(result);
}

}  // namespace

bool grad_enabled() { return grad_mode; }

static thread_local detail::GuardStack<bool> grad_modes;
GradMode::GradMode(bool enabled) { grad_modes.begin(this, grad_mode, enabled); }
GradMode::~GradMode() { grad_modes.end("GradMode", this, grad_mode); }

Node::Node(const char* name, Determinism level, int outputs)
    : name_(name),
      level_(level),
      matmul_algorithm_(ordo::matmul_algorithm()),
      outputs_(outputs),
      sequence_(++next_sequence) {
  if (detail::op_listened()) [[unlikely]]
    scope_ = detail::OpScope::current_path();
}
Node::~Node() = default;

Saved::Saved(const Tensor& t) : tensor_(t), version_(t.defined() ? t.impl()->storage->version() : 0) {}

const Tensor& Saved::get() const {
  if (tensor_.defined()) {
    const Storage& storage = *tensor_.impl()->storage;
    ORDO_CHECK(
        storage.version() == version_, AutogradError, detail::running_node_name(),
        "the backward pass needs a tensor of shape {} that \"{}\" changed in place after \"{}\" had saved it; use the "
        "out-of-place form, or clone() first",
        tensor_.sizes(), storage.last_change(), detail::running_node_name());
  }
  return tensor_;
}

namespace detail {

static thread_local const Node* t_running ORDO_INITIAL_EXEC = nullptr;
const Node* exchange_running_node(const Node* node) { return std::exchange(t_running, node); }
bool needs(int i) { return bool(t_running->inputs()[size_t(i)]); }

const char* running_node_name() {
  const RunningNode node = running_node();
  return node.name ? node.name : "backward";
}

bool any_requires_grad(Inputs inputs) {
  if (!grad_mode) return false;
  for (const Tensor& t : inputs)
    if (t.defined() && t.requires_grad()) return true;
  return false;
}

void record_node(const OpCall& call, Tensor& result, Inputs inputs, BackwardFunction f) {
  if (!is_floating(result.dtype())) return;
  expect_fresh(result);
  set_edge(result, {make_node(inputs, call.name(), std::move(f))});
}

void record_node(const OpCall& call, Tensor& result, Inputs inputs, BackwardFunctionWithResult f) {
  expect_fresh(result);
  const Saved saved(views::alias(result));  // without history, to avoid a cycle
  record_node(
      call, result, inputs, [saved] { return views::alias(saved.get()); }, std::move(f));
}

void record_node(const OpCall& call, Tensor& result, Inputs inputs, std::function<Tensor()> compute,
                 BackwardFunctionWithResult f) {
  if (!is_floating(result.dtype())) return;
  expect_fresh(result);
  set_edge(result,
           {make_node(inputs, call.name(), 1,
                      [f = std::move(f), compute = std::move(compute)](Node& node, std::span<const Tensor> grads) {
                        Tensor result = compute();
                        if (grad_enabled()) set_edge(result, {node.shared_from_this()});
                        return f(grads[0], result);
                      })});
}

void record_node(const OpCall& call, TensorList& results, Inputs inputs, BackwardFunctionOfMany f) {
  const auto node =
      make_node(inputs, call.name(), int(results.size()), [f = std::move(f)](Node&, std::span<const Tensor> grads) {
        return f({grads.begin(), grads.end()});
      });
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].defined() || !is_floating(results[i].dtype())) continue;
    expect_fresh(results[i]);
    set_edge(results[i], {node, int(i)});
  }
}

}  // namespace detail

Tensor record_recomputed(const OpCall& call, Tensor result, InputList inputs, std::function<Tensor()> compute,
                         BackwardFunctionWithResult backward) {
  const Inputs all(inputs.begin(), inputs.size());
  if (detail::any_requires_grad(all)) detail::record_node(call, result, all, std::move(compute), std::move(backward));
  return call.done(std::move(result));
}

Edge record_edge(const char* name, InputList inputs, BackwardFunction f) {
  return {make_node(Inputs(inputs.begin(), inputs.size()), name, std::move(f))};
}

InPlaceChange::InPlaceChange(const OpCall& call, const Tensor& t, InputList others)
    : call_(call), changed_(t), exceptions_(std::uncaught_exceptions()) {
  const char* op = call.name();
  detail::expect_defined(op, t, "self");
  if (!grad_mode) return;
  const TensorImpl* base = t.impl()->base.get();
  const bool base_needs = base && base->autograd && (base->autograd->requires_grad || base->autograd->edge);
  // A view of a constant that has a history has it from a leaf that is a view, too.
  const bool of_leaf = base && (base_needs ? base->autograd->requires_grad : t.requires_grad());
  ORDO_CHECK(
      !(t.requires_grad() && t.is_leaf()), AutogradError, op,
      "a leaf that requires a gradient cannot be changed in place; do it under NoGrad, or on a detach()ed handle");
  if (!base) return;
  ORDO_CHECK(
      !of_leaf, AutogradError, op,
      "this is a view of a leaf that requires a gradient, which cannot be changed in place; do it under NoGrad, or "
      "on a detach()ed handle");
  bool recorded = base_needs;
  for (const Tensor& other : others) recorded = recorded || (other.defined() && other.requires_grad());
  ORDO_CHECK(!(recorded && t.impl()->untracked), AutogradError, op,
             "a view made under NoGrad cannot be changed by what has a gradient, or where its tensor has one; make the "
             "view outside of NoGrad, or detach() it to change it unrecorded");
  for (int d = 0; recorded && d < base->sizes.size(); ++d)
    ORDO_CHECK(base->strides[d] != 0 || base->sizes[d] < 2, AutogradError, op,
               "this is a view of a tensor of sizes {} and strides {}, whose elements share memory, so that the change "
               "cannot be recorded; clone() that tensor first",
               base->sizes, base->strides);
}

InPlaceChange::~InPlaceChange() {
  // With ORDO_SYNC=1 a bad index is reported after CUDA has used the others.
  const bool refused =
      !wrote_ && std::uncaught_exceptions() > exceptions_ && !(changed_.is_cuda() && detail::sync_every_operation());
  if (refused) return;
  changed_.impl()->storage->changed_by(call_.name());
  call_.done(changed_);
}

namespace {
struct LostNode : Node {
  using Node::Node;
  TensorList backward(std::span<const Tensor>) override {
    detail::fail<AutogradError>("backward",
                                "there was no memory left to record a change in place; compute its tensor anew");
  }
  void release() override {}
  bool released() const override { return false; }
};
}  // namespace

LostHistory::LostHistory(const Tensor& t)
    : changed_(t.impl()->base ? t.impl()->base : t.impl_ptr()), lost_(std::make_shared<AutogradMeta>()) {
  lost_->edge = {std::make_shared<LostNode>("lost", determinism())};
}
void LostHistory::take_effect() noexcept { changed_->autograd = std::move(lost_); }

Tensor history_of(const Tensor& t) { return Tensor(std::make_shared<TensorImpl>(*t.impl())); }

void record_in_place(const OpCall& call, Tensor& t, const Tensor& before, InputList others, BackwardFunction backward) {
  const std::shared_ptr<TensorImpl>& base = t.impl()->base;
  std::vector<std::reference_wrapper<const Tensor>> inputs{before};
  inputs.insert(inputs.end(), others.begin(), others.end());
  if (!detail::any_requires_grad(inputs)) return;
  if (!base) return set_edge(t, {make_node(inputs, call.name(), std::move(backward))});
  const Tensor whole(base);
  inputs[0] = whole;
  backward = on_base(*t.impl(), *base, std::move(backward));
  set_edge(whole, {make_node(inputs, call.name(), std::move(backward))});
}

}  // namespace ordo

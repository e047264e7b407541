#include <ordo/autograd/tape.h>

#include <atomic>
#include <exception>

#include <ordo/autograd/backward_pass.h>
#include <ordo/engine/check.h>
#include <ordo/engine/index_check.h>

namespace ordo {
namespace {

thread_local bool grad_mode = true;
std::atomic<uint64_t> next_sequence{0};

/// Destroys nodes one after the other: a long chain of operations would overflow the stack if each destroyed its
/// inputs.
void delete_node(Node* node) {
  thread_local std::vector<Node*>* pending = nullptr;
  if (pending) return pending->push_back(node);
  std::vector<Node*> queue{node};
  pending = &queue;
  while (!queue.empty()) {
    Node* next = queue.back();
    queue.pop_back();
    delete next;
  }
  pending = nullptr;
}

/// A recorded operation whose backward function is a closure.
class FunctionNode : public Node {
 public:
  FunctionNode(const char* name, BackwardFunction f) : Node(name, determinism()), backward_(std::move(f)) {}
  TensorList backward(const Tensor& grad) override { return backward_(grad); }
  void release() override { backward_ = nullptr; }
  bool released() const override { return !backward_; }

 private:
  BackwardFunction backward_;
};

/// The same for a function that also wants the operation's result, kept without its history to avoid a cycle.
class ResultNode : public Node {
 public:
  ResultNode(const char* name, BackwardFunctionWithResult f, const Tensor& result)
      : Node(name, determinism()), backward_(std::move(f)), result_(views::alias(result)) {}
  TensorList backward(const Tensor& grad) override {
    Tensor result = views::alias(result_.get());
    if (grad_enabled()) {
      result.impl()->autograd = std::make_shared<AutogradMeta>();
      result.impl()->autograd->node = shared_from_this();
    }
    return backward_(grad, result);
  }
  void release() override {
    backward_ = nullptr;
    result_ = Saved();
  }
  bool released() const override { return !backward_; }

 private:
  BackwardFunctionWithResult backward_;
  Saved result_;
};

std::vector<std::shared_ptr<Node>> edges(const Tensor* const* inputs, size_t count) {
  std::vector<std::shared_ptr<Node>> out(count);
  for (size_t i = 0; i < count; ++i) out[i] = gradient_edge(*inputs[i]);
  return out;
}

template <class Result, class F>
void record_on(const char* name, Tensor& result, const Tensor* const* inputs, size_t count, F f) {
  if (!is_floating(result.dtype())) return;
  if (result.impl()->autograd) result = views::alias(result);
  // The inputs' ends of the tape come first, so that sequence numbers grow along every path.
  auto from = edges(inputs, count);
  std::shared_ptr<Node> node;
  if constexpr (std::is_same_v<Result, ResultNode>)
    node.reset(new ResultNode(name, std::move(f), result), delete_node);
  else
    node.reset(new FunctionNode(name, std::move(f)), delete_node);
  node->set_inputs(std::move(from));
  result.impl()->autograd = std::make_shared<AutogradMeta>();
  result.impl()->autograd->node = std::move(node);
}

}  // namespace

bool grad_enabled() { return grad_mode; }
GradMode::GradMode(bool enabled) : previous_(grad_mode) { grad_mode = enabled; }
GradMode::~GradMode() { grad_mode = previous_; }

Node::Node(const char* name, Determinism level) : name_(name), level_(level), sequence_(next_sequence++) {}
Node::~Node() = default;

Saved::Saved(const Tensor& t) : tensor_(t), version_(t.defined() ? t.impl()->storage->version() : 0) {}

const Tensor& Saved::get() const {
  if (tensor_.defined()) {
    const Storage& storage = *tensor_.impl()->storage;
    ORDO_CHECK(
        storage.version() == version_, AutogradError, running_node_name(),
        "the backward pass needs a tensor of shape {} that \"{}\" changed in place after \"{}\" had saved it; use the "
        "out-of-place form, or clone() first",
        tensor_.sizes(), storage.last_change(), running_node_name());
  }
  return tensor_;
}

namespace detail {

bool any_requires_grad(const Tensor* const* inputs, size_t count) {
  if (!grad_mode) return false;
  for (size_t i = 0; i < count; ++i)
    if (inputs[i]->defined() && inputs[i]->requires_grad()) return true;
  return false;
}

void record_node(const char* name, Tensor& result, const Tensor* const* inputs, size_t count, BackwardFunction f) {
  record_on<FunctionNode>(name, result, inputs, count, std::move(f));
}

void record_node(const char* name, Tensor& result, const Tensor* const* inputs, size_t count,
                 BackwardFunctionWithResult f) {
  record_on<ResultNode>(name, result, inputs, count, std::move(f));
}

}  // namespace detail

InPlaceChange::InPlaceChange(const char* op, const Tensor& t,
                             std::initializer_list<std::reference_wrapper<const Tensor>> others)
    : op_(op), exceptions_(std::uncaught_exceptions()) {
  detail::expect_defined(op, t, "the tensor to change");
  if (grad_mode) {
    bool recorded = t.requires_grad();
    ORDO_CHECK(
        !(recorded && t.is_leaf()), AutogradError, op,
        "a leaf that requires a gradient cannot be changed in place; do it under NoGrad, or on a detach()ed handle");
    for (const Tensor& other : others) recorded = recorded || (other.defined() && other.requires_grad());
    ORDO_CHECK(!(recorded && t.impl()->view), AutogradError, op,
               "an in-place change of a view cannot be recorded; use the out-of-place form");
  }
  storage_ = t.impl()->storage;
}

InPlaceChange::~InPlaceChange() {
  // With ORDO_SYNC=1 a bad index is reported after CUDA has used the others.
  const bool refused =
      std::uncaught_exceptions() > exceptions_ && !(storage_->device().is_cuda() && detail::sync_every_operation());
  if (!refused) storage_->changed_by(op_);
}

Tensor history_of(const Tensor& t) {
  auto impl = std::make_shared<TensorImpl>(*t.impl());
  return Tensor(std::move(impl));
}

void record_in_place(const char* name, Tensor& t, const Tensor& before,
                     std::initializer_list<std::reference_wrapper<const Tensor>> others, BackwardFunction backward) {
  std::vector<const Tensor*> inputs{&before};
  for (const Tensor& other : others) inputs.push_back(&other);
  if (!detail::any_requires_grad(inputs.data(), inputs.size())) return;
  auto from = edges(inputs.data(), inputs.size());
  std::shared_ptr<Node> node(new FunctionNode(name, std::move(backward)), delete_node);
  node->set_inputs(std::move(from));
  t.impl()->autograd = std::make_shared<AutogradMeta>();
  t.impl()->autograd->node = std::move(node);
}

}  // namespace ordo

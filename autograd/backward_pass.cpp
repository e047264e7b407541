#include <ordo/autograd/backward_pass.h>

#include <algorithm>
#include <unordered_map>

#include <ordo/autograd/autograd.h>
#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/engine/check.h>

namespace ordo {
namespace {

thread_local const char* running_node = "backward";

/// A leaf's end of the tape: adds what arrives into the leaf's grad().
class AccumulateNode : public Node {
 public:
  explicit AccumulateNode(Tensor leaf) : Node("accumulate_grad", Determinism::not_guaranteed), leaf_(std::move(leaf)) {}
  TensorList backward(const Tensor& grad) override {
    Tensor& into = leaf_.impl()->autograd->grad;
    if (into.defined()) {
      into = add(into, grad);
    } else if (grad_enabled()) {
      into = grad;
    } else {
      // grad() must be memory of its own: broadcast or shared memory would change under an in-place step.
      const bool own =
          grad.is_contiguous() && grad.impl_ptr().use_count() == 1 && grad.impl()->storage.use_count() == 1;
      into = own ? grad : grad.clone();
    }
    return {};
  }
  void release() override {}
  bool released() const override { return false; }
  const std::vector<Hook>& hooks() const override { return leaf_.impl()->autograd->hooks; }

 private:
  Tensor leaf_;
};

struct RunningNode {
  explicit RunningNode(const Node& node)
      : guard(std::max(determinism(), node.level())), previous(std::exchange(running_node, node.name())) {}
  ~RunningNode() { running_node = previous; }
  DeterminismGuard guard;
  const char* previous;
};

struct Step {
  std::shared_ptr<Node> node;
  Tensor grad;  // the sum of what has arrived
  bool needed = false;
};

Tensor start_gradient(const Tensor& output, const Tensor& given) {
  const char* op = "backward";
  ORDO_CHECK(output.requires_grad(), AutogradError, op,
             "this tensor does not depend on any tensor that requires a gradient");
  if (!given.defined()) {
    ORDO_CHECK(output.numel() == 1, ShapeError, op,
               "a gradient must be given for a tensor of shape {}; only single elements start from 1", output.sizes());
    return ones_like(output);
  }
  ORDO_CHECK(given.sizes() == output.sizes(), ShapeError, op, "the gradient has shape {}, the tensor {}", given.sizes(),
             output.sizes());
  detail::expect_same_device(op, output, given);
  return given.dtype() == output.dtype() ? given : given.to(output.dtype());
}

class BackwardPass {
 public:
  BackwardPass(const TensorList* inputs, BackwardOptions options) : options_(options) {
    if (!inputs) return;
    for (const Tensor& t : *inputs) {
      ORDO_CHECK(t.defined() && t.requires_grad(), AutogradError, "grad",
                 "gradients are wanted with respect to a tensor that does not require one");
      targets_.push_back(gradient_edge(t));
    }
    only_targets_ = true;
  }

  TensorList run(const TensorList& outputs, const TensorList& grads) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto node = gradient_edge(outputs[i]);
      collect(node);
      Step& step = steps_.at(node.get());
      step.grad = step.grad.defined() ? add(step.grad, grads[i]) : grads[i];
    }
    // Sequence numbers grow along every path, so the reverse of their order visits users before makers, always alike.
    std::sort(order_.begin(), order_.end(), [](const Node* a, const Node* b) { return a->sequence() > b->sequence(); });
    mark_needed();
    TensorList captured(targets_.size());
    for (Node* node : order_) {
      Step& step = steps_.at(node);
      if (!step.needed || !step.grad.defined()) continue;
      visit(step, captured);
    }
    return captured;
  }

 private:
  void collect(const std::shared_ptr<Node>& root) {
    std::vector<std::shared_ptr<Node>> stack{root};
    while (!stack.empty()) {
      const std::shared_ptr<Node> node = std::move(stack.back());
      stack.pop_back();
      if (!steps_.try_emplace(node.get(), Step{node, {}, false}).second) continue;
      order_.push_back(node.get());
      for (const auto& input : node->inputs())
        if (input) stack.push_back(input);
    }
  }

  void mark_needed() {
    if (!only_targets_) {
      for (auto& [node, step] : steps_) step.needed = true;
      return;
    }
    for (const auto& target : targets_)
      if (const auto at = steps_.find(target.get()); at != steps_.end()) at->second.needed = true;
    for (auto it = order_.rbegin(); it != order_.rend(); ++it)
      for (const auto& input : (*it)->inputs())
        if (input && steps_.at(input.get()).needed) steps_.at(*it).needed = true;
  }

  void visit(Step& step, TensorList& captured) {
    Node& node = *step.node;
    Tensor grad = std::move(step.grad);
    for (const auto& hook : node.hooks())
      if (Tensor replaced = hook(grad); replaced.defined()) {
        ORDO_CHECK(replaced.sizes() == grad.sizes(), ShapeError, "register_hook",
                   "a hook replaced a gradient of shape {} by one of shape {}", grad.sizes(), replaced.sizes());
        grad = std::move(replaced);
      }
    bool deeper = !only_targets_;
    for (size_t i = 0; i < targets_.size(); ++i)
      if (targets_[i].get() == &node) captured[i] = grad;
    if (only_targets_) {
      for (const auto& input : node.inputs()) deeper = deeper || (input && steps_.at(input.get()).needed);
      if (!deeper) return;
    }
    const RunningNode running(node);
    ORDO_CHECK(!node.released(), AutogradError, node.name(),
               "this graph was freed by an earlier backward pass; pass retain_graph = true to that one");
    const GradMode mode(options_.create_graph);
    TensorList grads;
    grads = node.backward(grad);
    if (!options_.retain_graph) node.release();
    grad = Tensor();
    for (size_t i = 0; i < grads.size() && i < node.inputs().size(); ++i) {
      const auto& input = node.inputs()[i];
      if (!input || !grads[i].defined()) continue;
      Step& next = steps_.at(input.get());
      if (!next.needed) continue;
      next.grad = next.grad.defined() ? add(next.grad, grads[i]) : std::move(grads[i]);
    }
  }

  BackwardOptions options_;
  bool only_targets_ = false;
  std::vector<std::shared_ptr<Node>> targets_;
  std::unordered_map<const Node*, Step> steps_;
  std::vector<Node*> order_;
};

}  // namespace

const char* running_node_name() { return running_node; }

std::shared_ptr<Node> gradient_edge(const Tensor& t) {
  if (!t.defined() || !t.impl()->autograd) return nullptr;
  AutogradMeta& meta = *t.impl()->autograd;
  if (meta.node) return meta.node;
  if (!meta.requires_grad) return nullptr;
  auto accumulator = meta.accumulator.lock();
  if (!accumulator) meta.accumulator = accumulator = std::make_shared<AccumulateNode>(t);
  return accumulator;
}

TensorList run_backward(const TensorList& outputs, const TensorList& grad_outputs, const TensorList* inputs,
                        BackwardOptions options) {
  ORDO_CHECK(grad_outputs.empty() || grad_outputs.size() == outputs.size(), ValueError, "backward",
             "{} gradients were given for {} tensors", grad_outputs.size(), outputs.size());
  options.retain_graph = options.retain_graph || options.create_graph;
  const GradMode mode(options.create_graph);
  TensorList grads;
  for (size_t i = 0; i < outputs.size(); ++i)
    grads.push_back(start_gradient(outputs[i], grad_outputs.empty() ? Tensor() : grad_outputs[i]));
  return BackwardPass(inputs, options).run(outputs, grads);
}

TensorList grad(const TensorList& outputs, const TensorList& inputs, const TensorList& grad_outputs, bool retain_graph,
                bool create_graph) {
  return run_backward(outputs, grad_outputs, &inputs, {retain_graph, create_graph});
}

void backward(const TensorList& outputs, const TensorList& grad_outputs, bool retain_graph, bool create_graph) {
  run_backward(outputs, grad_outputs, nullptr, {retain_graph, create_graph});
}

void register_hook(const Tensor& t, std::function<Tensor(const Tensor&)> hook) {
  const auto node = gradient_edge(t);
  ORDO_CHECK(node, AutogradError, "register_hook", "the tensor does not require a gradient");
  // A leaf's end of the tape comes and goes with its users; its hooks stay with the leaf.
  if (t.is_leaf())
    t.impl()->autograd->hooks.push_back(std::move(hook));
  else
    node->add_hook(std::move(hook));
}

// -- Tensor's part
// -------------------------------------------------------------------------------------------------------

bool Tensor::requires_grad() const {
  const auto* meta = get().autograd.get();
  return meta && (meta->requires_grad || meta->node);
}

bool Tensor::is_leaf() const {
  const auto* meta = get().autograd.get();
  return !meta || !meta->node;
}

Tensor& Tensor::set_requires_grad(bool on) {
  ORDO_CHECK(is_leaf(), AutogradError, "requires_grad",
             "only leaves can be told (not) to require a gradient; detach() first");
  ORDO_CHECK(!on || is_floating(dtype()), DTypeError, "requires_grad",
             "only floating-point tensors have gradients, not {}", dtype());
  if (on && !impl_->autograd) impl_->autograd = std::make_shared<AutogradMeta>();
  if (impl_->autograd) impl_->autograd->requires_grad = on;
  return *this;
}

Tensor Tensor::grad() const {
  const auto* meta = get().autograd.get();
  return meta ? meta->grad : Tensor();
}

void Tensor::set_grad(const Tensor& grad) {
  get();
  if (grad.defined()) {
    ORDO_CHECK(grad.sizes() == sizes(), ShapeError, "set_grad", "the gradient has shape {}, the tensor {}",
               grad.sizes(), sizes());
    detail::expect_same_device("set_grad", *this, grad);
    detail::expect_same_dtype("set_grad", *this, grad);
  }
  if (!impl_->autograd) impl_->autograd = std::make_shared<AutogradMeta>();
  impl_->autograd->grad = grad;
}

void Tensor::zero_grad() {
  if (get().autograd) impl_->autograd->grad = Tensor();
}

void Tensor::backward(const Tensor& gradient, bool retain_graph, bool create_graph) const {
  get();
  run_backward({*this}, {gradient}, nullptr, {retain_graph, create_graph});
}

Tensor Tensor::detach() const {
  get();
  Tensor out = views::alias(*this);
  return out;
}

std::string_view Tensor::grad_name() const { return is_leaf() ? std::string_view() : impl_->autograd->node->name(); }

}  // namespace ordo

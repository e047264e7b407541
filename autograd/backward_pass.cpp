#include <ordo/autograd/backward_pass.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <ordo/autograd/autocast.h>
#include <ordo/autograd/autograd.h>
#include <ordo/autograd/leaf_gradient.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/view_history.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>

namespace ordo {
namespace {

/// Names the node to what runs on this thread, at the stricter of its level and the one in force, with its algorithm of
/// products.
class Running {
 public:
  explicit Running(const Node& node)
      : guard_(std::max(determinism(), node.level())),
        products_(node.matmul_algorithm()),
        previous_(detail::exchange_running_node({node.name(), node.sequence()})),
        previous_node_(detail::exchange_running_node(&node)) {
    if (node.scope()) scope_.emplace(node.scope());
  }
  ~Running() {
    detail::exchange_running_node(previous_);
    detail::exchange_running_node(previous_node_);
  }
  Running(Running&&) = delete;

 private:
  DeterminismGuard guard_;
  MatmulAlgorithmGuard products_;
  RunningNode previous_;
  const Node* previous_node_;
  std::optional<detail::OpScope> scope_;
};

struct Step {
  std::shared_ptr<Node> node;
  // For each of the node's results the sum of what has arrived, undefined before anything has: nearly all nodes have
  // one.
  Tensor only = {};
  TensorList several = {};
  bool needed = false;

  void arrive(int output, Tensor grad) {
    if (node->outputs() > 1 && several.empty()) several.resize(size_t(node->outputs()));
    Tensor& sum = several.empty() ? only : several[size_t(output)];
    sum = sum.defined() ? add(sum, grad) : std::move(grad);
  }
  bool arrived() const { return only.defined() || !several.empty(); }
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
      const Edge edge = gradient_edge(outputs[i]);
      collect(edge.node);
      steps_.at(edge.node.get()).arrive(edge.output, grads[i]);
    }
    // Sequence numbers grow along every path, so the reverse of their order visits users before makers, always alike.
    std::sort(order_.begin(), order_.end(), [](const Node* a, const Node* b) { return a->sequence() > b->sequence(); });
    mark_needed();
    TensorList captured(targets_.size());
    for (Node* node : order_) {
      Step& step = steps_.at(node);
      if (!step.needed || !step.arrived()) continue;
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
      if (!steps_.try_emplace(node.get(), Step{node}).second) continue;
      order_.push_back(node.get());
      for (const Edge& input : node->inputs())
        if (input) stack.push_back(input.node);
    }
  }

  void mark_needed() {
    if (!only_targets_) {
      for (auto& [node, step] : steps_) step.needed = true;
      return;
    }
    for (const auto& target : targets_)
      if (const auto at = steps_.find(target.node.get()); at != steps_.end()) at->second.needed = true;
    for (auto it = order_.rbegin(); it != order_.rend(); ++it)
      for (const Edge& input : (*it)->inputs())
        if (input && steps_.at(input.node.get()).needed) steps_.at(*it).needed = true;
  }

  void visit(Step& step, TensorList& captured) {
    Node& node = *step.node;
    Tensor only = std::move(step.only);
    TensorList several = std::move(step.several);
    const std::span<Tensor> grads = several.empty() ? std::span(&only, 1) : std::span(several);
    for (const auto& [output, hook] : node.hooks()) {
      Tensor& grad = grads[size_t(output)];
      if (!grad.defined()) continue;
      if (Tensor replaced = hook(grad); replaced.defined()) {
        ORDO_CHECK(replaced.sizes() == grad.sizes(), ShapeError, "register_hook",
                   "a hook replaced a gradient of shape {} by one of shape {}", grad.sizes(), replaced.sizes());
        grad = std::move(replaced);
      }
    }
    for (size_t i = 0; i < targets_.size(); ++i)
      if (targets_[i].node.get() == &node) captured[i] = grads[size_t(targets_[i].output)];
    if (only_targets_) {
      bool deeper = false;
      for (const Edge& input : node.inputs()) deeper = deeper || (input && steps_.at(input.node.get()).needed);
      if (!deeper) return;
    }
    const Running running(node);
    ORDO_CHECK(!node.released(), AutogradError, node.name(),
               "this graph was freed by an earlier backward pass; pass retain_graph = true to that one");
    const GradMode mode(options_.create_graph);
    TensorList of_inputs = differentiate(node, grads);
    if (!options_.retain_graph) node.release();
    for (Tensor& grad : grads) grad = Tensor();
    for (size_t i = 0; i < of_inputs.size() && i < node.inputs().size(); ++i) {
      const Edge& input = node.inputs()[i];
      if (!input || !of_inputs[i].defined()) continue;
      Step& next = steps_.at(input.node.get());
      if (next.needed) next.arrive(input.output, std::move(of_inputs[i]));
    }
  }

  static TensorList differentiate(Node& node, std::span<const Tensor> grads) {
    const OpCall call(OpCall::Backward{}, node.name(), grads);
    return call.done(node.backward(grads));
  }

  BackwardOptions options_;
  bool only_targets_ = false;
  std::vector<Edge> targets_;
  std::unordered_map<const Node*, Step> steps_;
  std::vector<Node*> order_;
};

}  // namespace

Edge gradient_edge(const Tensor& t) {
  const ordo::detail::LibraryCall library;
  if (!t.defined()) return {};
  if (is_behind_base(*t.impl())) follow_base(*t.impl());
  const AutogradMeta* meta = t.impl()->autograd.get();
  if (!meta) return {};
  if (meta->edge) return meta->edge;
  if (!meta->requires_grad) return {};
  return {meta->leaf->accumulator(t)};
}

TensorList run_backward(const TensorList& outputs, const TensorList& grad_outputs, const TensorList* inputs,
                        BackwardOptions options) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(grad_outputs.empty() || grad_outputs.size() == outputs.size(), ValueError, "backward",
             "{} gradients were given for {} tensors", grad_outputs.size(), outputs.size());
  const OpCall call("backward", outputs, grad_outputs, options.retain_graph, options.create_graph);
  options.retain_graph = options.retain_graph || options.create_graph;
  const amp::Autocast off(bfloat16, false);  // gradients have the dtypes of what they are of
  const GradMode mode(options.create_graph);
  TensorList grads;
  for (size_t i = 0; i < outputs.size(); ++i)
    grads.push_back(start_gradient(outputs[i], grad_outputs.empty() ? Tensor() : grad_outputs[i]));
  return call.done(BackwardPass(inputs, options).run(outputs, grads));
}

TensorList grad(const TensorList& outputs, const TensorList& inputs, const TensorList& grad_outputs, bool retain_graph,
                bool create_graph) {
  return run_backward(outputs, grad_outputs, &inputs, {retain_graph, create_graph});
}

void backward(const TensorList& outputs, const TensorList& grad_outputs, bool retain_graph, bool create_graph) {
  run_backward(outputs, grad_outputs, nullptr, {retain_graph, create_graph});
}

void register_hook(const Tensor& t, std::function<Tensor(const Tensor&)> hook) {
  const ordo::detail::LibraryCall library;
  const char* op = "register_hook";
  detail::expect_defined(op, t, "the tensor");
  ORDO_CHECK(hook, ValueError, op, "needs a function to call");
  const Edge edge = gradient_edge(t);
  ORDO_CHECK(edge, AutogradError, op, "the tensor does not require a gradient");
  // A leaf's end of the tape comes and goes with its users; its hooks stay with the leaf.
  if (t.is_leaf())
    t.impl()->autograd->leaf->add_hook(std::move(hook));
  else
    edge.node->add_hook(edge.output, std::move(hook));
}

void register_post_accumulate_grad_hook(const Tensor& leaf, std::function<void(const Tensor&)> hook) {
  const ordo::detail::LibraryCall library;
  const char* op = "register_post_accumulate_grad_hook";
  detail::expect_defined(op, leaf, "the tensor");
  ORDO_CHECK(hook, ValueError, op, "needs a function to call");
  ORDO_CHECK(leaf.is_leaf() && leaf.requires_grad(), AutogradError, op,
             "the tensor is not a leaf that requires a gradient");
  leaf.impl()->autograd->leaf->add_accumulated_hook(std::move(hook));
}

// -- Tensor's part --------------------------------------------------------------------------------------------------

/// What the tape knows of a tensor; null for one that nobody asked to differentiate.
static const AutogradMeta* meta_of(const TensorImpl& t) {
  if (is_behind_base(t)) follow_base(t);
  return t.autograd.get();
}

static LeafGradient& leaf_gradient(TensorImpl& t) {
  if (!t.autograd) t.autograd = std::make_shared<AutogradMeta>();
  if (!t.autograd->leaf) t.autograd->leaf = std::make_shared<LeafGradient>();
  return *t.autograd->leaf;
}

bool Tensor::requires_grad() const {
  const AutogradMeta* meta = meta_of(get());
  return meta && (meta->requires_grad || meta->edge);
}

bool Tensor::is_leaf() const {
  const AutogradMeta* meta = meta_of(get());
  return !meta || !meta->edge;
}

Tensor& Tensor::set_requires_grad(bool on) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(is_leaf(), AutogradError, "requires_grad",
             "only leaves can be told (not) to require a gradient; detach() first");
  ORDO_CHECK(!on || is_floating(dtype()), DTypeError, "requires_grad",
             "only floating-point tensors have gradients, not {}", dtype());
  if (on) leaf_gradient(*impl_);
  if (impl_->autograd) impl_->autograd->requires_grad = on;
  return *this;
}

Tensor Tensor::grad() const {
  const AutogradMeta* meta = meta_of(get());
  if (meta && meta->leaf) return meta->leaf->get();
  ORDO_CHECK(!meta || !meta->edge, AutogradError, "grad",
             "this is a result of {}, whose gradient is not kept; call retain_grad() before backward()", grad_name());
  return {};
}

Tensor& Tensor::retain_grad() {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(requires_grad(), AutogradError, "retain_grad", "the tensor does not require a gradient");
  if (is_leaf() || impl_->autograd->leaf) return *this;
  leaf_gradient(*impl_);
  register_hook(*this, [kept = std::weak_ptr(impl_->autograd->leaf)](const Tensor& grad) {
    if (const auto sum = kept.lock()) sum->add(grad.detach());
    return Tensor();
  });
  return *this;
}

void Tensor::set_grad(const Tensor& grad) {
  const ordo::detail::LibraryCall library;
  get();
  if (grad.defined()) {
    ORDO_CHECK(grad.sizes() == sizes(), ShapeError, "set_grad", "the gradient has shape {}, the tensor {}",
               grad.sizes(), sizes());
    detail::expect_same_device("set_grad", *this, grad);
    detail::expect_same_dtype("set_grad", *this, grad);
  }
  leaf_gradient(*impl_).set(grad);
}

void Tensor::zero_grad() {
  const auto& meta = get().autograd;
  if (meta && meta->leaf) meta->leaf->set(Tensor());
}

void Tensor::backward(const Tensor& gradient, bool retain_graph, bool create_graph) const {
  const ordo::detail::LibraryCall library;
  get();
  run_backward({*this}, {gradient}, nullptr, {retain_graph, create_graph});
}

Tensor Tensor::detach() const {
  const ordo::detail::LibraryCall library;
  get();
  return views::alias(*this);
}

std::string_view Tensor::grad_name() const {
  return is_leaf() ? std::string_view() : impl_->autograd->edge.node->name();
}

}  // namespace ordo

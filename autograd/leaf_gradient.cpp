#include <ordo/autograd/leaf_gradient.h>

#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/run/graph.h>

namespace ordo {
namespace {

/// Never given twice, as a thread's id is once the thread has ended.
uint64_t thread_number() {
  static std::atomic<uint64_t> next{0};
  thread_local const uint64_t mine = next++;
  return mine;
}

/// Adds what arrives into the leaf's grad().
class AccumulateNode : public Node {
 public:
  AccumulateNode(Tensor leaf, std::shared_ptr<LeafGradient> gradient)
      : Node("accumulate_grad", Determinism::not_guaranteed), leaf_(std::move(leaf)), gradient_(std::move(gradient)) {}
  TensorList backward(std::span<const Tensor> grads) override {
    gradient_->add(grads[0]);
    if (gradient_->has_hooks())
      for (const auto& hook : gradient_->accumulated_hooks()) hook(leaf_);
    return {};
  }
  void release() override {}
  bool released() const override { return false; }
  std::vector<OutputHook> hooks() const override {
    std::vector<OutputHook> all;
    if (!gradient_->has_hooks()) return all;
    for (Hook& hook : gradient_->hooks()) all.push_back({0, std::move(hook)});
    return all;
  }

 private:
  Tensor leaf_;
  std::shared_ptr<LeafGradient> gradient_;
};

/// grad() must be memory of its own: broadcast or shared memory would change under an in-place step.
Tensor owned(const Tensor& grad) {
  if (grad_enabled()) return grad;
  // The pass that holds `grad` has the one reference that there must be.
  const bool own = grad.is_contiguous() && grad.impl_ptr().use_count() == 1 && grad.impl()->storage.use_count() == 1;
  return own ? grad : grad.clone();
}

}  // namespace

Tensor LeafGradient::get() {
  const std::lock_guard lock(mutex_);
  if (parts_.size() > 1) merge();
  return parts_.empty() ? Tensor() : parts_[0].sum;
}

void LeafGradient::set(const Tensor& grad) {
  const std::lock_guard lock(mutex_);
  parts_.clear();
  if (grad.defined()) parts_.push_back({thread_number(), grad, detail::capture_number()});
}

void LeafGradient::add(const Tensor& grad) {
  const std::lock_guard lock(mutex_);
  const uint64_t thread = thread_number();
  ThreadSum* const part = part_of(thread);
  if (!part) {
    if (!parts_.empty()) detail::expect_no_capture("a sum with a gradient from before");
    return void(parts_.push_back({thread, owned(grad), detail::capture_number()}));
  }
  // Its memory is not the graph's, and may come to be another tensor's.
  if (detail::capture_number() != part->capture) detail::expect_no_capture("a sum with a gradient from before");
  part->sum = ordo::add(part->sum, grad);
  part->thread = thread;
}

LeafGradient::ThreadSum* LeafGradient::part_of(uint64_t thread) {
  if (parts_.size() == 1 && determinism() == Determinism::not_guaranteed) return &parts_[0];
  for (ThreadSum& part : parts_)
    if (part.thread == thread) return &part;
  ORDO_CHECK(parts_.empty() || !grad_enabled(), NondeterministicError, "accumulate_grad",
             "two threads add to one leaf with create_graph = true, and their sum would depend on which came first; "
             "call backward from one thread");
  return nullptr;
}

// Compares and exchanges the parts' elements until they ascend, then adds. NaNs stay NaNs; zeros of both signs add up
// to the same in any order.
void LeafGradient::merge() {
  const NoGrad guard;
  const size_t n = parts_.size();
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j + 1 < n - i; ++j) {
      const Tensor low = minimum(parts_[j].sum, parts_[j + 1].sum);
      parts_[j + 1].sum = maximum(parts_[j].sum, parts_[j + 1].sum);
      parts_[j].sum = low;
    }
  Tensor sum = parts_[0].sum;
  for (size_t i = 1; i < n; ++i) sum = ordo::add(sum, parts_[i].sum);
  parts_.assign(1, {thread_number(), sum});
}

std::shared_ptr<Node> LeafGradient::accumulator(const Tensor& leaf) {
  const std::lock_guard lock(mutex_);
  auto node = accumulator_.lock();
  if (!node) accumulator_ = node = std::make_shared<AccumulateNode>(leaf, leaf.impl()->autograd->leaf);
  return node;
}

void LeafGradient::add_hook(Hook hook) {
  const std::lock_guard lock(mutex_);
  hooks_.push_back(std::move(hook));
  has_hooks_ = true;
}
void LeafGradient::add_accumulated_hook(AccumulatedHook hook) {
  const std::lock_guard lock(mutex_);
  accumulated_hooks_.push_back(std::move(hook));
  has_hooks_ = true;
}
std::vector<LeafGradient::Hook> LeafGradient::hooks() const {
  const std::lock_guard lock(mutex_);
  return hooks_;
}
std::vector<LeafGradient::AccumulatedHook> LeafGradient::accumulated_hooks() const {
  const std::lock_guard lock(mutex_);
  return accumulated_hooks_;
}

}  // namespace ordo

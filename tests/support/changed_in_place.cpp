#include "tests/support/changed_in_place.h"

namespace ordo::test {
namespace {

/// While it lives every element has another value: a sample may keep a tensor for its next run. What repeats elements
/// cannot be changed and stays.
class ChangedTensor {
 public:
  explicit ChangedTensor(const Tensor& t) : memory_(t.detach()), before_(memory_.clone()) {
    try {
      memory_.copy_(t.dtype() == boolean ? logical_not(before_) : add(before_, 1));
    } catch (const ShapeError&) {
      before_ = Tensor();
    }
  }
  ~ChangedTensor() {
    if (before_.defined()) memory_.copy_(before_);
  }
  ChangedTensor(const ChangedTensor&) = delete;
  ChangedTensor& operator=(const ChangedTensor&) = delete;

 private:
  Tensor memory_, before_;
};

Bytes bytes_of_all(const TensorList& tensors) {
  Bytes bytes;
  for (const Tensor& t : tensors) {
    if (!t.defined()) continue;
    const Bytes more = bytes_of(t.detach());
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  return bytes;
}

}  // namespace

const char* name_of(Change when) {
  constexpr const char* names[] = {"the gradient", "the gradient with create_graph", "the second gradient"};
  return names[int(when)];
}

ChangedRun run_with_change(const OpInfo& op, const Sample& sample, const TensorList& inputs, Change when,
                           size_t which) {
  manual_seed(1);
  TensorList arguments, leaves, reached;
  for (const Tensor& t : inputs) {
    arguments.push_back(t.defined() ? t.detach().clone() : t);
    if (!t.defined()) continue;
    reached.push_back(arguments.back());
    if (op.differentiable && is_floating(t.dtype())) leaves.push_back(arguments.back().set_requires_grad());
  }
  Tensor out;
  {
    const OpListener listener([&](const OpEvent& e) {
      if (e.depth > 0 || e.failed) return;
      for (const Tensor& t : e.outputs)
        if (t.defined()) reached.push_back(t);
    });
    out = sample.run(arguments);
  }
  if (!out.requires_grad()) return {0, Bytes()};
  const bool again = when != Change::before_gradient;
  Tensor weights = test_gradient(out.sizes(), out.detach());
  if (again) weights.set_requires_grad();
  std::optional<ChangedTensor> changed;
  const auto change_now = [&](Change now) {
    if (now == when && which < reached.size()) changed.emplace(reached[which]);
  };
  ChangedRun run;
  try {
    change_now(Change::before_gradient);
    change_now(Change::before_recorded_gradient);
    TensorList gradients = grad({out}, leaves, {weights}, again, again);
    if (when == Change::before_second_gradient) {
      TensorList recorded, given;
      reached.push_back(weights);
      for (const Tensor& g : gradients) {
        if (!g.defined() || !g.requires_grad()) continue;
        recorded.push_back(g);
        given.push_back(test_gradient(g.sizes(), g.detach()));
        reached.push_back(g);
      }
      leaves.push_back(weights);
      change_now(Change::before_second_gradient);
      gradients = recorded.empty() ? TensorList() : grad(recorded, leaves, given);
    }
    run.bytes = bytes_of_all(gradients);
  } catch (const AutogradError&) {
  }
  run.tensors = reached.size();
  return run;
}

}  // namespace ordo::test

#include <ordo/kernels/optim/optim.h>

#include <optional>
#include <utility>

#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/optim/functors.h>

namespace ordo::kernels {

namespace {

void expect_matching(const char* op, const char* what, const Tensor& parameter, const Tensor& t) {
  ORDO_CHECK(t.sizes() == parameter.sizes(), ShapeError, op, "the {} has sizes {}, the parameter {}", what, t.sizes(),
             parameter.sizes());
  ORDO_CHECK(t.dtype() == parameter.dtype(), DTypeError, op,
             "the {} is {}, the parameter {}; make the optimiser after converting the model", what, t.dtype(),
             parameter.dtype());
  ORDO_CHECK(t.device() == parameter.device(), DeviceError, op,
             "the {} is on {}, the parameter on {}; make the optimiser after moving the model", what, t.device(),
             parameter.device());
}

// Of a StepsTogether of this thread.
thread_local std::optional<std::vector<PlannedStep>> t_together;

}  // namespace

Tensor optimizer_state(const Tensor& parameter) { return zeros(parameter.sizes(), parameter.options()); }

void optimizer_step_(StepTensors tensors, const OptimizerStep& step) {
  const Tensor parameter = tensors.parameter;
  expect_writable(tensors.op, parameter);
  expect_matching(tensors.op, "gradient", parameter, tensors.grad);
  for (const Tensor& state : tensors.state)
    if (state.defined()) expect_matching(tensors.op, "state of earlier steps", parameter, state);
  tensors.parameter = contiguous(parameter);
  tensors.grad = contiguous(tensors.grad);
  const bool copied = !parameter.is_contiguous();
  if (t_together && parameter.is_cuda() && !copied) {
    t_together->push_back({std::move(tensors), step});
  } else {
    const std::vector<PlannedStep> alone{{tensors, step}};
    ORDO_ON_DEVICE(parameter.device(), optimizer_steps, alone);
    if (copied) copy_(parameter, tensors.parameter);
  }
  parameter.impl()->storage->changed_by(tensors.op);
}

StepsTogether::StepsTogether() { t_together.emplace(); }
StepsTogether::~StepsTogether() {
  try {
    launch();
  } catch (const std::exception&) {  // the step fails for another reason
  }
  t_together.reset();
}
void StepsTogether::launch() {
  const std::vector<PlannedStep> steps = std::exchange(*t_together, {});
  if (!steps.empty()) ORDO_ON_DEVICE(steps[0].tensors.parameter.device(), optimizer_steps, steps);
}

namespace cpu {
void optimizer_steps(const std::vector<PlannedStep>& steps) {
  for (const PlannedStep& planned : steps)
    with_step(planned.tensors, planned.step, [&]<class T, class Step>() {
      const auto element = StepElement<T, Step>::of(memory_of<T>(planned.tensors), std::get<Step>(planned.step));
      parallel_for(0, planned.tensors.parameter.numel(), 16384, [&](int64_t first, int64_t last) {
        const auto e = element;  // a copy, which no store can change
        for (int64_t i = first; i < last; ++i) e(i);
      });
    });
}
}  // namespace cpu

}  // namespace ordo::kernels

#include <ordo/kernels/optim/optim.h>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

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

}  // namespace

Tensor optimizer_state(const Tensor& parameter) { return zeros(parameter.sizes(), parameter.options()); }

template <class Step>
void optimizer_step_(StepTensors tensors, const Step& step) {
  const Tensor parameter = tensors.parameter;
  expect_writable(tensors.op, parameter);
  expect_matching(tensors.op, "gradient", parameter, tensors.grad);
  for (const Tensor& state : tensors.state)
    if (state.defined()) expect_matching(tensors.op, "state of earlier steps", parameter, state);
  tensors.parameter = contiguous(parameter);
  tensors.grad = contiguous(tensors.grad);
  ORDO_ON_DEVICE(parameter.device(), optimizer_step, tensors, step);
  if (!parameter.is_contiguous()) copy_(parameter, tensors.parameter);
  parameter.impl()->storage->changed_by(tensors.op);
}
template void optimizer_step_(StepTensors, const SgdStep&);
template void optimizer_step_(StepTensors, const AdamStep&);
template void optimizer_step_(StepTensors, const RmspropStep&);
template void optimizer_step_(StepTensors, const AdagradStep&);

}  // namespace ordo::kernels

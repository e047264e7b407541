// Optimiser steps over all elements of a parameter.
#pragma once

#include <ordo/engine/dispatch.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/optim/functors.h>

namespace ordo::kernels::ORDO_LOOPS_DEVICE {

namespace {
template <template <class> class Element, class Step>
void step_each(const StepTensors& t, const Step& step) {
  dispatch_floating(t.op, t.parameter.dtype(), [&]<class T>() {
    T* state[3];
    for (int i = 0; i < 3; ++i) state[i] = t.state[i].defined() ? t.state[i].data<T>() : nullptr;
    each(Element<T>(t.parameter.data<T>(), t.grad.data<T>(), state, step), t.parameter.numel(), t.parameter.device());
  });
}
}  // namespace

void optimizer_step(const StepTensors& tensors, const SgdStep& step) { step_each<SgdElement>(tensors, step); }
void optimizer_step(const StepTensors& tensors, const AdamStep& step) { step_each<AdamElement>(tensors, step); }
void optimizer_step(const StepTensors& tensors, const RmspropStep& step) { step_each<RmspropElement>(tensors, step); }
void optimizer_step(const StepTensors& tensors, const AdagradStep& step) { step_each<AdagradElement>(tensors, step); }

}  // namespace ordo::kernels::ORDO_LOOPS_DEVICE

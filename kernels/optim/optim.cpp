#include <ordo/kernels/optim/optim.h>

#include <cstring>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/parallel.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
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

/// Runs `f` on the parameter's memory, or on a contiguous copy of it that is copied back.
template <class F>
void on_contiguous(const char* op, const Tensor& parameter, F f) {
  if (parameter.is_contiguous()) {
    f(parameter);
  } else {
    Tensor copy = contiguous(parameter);
    f(copy);
    copy_(parameter, copy);
  }
  parameter.impl()->storage->changed_by(op);
}

}  // namespace

Tensor optimizer_state(const Tensor& parameter) { return zeros(parameter.sizes(), parameter.options()); }

void sgd_step_(const Tensor& parameter, const Tensor& grad, const Tensor& momentum, SgdStep step) {
  expect_matching("SGD", "gradient", parameter, grad);
  if (step.momentum != 0) expect_matching("SGD", "momentum", parameter, momentum);
  on_contiguous("SGD", parameter, [&](const Tensor& p) {
    ORDO_ON_DEVICE(p.device(), sgd_step, p, contiguous(grad), step.momentum != 0 ? momentum : Tensor(), step);
  });
}

void adam_step_(const Tensor& parameter, const Tensor& grad, const Tensor& first, const Tensor& second, AdamStep step) {
  expect_matching("Adam", "gradient", parameter, grad);
  expect_matching("Adam", "first moment", parameter, first);
  expect_matching("Adam", "second moment", parameter, second);
  on_contiguous("Adam", parameter, [&](const Tensor& p) {
    ORDO_ON_DEVICE(p.device(), adam_step, p, contiguous(grad), first, second, step);
  });
}

namespace cpu {

namespace {
template <class F>
void each(int64_t n, const F& f) {
  parallel_for(0, n, 16384, [&f](int64_t begin, int64_t end) {
    const F element = f;  // a local copy, so that stores cannot change its members
    for (int64_t i = begin; i < end; ++i) element(i);
  });
}
}  // namespace

void sgd_step(const Tensor& parameter, const Tensor& grad, const Tensor& momentum, const SgdStep& step) {
  dispatch_floating("SGD", parameter.dtype(), [&]<class T>() {
    each(parameter.numel(),
         SgdElement<T>(parameter.data<T>(), grad.data<T>(), momentum.defined() ? momentum.data<T>() : nullptr, step));
  });
}

void adam_step(const Tensor& parameter, const Tensor& grad, const Tensor& first, const Tensor& second,
               const AdamStep& step) {
  dispatch_floating("Adam", parameter.dtype(), [&]<class T>() {
    each(parameter.numel(),
         AdamElement<T>(parameter.data<T>(), grad.data<T>(), first.data<T>(), second.data<T>(), step));
  });
}

}  // namespace cpu

}  // namespace ordo::kernels

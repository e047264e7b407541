#include <ordo/autograd/ops/arange.h>

#include <cmath>

#include <ordo/engine/check.h>
#include <ordo/engine/op_call.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "arange", .family = "copy", .dtypes = kNumericTypes, .differentiable = false});
ORDO_REGISTER_OP({.name = "linspace", .family = "copy", .dtypes = kFloatingTypes, .differentiable = false});

namespace {

// Made on the CPU in the wide type, then converted and moved: these are not worth a kernel.
template <class T, class F>
Tensor sequence(int64_t n, const TensorOptions& options, const F& value) {
  Tensor t = detail::result({n}, dtype_of<T>, Device());
  for (int64_t i = 0; i < n; ++i) t.data<T>()[i] = value(i);
  t = kernels::to(t, options.device, options.dtype);
  if (options.requires_grad) t.set_requires_grad();
  return t;
}

}  // namespace

Tensor arange(Scalar start, Scalar end, Scalar step, TensorOptions options) {
  const OpCall call("arange", start, end, step, options);
  ORDO_CHECK(options.dtype != boolean, DTypeError, "arange", "does not make bool tensors");
  const double first = start.to_double(), last = end.to_double(), by = step.to_double();
  ORDO_CHECK(by != 0 && std::isfinite(first) && std::isfinite(last) && std::isfinite(by), ValueError, "arange",
             "needs finite numbers and a step other than 0, not {}, {}, {}", first, last, by);
  ORDO_CHECK((last - first) * by >= 0, ValueError, "arange", "step {} leads away from end {} at start {}", by, last,
             first);
  const bool integers = !start.is_floating() && !end.is_floating() && !step.is_floating();
  if (integers) {
    const int64_t a = start.to_int64(), d = step.to_int64(), span = end.to_int64() - a;
    return call.done(sequence<int64_t>(span / d + (span % d != 0), options, [a, d](int64_t i) { return a + i * d; }));
  }
  return call.done(sequence<double>(int64_t(std::ceil((last - first) / by)), options,
                                    [first, by](int64_t i) { return first + double(i) * by; }));
}

Tensor arange(Scalar start, Scalar end, Scalar step) {
  const bool floating = start.is_floating() || end.is_floating() || step.is_floating();
  return arange(start, end, step, {floating ? float32 : int64});
}

Tensor arange(Scalar end) { return arange(0, end, 1); }

Tensor linspace(double start, double end, int64_t steps, TensorOptions options) {
  const OpCall call("linspace", start, end, steps, options);
  ORDO_CHECK(steps >= 0, ValueError, "linspace", "steps must not be negative, but is {}", steps);
  ORDO_CHECK(is_floating(options.dtype), DTypeError, "linspace", "makes floating-point tensors, not {}", options.dtype);
  const double step = steps > 1 ? (end - start) / double(steps - 1) : 0;
  return call.done(sequence<double>(steps, options, [=](int64_t i) {
    return i < (steps + 1) / 2 ? start + double(i) * step : end - double(steps - 1 - i) * step;
  }));
}

}  // namespace ordo

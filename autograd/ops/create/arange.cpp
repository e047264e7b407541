#include <ordo/autograd/ops/create/arange.h>

#include <algorithm>
#include <cmath>

#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/tensor/fits.h>
#include <ordo/kernels/math/math.h>

namespace ordo {

static OpInfo sequence_row(std::string_view name, DTypeSet dtypes) {
  return {.name = name, .family = "copy", .dtypes = dtypes, .differentiable = false, .no_rows = "it takes no tensor"};
}
ORDO_REGISTER_OP((sequence_row("arange", kNumericTypes)));
ORDO_REGISTER_OP((sequence_row("linspace", kFloatingTypes)));
ORDO_REGISTER_OP((sequence_row("logspace", kFloatingTypes)));
ORDO_REGISTER_OP((sequence_row("eye", kAllTypes)));

// Made on the CPU in the wide type, then converted and moved: these are not worth a kernel.
template <class T, class F>
static Tensor sequence(int64_t n, const TensorOptions& options, const F& value) {
  Tensor t = detail::result({n}, dtype_of<T>, Device());
  for (int64_t i = 0; i < n; ++i) t.data<T>()[i] = value(i);
  t = kernels::to(t, options.device, options.dtype);
  if (options.requires_grad) t.set_requires_grad();
  return t;
}

static void expect_countable(bool ok, double first, double last, double by) {
  ORDO_CHECK(ok, ShapeError, "arange", "{} to {} in steps of {} are more numbers than 64 bits count", first, last, by);
}

Tensor arange(Scalar start, Scalar end, Scalar step, TensorOptions options) {
  const OpCall call("arange", start, end, step, options);
  ORDO_CHECK(options.dtype != boolean, DTypeError, "arange", "does not make bool tensors");
  const double first = start.to_double(), last = end.to_double(), by = step.to_double();
  ORDO_CHECK(by != 0 && std::isfinite(first) && std::isfinite(last) && std::isfinite(by), ValueError, "arange",
             "needs finite numbers and a step other than 0, not {}, {}, {}", first, last, by);
  const auto expect_reached = [&](bool ok) {
    ORDO_CHECK(ok, ValueError, "arange", "step {} leads away from end {} at start {}", by, last, first);
  };
  const bool integers = !start.is_floating() && !end.is_floating() && !step.is_floating();
  if (integers) {
    // In 128 bits, where neither the span nor i * d overflows.
    using Wide = __int128;
    const Wide a = start.to_int64(), d = step.to_int64(), span = Wide(end.to_int64()) - a;
    expect_reached(span == 0 || (span > 0) == (d > 0));
    const Wide n = span / d + (span % d != 0);
    expect_countable(n <= Wide(INT64_MAX), first, last, by);
    if (n == 0) return call.done(sequence<int64_t>(0, options, [](int64_t) { return int64_t(0); }));
    detail::expect_fits("arange", start, options.dtype);
    detail::expect_fits("arange", int64_t(a + (n - 1) * d), options.dtype);
    return call.done(sequence<int64_t>(int64_t(n), options, [a, d](int64_t i) { return int64_t(a + i * d); }));
  }
  expect_reached(by > 0 ? first <= last : first >= last);
  const double n = std::ceil((last - first) / by);
  expect_countable(n < 0x1p63, first, last, by);
  if (n > 0) {
    detail::expect_fits("arange", first, options.dtype);
    detail::expect_fits("arange", first + (n - 1) * by, options.dtype);
  }
  return call.done(sequence<double>(int64_t(n), options, [first, by](int64_t i) { return first + double(i) * by; }));
}

Tensor arange(Scalar start, Scalar end, Scalar step) {
  const bool floating = start.is_floating() || end.is_floating() || step.is_floating();
  return arange(start, end, step, TensorOptions{floating ? float32 : int64});
}

Tensor arange(Scalar end) { return arange(0, end, 1); }

/// Number i of `steps` from start to end.
static auto spaced(double start, double end, int64_t steps) {
  const double step = steps > 1 ? (end - start) / double(steps - 1) : 0;
  return [=](int64_t i) { return i < (steps + 1) / 2 ? start + double(i) * step : end - double(steps - 1 - i) * step; };
}

static void expect_steps(const char* op, int64_t steps, DType dtype) {
  ORDO_CHECK(steps >= 0, ValueError, op, "steps must not be negative, but is {}", steps);
  ORDO_CHECK(is_floating(dtype), DTypeError, op, "makes floating-point tensors, not {}", dtype);
}

Tensor linspace(double start, double end, int64_t steps, TensorOptions options) {
  const OpCall call("linspace", start, end, steps, options);
  expect_steps("linspace", steps, options.dtype);
  detail::expect_fits("linspace", start, options.dtype);
  detail::expect_fits("linspace", end, options.dtype);
  return call.done(sequence<double>(steps, options, spaced(start, end, steps)));
}

Tensor logspace(double start, double end, int64_t steps, double base, TensorOptions options) {
  const OpCall call("logspace", start, end, steps, base, options);
  expect_steps("logspace", steps, options.dtype);
  for (double exponent : {start, end}) detail::expect_fits("logspace", math::pow(base, exponent), options.dtype);
  return call.done(sequence<double>(steps, options, [base, exponent = spaced(start, end, steps)](int64_t i) {
    return math::pow(base, exponent(i));
  }));
}

Tensor eye(int64_t n, int64_t m, TensorOptions options) {
  const OpCall call("eye", n, m, options);
  ORDO_CHECK(n >= 0 && m >= 0, ValueError, "eye", "sizes must not be negative, but are {} and {}", n, m);
  Tensor t = kernels::full({n, m}, 0, options.dtype, options.device);
  const int64_t least = std::min(n, m);
  kernels::fill_(views::as_strided(t, {least}, {least > 1 ? m + 1 : 1}, 0), 1);
  if (options.requires_grad) t.set_requires_grad();
  return call.done(std::move(t));
}

Tensor eye(int64_t n, TensorOptions options) { return eye(n, n, options); }

using detail::OperationName;

Tensor full(const Dims& sizes, Scalar value, TensorOptions options) {
  const OpCall call("full", sizes, value, options);
  Tensor t = kernels::full(sizes, value, options.dtype, options.device);
  if (options.requires_grad) t.set_requires_grad();
  return call.done(std::move(t));
}

Tensor zeros(const Dims& sizes, TensorOptions options) {
  const OperationName name("zeros");
  return full(sizes, 0, options);
}
Tensor ones(const Dims& sizes, TensorOptions options) {
  const OperationName name("ones");
  return full(sizes, 1, options);
}
Tensor scalar_tensor(Scalar value, TensorOptions options) {
  const OperationName name("scalar_tensor");
  return full({}, value, options);
}

Tensor full_like(const Tensor& like, Scalar value) {
  const OperationName name("full_like");
  detail::expect_defined("full_like", like, "like");
  return full(like.sizes(), value, like.options());
}
Tensor zeros_like(const Tensor& like) {
  const OperationName name("zeros_like");
  return full_like(like, 0);
}
Tensor ones_like(const Tensor& like) {
  const OperationName name("ones_like");
  return full_like(like, 1);
}

}  // namespace ordo

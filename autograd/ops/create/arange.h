// Tensors by rule: evenly spaced numbers, and the identity matrix. With options.requires_grad they are leaves:
// DTypeError when their dtype is not floating.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// start, start + step, ... up to but excluding end: number i is start + i step, computed in int64 where all three are
/// integers and in double otherwise, then rounded to the dtype.
///
/// Shapes: ceil((end - start) / step) numbers.
/// Dtypes: any but bool; by default int64 when all three are integers, else float32.
/// Throws: ValueError when step is 0 or leads away from end, when a number is not finite, or does not fit the dtype;
/// DTypeError when the dtype is bool; ShapeError when there are more numbers than int64 counts.
/// Determinism: the same bits on every device at every level.
/// Gradient: none.
/// PyTorch: torch.arange.
Tensor arange(Scalar start, Scalar end, Scalar step, TensorOptions options);
Tensor arange(Scalar start, Scalar end, Scalar step = 1);
Tensor arange(Scalar end);
namespace detail {
inline DType arange_dtype(Scalar start, Scalar end, Scalar step) {
  return start.is_floating() || end.is_floating() || step.is_floating() ? float32 : int64;
}
}  // namespace detail
template <OptionsPart P>
Tensor arange(Scalar start, Scalar end, Scalar step, P part) {
  return arange(start, end, step, detail::options_from(part, detail::arange_dtype(start, end, step)));
}
template <OptionsPart P>
Tensor arange(Scalar start, Scalar end, P part) {
  return arange(start, end, 1, part);
}
template <OptionsPart P>
Tensor arange(Scalar end, P part) {
  return arange(0, end, 1, part);
}

/// `steps` numbers from start to end, both included: start + i (end - start) / (steps - 1), computed from the nearer
/// end in double. One step gives start.
///
/// Shapes: [steps].
/// Dtypes: floating.
/// Throws: ValueError when steps is negative, or an end does not fit the dtype; DTypeError when that is not floating.
/// Determinism, Gradient: as arange.
/// PyTorch: torch.linspace.
Tensor linspace(double start, double end, int64_t steps, TensorOptions options = {});
/// base to the power of each of linspace(start, end, steps), computed in double.
///
/// Shapes, Dtypes: as linspace.
/// Throws: as linspace, of the first and the last power.
/// Determinism, Gradient: as arange.
/// PyTorch: torch.logspace.
Tensor logspace(double start, double end, int64_t steps, double base = 10, TensorOptions options = {});

/// The matrix with ones on the diagonal and zeros elsewhere.
///
/// Shapes: [n, m]; m is n where it is not given.
/// Dtypes: any.
/// Throws: ValueError when a size is negative.
/// Determinism, Gradient: as arange.
/// PyTorch: torch.eye.
Tensor eye(int64_t n, int64_t m, TensorOptions options = {});
Tensor eye(int64_t n, TensorOptions options = {});

// With a dtype or a device in place of options.
template <OptionsPart P>
Tensor linspace(double start, double end, int64_t steps, P part) {
  return linspace(start, end, steps, detail::options_from(part));
}
template <OptionsPart P>
Tensor logspace(double start, double end, int64_t steps, double base, P part) {
  return logspace(start, end, steps, base, detail::options_from(part));
}
template <OptionsPart P>
Tensor eye(int64_t n, int64_t m, P part) {
  return eye(n, m, detail::options_from(part));
}
template <OptionsPart P>
Tensor eye(int64_t n, P part) {
  return eye(n, n, detail::options_from(part));
}

}  // namespace ordo

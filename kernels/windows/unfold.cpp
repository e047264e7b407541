#include <ordo/kernels/windows/unfold.h>

#include <ordo/engine/calls/checked.h>
#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/windows/sliding.h>
#include <ordo/kernels/windows/unfold_cpu.h>

namespace ordo::kernels {

ORDO_REGISTER_OPS({"unfold", "fold"}, {.family = "windows", .dtypes = kFloatingTypes});

namespace {

/// The windows over images of that size; checks everything.
UnfoldShape unfold_shape(const char* op, int64_t planes, int64_t height, int64_t width, const UnfoldArguments& a) {
  check_each(op, "kernel_size", a.kernel, 1);
  check_each(op, "dilation", a.dilation, 1);
  check_each(op, "padding", a.padding, 0);
  check_each(op, "stride", a.stride, 1);
  ORDO_CHECK(height > 0 && width > 0, ShapeError, op, "takes images of at least one cell, not [{}, {}]", height, width);
  const auto axis = [&](int k, int64_t size) {
    return sliding_axis(op, kAxisNames[k + 1], size, a.kernel[k], a.stride[k], a.padding[k], a.dilation[k]);
  };
  return {{{1, 1, 1, 1, 0, 1}, axis(0, height), axis(1, width)}, planes};
}

}  // namespace

Tensor unfold(const Tensor& input, const UnfoldArguments& a) {
  constexpr const char* op = "unfold";
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_floating(op, input, "input");
  ORDO_CHECK(input.dim() == 3 || input.dim() == 4, ShapeError, op,
             "takes an input of shape [N, C, H, W] or [C, H, W], not {}", input.sizes());
  const int64_t channels = input.size(-3), samples = input.dim() == 4 ? input.size(0) : 1;
  const UnfoldShape s = unfold_shape(op, samples * channels, input.size(-2), input.size(-1), a);
  Dims sizes{checked::mul(op, checked::mul(op, channels, s.h.kernel), s.w.kernel),
             checked::mul(op, s.h.output, s.w.output)};
  if (input.dim() == 4) sizes.insert(0, samples);
  const Tensor output = ordo::detail::result(check_addressable(op, sizes), input.dtype(), input.device());
  if (output.numel() > 0) ORDO_ON_DEVICE(input.device(), unfold_columns, contiguous(input), output, s);
  return output;
}

Tensor fold(const Tensor& input, Size2 output_size, const UnfoldArguments& a) {
  constexpr const char* op = "fold";
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_floating(op, input, "input");
  ORDO_CHECK(input.dim() == 2 || input.dim() == 3, ShapeError, op,
             "takes an input of shape [N, C kernel, L] or [C kernel, L], not {}", input.sizes());
  check_each(op, "output_size", output_size, 1);
  UnfoldShape s = unfold_shape(op, 0, output_size[0], output_size[1], a);
  const int64_t window = checked::mul(op, s.h.kernel, s.w.kernel), rows = input.size(-2);
  ORDO_CHECK(rows % window == 0, ShapeError, op, "an input of shape {} has {} rows, which are no multiple of {} cells",
             input.sizes(), rows, window);
  const int64_t positions = checked::mul(op, s.h.output, s.w.output);
  ORDO_CHECK(input.size(-1) == positions, ShapeError, op,
             "an input of shape {} has {} columns, but there are {} windows", input.sizes(), input.size(-1), positions);
  const int64_t samples = input.dim() == 3 ? input.size(0) : 1;
  s.planes = samples * (rows / window);
  Dims sizes{rows / window, output_size[0], output_size[1]};
  if (input.dim() == 3) sizes.insert(0, samples);
  const Tensor output = ordo::detail::result(check_addressable(op, sizes), input.dtype(), input.device());
  if (output.numel() > 0) ORDO_ON_DEVICE(input.device(), fold_columns, contiguous(input), output, s);
  return output;
}

namespace cpu {

/// Calls f(planes, first) for the planes from `first` on, on the threads.
template <class F>
static void for_planes(const UnfoldShape& s, const F& f) {
  parallel_for(0, s.planes, row_grain(s.elements() * s.outputs() + s.inputs()), [&](int64_t first, int64_t last) {
    UnfoldShape planes = s;
    planes.planes = last - first;
    f(planes, first);
  });
}

void unfold_columns(const Tensor& input, const Tensor& output, const UnfoldShape& s) {
  dispatch_word(input.element_size(), [&]<class Word>() {
    if constexpr (sizeof(Word) > 1)  // of floating-point numbers
      for_planes(s, [&](const UnfoldShape& planes, int64_t first) {
        unfold(planes, static_cast<const Word*>(input.data()) + first * s.inputs(),
               static_cast<Word*>(output.data()) + first * s.elements() * s.outputs(), s.outputs());
      });
  });
}

void fold_columns(const Tensor& input, const Tensor& output, const UnfoldShape& s) {
  dispatch_floating("fold", input.dtype(), [&]<class T>() {
    for_planes(s, [&](const UnfoldShape& planes, int64_t first) {
      fold(planes, input.data<T>() + first * s.elements() * s.outputs(), s.outputs(),
           output.data<T>() + first * s.inputs());
    });
  });
}

}  // namespace cpu
}  // namespace ordo::kernels

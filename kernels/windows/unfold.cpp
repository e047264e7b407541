#include <ordo/kernels/windows/unfold.h>

#include <algorithm>
#include <cstring>

#include <ordo/engine/check.h>
#include <ordo/engine/checked.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/dispatch_word.h>
#include <ordo/engine/memory.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/parallel.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/windows/sliding.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "unfold", .family = "windows", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "fold", .family = "windows", .dtypes = kFloatingTypes});

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
  return {planes, axis(0, height), axis(1, width)};
}

void check_input(const char* op, const Tensor& input) {
  ordo::detail::expect_defined(op, input, "input");
  ordo::detail::expect_floating(op, input);
}

}  // namespace

Tensor unfold(const Tensor& input, const UnfoldArguments& a) {
  constexpr const char* op = "unfold";
  const ordo::detail::OperationName name(op);
  check_input(op, input);
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
  check_input(op, input);
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
namespace {

/// The outputs [first, last) whose window has its cell k inside: at o * stride + offset.
struct Inside {
  int64_t first, last, offset;
  Inside(const WindowAxis& a, int64_t k) : offset(k * a.dilation - a.padding) {
    first = std::clamp<int64_t>(offset >= 0 ? 0 : (-offset + a.stride - 1) / a.stride, 0, a.output);
    last = std::clamp<int64_t>(offset >= a.input ? 0 : (a.input - 1 - offset) / a.stride + 1, first, a.output);
  }
};

/// The columns of row u of the windows.
template <class Word>
void unfold_rows(const UnfoldShape& s, const Word* image, Word* to, int64_t u) {
  const Inside rows(s.h, u);
  for (int64_t v = 0; v < s.w.kernel; ++v) {
    const Inside columns(s.w, v);
    for (int64_t i = 0; i < s.h.output; ++i, to += s.w.output) {
      if (i < rows.first || i >= rows.last) {
        std::fill(to, to + s.w.output, Word(0));
        continue;
      }
      const Word* const from = image + (i * s.h.stride + rows.offset) * s.w.input + columns.offset;
      std::fill(to, to + columns.first, Word(0));
      if (s.w.stride == 1)
        std::copy(from + columns.first, from + columns.last, to + columns.first);
      else
        for (int64_t j = columns.first; j < columns.last; ++j) to[j] = from[j * s.w.stride];
      std::fill(to + columns.last, to + s.w.output, Word(0));
    }
  }
}

/// Adds the columns of a plane to its cells, which are zero, cell of the window after cell.
template <class T, class V>
void add_columns(const UnfoldShape& s, const T* from, V* sums) {
  for (int64_t u = 0; u < s.h.kernel; ++u) {
    const Inside rows(s.h, u);
    for (int64_t v = 0; v < s.w.kernel; ++v, from += s.positions()) {
      const Inside columns(s.w, v);
      for (int64_t i = rows.first; i < rows.last; ++i) {
        const T* const row = from + i * s.w.output;
        V* const to = sums + (i * s.h.stride + rows.offset) * s.w.input + columns.offset;
        if (s.w.stride == 1)
          for (int64_t j = columns.first; j < columns.last; ++j) to[j] += V(row[j]);
        else
          for (int64_t j = columns.first; j < columns.last; ++j) to[j * s.w.stride] += V(row[j]);
      }
    }
  }
}

int64_t plane_grain(int64_t cost) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, cost)); }

}  // namespace

void unfold_columns(const Tensor& input, const Tensor& output, const UnfoldShape& s) {
  const int64_t rows = s.w.kernel * s.positions();
  dispatch_word(input.element_size(), [&]<class Word>() {
    if constexpr (sizeof(Word) > 1)  // of floating-point numbers
      parallel_for(0, s.planes * s.h.kernel, plane_grain(rows), [&](int64_t first, int64_t last) {
        for (int64_t r = first; r < last; ++r)
          unfold_rows(s, static_cast<const Word*>(input.data()) + r / s.h.kernel * s.cells(),
                      static_cast<Word*>(output.data()) + r * rows, r % s.h.kernel);
      });
  });
}

void fold_columns(const Tensor& input, const Tensor& output, const UnfoldShape& s) {
  const int64_t window = s.h.kernel * s.w.kernel, columns = window * s.positions();
  dispatch_floating("fold", input.dtype(), [&]<class T>() {
    using V = accumulate_t<T>;
    const T* const from = input.data<T>();
    T* const to = output.data<T>();
    // At most 64 values for a cell are a plain sum.
    if (window > kOrderedGroup) return each(output.numel(), FoldElement<T>{s, from, to});
    parallel_for(0, s.planes, plane_grain(columns + s.cells()), [&](int64_t first, int64_t last) {
      constexpr bool kDirect = std::is_same_v<T, V>;
      const Scratch<V> scratch(kDirect ? 0 : s.cells(), Device());
      for (int64_t p = first; p < last; ++p) {
        V* sums = scratch.data();
        if constexpr (kDirect) sums = to + p * s.cells();
        std::fill(sums, sums + s.cells(), V(0));
        add_columns(s, from + p * columns, sums);
        if constexpr (!kDirect)
          for (int64_t i = 0; i < s.cells(); ++i) to[p * s.cells() + i] = T(sums[i]);
      }
    });
  });
}

}  // namespace cpu
}  // namespace ordo::kernels

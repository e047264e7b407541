// Padding of a tensor's last dimensions on plain tensors. The differentiable function is in
// <ordo/autograd/ops/functional/resampling.h>.
#pragma once

#include <cstdint>
#include <vector>

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/dims.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/resampling/modes.h>
#include <ordo/kernels/windows/windows.h>

namespace ordo::kernels {

Tensor pad(const Tensor& input, const std::vector<int64_t>& padding, PadMode mode, Scalar value);
/// The gradient with respect to an input of `input_sizes`; not of mode constant, whose gradient is a padding by the
/// negative numbers.
Tensor pad_backward(const Tensor& grad, const Dims& input_sizes, const std::vector<int64_t>& padding, PadMode mode);

/// `left` cells are added before the axis, or taken away where it is negative; output - input - left behind it.
struct PadAxis {
  int64_t input = 1, output = 1, left = 0;
  PadMode mode = PadMode::constant;

  ORDO_HD int64_t right() const { return output - input - left; }
  /// The number of cells that negative padding leaves.
  ORDO_HD int64_t kept() const { return input + (left < 0 ? left : 0) + (right() < 0 ? right() : 0); }

  /// The outputs before the input's cells (k = 0), of them (1) or behind them (2), and the cells that they show; a run
  /// at -1 shows none.
  ORDO_HD AxisRun run(int k) const {
    const int64_t begin = left < 0 ? 0 : left < output ? left : output;
    const int64_t past = left + input < output ? left + input : output, end = past > begin ? past : begin;
    if (k == 1) return {begin, 1, begin - left, 1, end - begin};
    const int64_t place = k == 0 ? 0 : end, count = k == 0 ? begin : output - end;
    if (mode == PadMode::constant) return {place, 1, -1, 0, count};
    if (mode == PadMode::replicate) return {place, 1, k == 0 ? 0 : input - 1, 0, count};
    if (mode == PadMode::reflect) return {place, 1, k == 0 ? left : 2 * (input - 1) - (end - left), -1, count};
    return {place, 1, place - left + (k == 0 ? kept() : -kept()), 1, count};  // what is left wraps around
  }
  /// The cell that output `o` shows; -1 for none.
  ORDO_HD int64_t source(int64_t o) const {
    const int64_t i = o - left;
    return uint64_t(i) < uint64_t(input) ? i : run(o < left ? 0 : 2).read_by(o);
  }
  /// The outputs [begin, end) of run k that show cell i; not of mode constant.
  ORDO_HD AxisCells outputs(int64_t i, int k) const {
    const AxisRun r = run(k);
    if (r.at_step == 0) return {r.place, r.at == i ? r.place + r.count : r.place};
    const int64_t n = (i - r.at) * r.at_step;
    return {r.place + n, n >= 0 && n < r.count ? r.place + n + 1 : r.place + n};
  }
};

/// The axes of a padding, outermost first; neighbours that are not padded are one.
struct PadShape {
  int rank = 0;
  PadAxis axes[kMaxDims];

  ORDO_HD int64_t outputs() const {
    int64_t n = 1;
    for (int d = 0; d < rank; ++d) n *= axes[d].output;
    return n;
  }
};

// Per device. Everything is contiguous; results are overwritten. `fill` is one element. The gradient's
// shape has the axes d, h and w.
ORDO_DEVICES(void, pad, const Tensor& input, const Tensor& output, const PadShape& shape, const Tensor& fill)
ORDO_DEVICES(void, pad_backward, const Tensor& grad, const Tensor& output, const PadShape& shape)

/// The position in the input that output `o`, flat, shows; -1 for none.
ORDO_HD int64_t pad_source(const PadShape& shape, int64_t o) {
  int64_t at = 0, step = 1;
  for (int d = shape.rank - 1; d >= 0; --d) {
    const PadAxis& axis = shape.axes[d];
    const int64_t rest = quotient(o, axis.output), i = axis.source(o - rest * axis.output);
    if (i < 0) return -1;
    at += i * step;
    step *= axis.input;
    o = rest;
  }
  return at;
}

template <class Word>
struct PadElement {
  PadShape shape;
  const Word* input;
  Word* output;
  Word fill;
  ORDO_HD void operator()(int64_t o) const {
    const int64_t at = pad_source(shape, o);
    output[o] = at < 0 ? fill : input[at];
  }
};

/// The gradient of a cell of a [volumes, d, h, w] input: rule 1 over the outputs that show it, row-major, added to
/// zero.
template <class T>
struct PadGradientElement {
  PadAxis d, h, w;
  const T* grad;
  T* output;
  /// f(o) for the outputs of an axis that show cell i, ascending.
  template <class F>
  ORDO_HD static void each_output(const PadAxis& axis, int64_t i, const F& f) {
    for (int k = 0; k < 3; ++k) {
      const AxisCells outputs = axis.outputs(i, k);
      for (int64_t o = outputs.begin; o < outputs.end; ++o) f(o);
    }
  }
  ORDO_HD void operator()(int64_t i) const {
    const VolumeCell at(i, d.input, h.input, w.input);
    OrderedSum<accumulate_t<T>> sum;
    each_output(d, at.d, [&](int64_t od) {
      each_output(h, at.h, [&](int64_t oh) {
        const T* const row = grad + ((at.volume * d.output + od) * h.output + oh) * w.output;
        each_output(w, at.w, [&](int64_t ow) { sum.push(accumulate_t<T>(row[ow])); });
      });
    });
    output[i] = T(accumulate_t<T>(0) + sum.result());
  }
};

}  // namespace ordo::kernels

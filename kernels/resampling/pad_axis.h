// Which cell of an axis a padded cell shows, and which padded cells show a cell. Internal; shared by both devices.
#pragma once

#include <cstdint>

#include <ordo/engine/dims.h>
#include <ordo/engine/dtype.h>
#include <ordo/engine/host_device.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/resampling/pad_mode.h>
#include <ordo/kernels/windows/windows.h>

namespace ordo::kernels {

/// The padded cells that show one cell, ascending: the three runs one after the other, some of them empty.
struct PadRuns {
  static constexpr int kRuns = 3;
  int64_t begin[kRuns], end[kRuns];
  ORDO_HD int64_t count() const {
    int64_t n = 0;
    for (int k = 0; k < kRuns; ++k) n += end[k] - begin[k];
    return n;
  }
};

/// `left` cells are added before the axis, or taken away where it is negative; output - input - left behind it.
struct PadAxis {
  int64_t input = 1, output = 1, left = 0;
  PadMode mode = PadMode::constant;

  ORDO_HD int64_t right() const { return output - input - left; }
  /// What negative padding leaves: the cells [kept_begin, kept_begin + kept).
  ORDO_HD int64_t kept_begin() const { return left < 0 ? -left : 0; }
  ORDO_HD int64_t kept() const { return input - kept_begin() + (right() < 0 ? right() : 0); }

  /// The cell that output `o` shows; -1 for none.
  ORDO_HD int64_t source(int64_t o) const {
    int64_t i = o - left;
    if (mode == PadMode::circular) {  // what is left wraps around
      i -= kept_begin();
      if (i < 0) i += kept();
      if (i >= kept()) i -= kept();
      return i + kept_begin();
    }
    if (uint64_t(i) < uint64_t(input)) return i;
    if (mode == PadMode::constant) return -1;
    if (mode == PadMode::reflect) return i < 0 ? -i : 2 * (input - 1) - i;
    return i < 0 ? 0 : input - 1;
  }

  /// The outputs that show cell i; not of mode constant.
  ORDO_HD PadRuns outputs(int64_t i) const {
    PadRuns runs;
    if (mode == PadMode::replicate) {
      runs = one(1, i == 0 ? 0 : i + left, i == input - 1 ? output : i + left + 1);
    } else if (mode == PadMode::reflect) {
      runs = one(1, i + left, i + left + 1);
      if (i > 0) set(runs, 0, left - i);
      if (i < input - 1) set(runs, 2, left + 2 * (input - 1) - i);
    } else {
      const bool there = i >= kept_begin() && i < kept_begin() + kept();
      runs = one(1, there ? i + left : 0, there ? i + left + 1 : 0);
      if (there) set(runs, 0, i + left - kept());
      if (there) set(runs, 2, i + left + kept());
    }
    return runs;
  }

 private:
  ORDO_HD PadRuns one(int k, int64_t begin, int64_t end) const {
    PadRuns runs = {};
    runs.begin[k] = begin < 0 ? 0 : begin;
    runs.end[k] = end > output ? output : end;
    if (runs.end[k] < runs.begin[k]) runs.end[k] = runs.begin[k];
    return runs;
  }
  ORDO_HD void set(PadRuns& runs, int k, int64_t o) const {
    if (o < 0 || o >= output) return;
    runs.begin[k] = o;
    runs.end[k] = o + 1;
  }
};

/// The axes of a padding, outermost first; neighbours that are not padded are one.
struct PadShape {
  int rank = 0;
  PadAxis axes[kMaxDims];

  ORDO_HD int64_t inputs() const {
    int64_t n = 1;
    for (int d = 0; d < rank; ++d) n *= axes[d].input;
    return n;
  }
  ORDO_HD int64_t outputs() const {
    int64_t n = 1;
    for (int d = 0; d < rank; ++d) n *= axes[d].output;
    return n;
  }
};

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

/// The gradient of a cell of a [volumes, d, h, w] input: rule 1 over the outputs that show it, row-major, added to
/// zero.
template <class T>
ORDO_HD accumulate_t<T> pad_gradient(const T* grad, const PadAxis& h, const PadAxis& w, const PadRuns& layers,
                                     const PadRuns& rows, const PadRuns& columns) {
  OrderedSum<accumulate_t<T>> sum;
  for (int a = 0; a < PadRuns::kRuns; ++a)
    for (int64_t od = layers.begin[a]; od < layers.end[a]; ++od)
      for (int b = 0; b < PadRuns::kRuns; ++b)
        for (int64_t oh = rows.begin[b]; oh < rows.end[b]; ++oh) {
          const T* const row = grad + (od * h.output + oh) * w.output;
          for (int c = 0; c < PadRuns::kRuns; ++c)
            for (int64_t ow = columns.begin[c]; ow < columns.end[c]; ++ow) sum.push(accumulate_t<T>(row[ow]));
        }
  return accumulate_t<T>(0) + sum.result();
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

/// Of the four axes volumes, d, h and w.
template <class T>
struct PadGradientElement {
  PadAxis d, h, w;
  const T* grad;
  T* output;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t row = quotient(i, w.input), layer = quotient(row, h.input), volume = quotient(layer, d.input);
    output[i] =
        T(pad_gradient(grad + volume * d.output * h.output * w.output, h, w, d.outputs(layer - volume * d.input),
                       h.outputs(row - layer * h.input), w.outputs(i - row * w.input)));
  }
};

}  // namespace ordo::kernels

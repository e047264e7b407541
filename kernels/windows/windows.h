// Windows of pooling and convolution: which input cells an output reads, and which outputs read a cell. Internal;
// shared by both devices.
#pragma once

#include <cstdint>

#include <ordo/engine/tensor/host_device.h>

namespace ordo::kernels {

/// a / b for a >= 0, b > 0. GPUs divide 32 bits several times faster than 64.
ORDO_HD int64_t quotient(int64_t a, int64_t b) {
  if (((uint64_t(a) | uint64_t(b)) >> 32) == 0) return int64_t(uint32_t(a) / uint32_t(b));
  return a / b;
}

/// For i < count, place + i place_step reads at + i at_step. Steps of places are 0 or more; with 0, one place reads
/// all.
struct AxisRun {
  int64_t place, place_step, at, at_step, count;
  /// The other side's reads.
  AxisRun transposed() const;
  /// What place p reads, where steps of places are 1; -1 if nothing.
  ORDO_HD int64_t read_by(int64_t p) const { return p >= place && p < place + count ? at + (p - place) * at_step : -1; }
};

/// Cells (or outputs) begin, begin + step, ... < end of an axis.
struct AxisCells {
  int64_t begin, end, step = 1;
};

/// One axis of windows. Sliding: output o covers the cells o stride - padding + k dilation, k = 0..kernel-1, that
/// exist. Adaptive, whose stride is 0: the cells [floor(o I / O), ceil((o + 1) I / O)), at most `kernel` of them.
struct WindowAxis {
  int64_t input, output, kernel, stride, padding, dilation;

  static WindowAxis adaptive(int64_t input, int64_t output) {
    return {input, output, (input + output - 1) / output + 1, 0, 0, 1};
  }
  ORDO_HD bool is_adaptive() const { return stride == 0; }

  /// The cells of output o: begin, begin + dilation, ... < end. Never empty; the caller has checked.
  ORDO_HD int64_t begin(int64_t o) const {
    if (is_adaptive()) return quotient(o * input, output);
    const int64_t at = o * stride - padding;
    return at >= 0 ? at : at + quotient(dilation - 1 - at, dilation) * dilation;
  }
  ORDO_HD int64_t end(int64_t o) const {
    if (is_adaptive()) return quotient((o + 1) * input + output - 1, output);
    const int64_t at = o * stride - padding + (kernel - 1) * dilation + 1;
    return at < input ? at : input;
  }

  ORDO_HD AxisCells cells(int64_t o) const { return {begin(o), end(o), dilation}; }

  /// Outputs that may cover cell i; with dilation, covers() has the last word.
  ORDO_HD int64_t first_output(int64_t i) const {
    if (is_adaptive()) return quotient(i * output, input);
    const int64_t reach = i + padding - (kernel - 1) * dilation;
    return reach <= 0 ? 0 : quotient(reach + stride - 1, stride);
  }
  ORDO_HD int64_t end_output(int64_t i) const {
    if (is_adaptive()) return quotient((i + 1) * output + input - 1, input);
    const int64_t end = quotient(i + padding, stride) + 1;
    return end < output ? end : output;
  }
  ORDO_HD AxisCells outputs(int64_t i) const { return {first_output(i), end_output(i)}; }
  ORDO_HD bool covers(int64_t o, int64_t i) const {
    return dilation == 1 || (i + padding - o * stride) % dilation == 0;
  }

  /// Cells of the window, padding included, but not what ceil_mode adds beyond it.
  ORDO_HD int64_t padded_extent(int64_t o) const {
    if (is_adaptive()) return end(o) - begin(o);
    const int64_t at = o * stride - padding, end = at + kernel, most = input + padding;
    return (end < most ? end : most) - at;
  }
  int64_t most_cells() const { return kernel < input ? kernel : input; }
  /// At most this many outputs cover one cell.
  int64_t overlap() const {
    const int64_t most = is_adaptive() ? (output + input - 1) / input + 1 : (kernel - 1) * dilation / stride + 1;
    return most < output ? most : output;
  }
};

/// Flat position i of a [volumes, depth, height, width] tensor, taken apart.
struct VolumeCell {
  int64_t volume, d = 0, h, w;
  ORDO_HD VolumeCell(int64_t i, int64_t depth, int64_t height, int64_t width) {
    const int64_t row = quotient(i, width);
    w = i - row * width;
    const int64_t layer = quotient(row, height);
    h = row - layer * height;
    volume = layer;
    if (depth == 1) return;
    volume = quotient(layer, depth);
    d = layer - volume * depth;
  }
};

/// The windows of a volume [d, h, w]. Fewer dimensions are a d, or d and h, of one cell.
struct WindowAxes {
  WindowAxis d, h, w;
  ORDO_HD int64_t inputs() const { return d.input * h.input * w.input; }
  ORDO_HD int64_t outputs() const { return d.output * h.output * w.output; }
  ORDO_HD int64_t elements() const { return d.kernel * h.kernel * w.kernel; }
  /// Where row (d, h) of a volume begins.
  ORDO_HD int64_t input_row(int64_t id, int64_t ih) const { return (id * h.input + ih) * w.input; }
  ORDO_HD int64_t output_row(int64_t od, int64_t oh) const { return (od * h.output + oh) * w.output; }
};

/// The windows of pooling, of a [volumes, d, h, w] input.
struct Windows : WindowAxes {
  bool count_padding = false;    // average pooling: the divisor counts padding cells
  int64_t divisor_override = 0;  // average pooling: the divisor, when not 0

  /// What the divisors of the windows (od, oh, any) have in common.
  ORDO_HD int64_t row_divisor(int64_t od, int64_t oh) const {
    if (count_padding) return d.padded_extent(od) * h.padded_extent(oh);
    return (d.end(od) - d.begin(od)) * (h.end(oh) - h.begin(oh));
  }
  ORDO_HD int64_t divisor(int64_t row_divisor, int64_t ow) const {
    if (divisor_override != 0) return divisor_override;
    return row_divisor * (count_padding ? w.padded_extent(ow) : w.end(ow) - w.begin(ow));
  }
  int64_t most_cells() const { return d.most_cells() * h.most_cells() * w.most_cells(); }
  int64_t overlap() const { return d.overlap() * h.overlap() * w.overlap(); }
};

/// Columns [planes, kernel d, h, w, output d, h, w] of images [planes, input d, h, w].
struct UnfoldShape : WindowAxes {
  int64_t planes = 0;
};

}  // namespace ordo::kernels

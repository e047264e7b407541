// Boxes on images and the bins they are cut into. Internal; shared by both devices.
#pragma once

#include <cstdint>

#include <ordo/engine/tensor/dtype.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/kernels/math/math.h>
#include <ordo/kernels/windows/windows.h>

namespace ordo::kernels {

inline constexpr int64_t kBoxNumbers = 5;  // image, x1, y1, x2, y2

/// An input [images, channels, height, width], and bins [boxes, channels, rows, columns].
struct RoiShape {
  int64_t images = 0, channels = 0, height = 0, width = 0;
  int64_t boxes = 0, rows = 0, columns = 0;
  ORDO_HD int64_t cells() const { return height * width; }
  ORDO_HD int64_t bins() const { return rows * columns; }
  ORDO_HD int64_t outputs() const { return boxes * channels * bins(); }
  /// An output: box, channel, row and column.
  ORDO_HD VolumeCell output(int64_t i) const { return {i, channels, rows, columns}; }
};

/// The number of a box's image without its fraction; -1 for what can be none.
template <class V>
ORDO_HD int64_t box_image(V number) {
  return number > V(-1) && number < V(1e15) ? int64_t(number) : -1;
}

/// The nearest cell, halves away from zero. What is no cell's number (NaN apart, which is 0) is a far one.
template <class V>
ORDO_HD int64_t nearest_cell(V at) {
  constexpr V kFar = V(1 << 30);
  const V size = math::abs(at), below = math::floor(size);
  V cell = size - below >= V(0.5) ? below + V(1) : below;
  if (!(cell <= kFar)) cell = at == at ? kFar : V(0);
  return at < V(0) ? -int64_t(cell) : int64_t(cell);
}

/// Those of bin `bin` of `bins`, where the box goes from cell `first` to `last`, or is one cell where that is before.
/// In whole numbers: a bin does not depend on how a division rounds.
ORDO_HD AxisCells roi_cells(int64_t first, int64_t last, int64_t bin, int64_t bins, int64_t size) {
  const int64_t extent = last > first ? last - first + 1 : 1;
  const int64_t begin = first + quotient(bin * extent, bins),
                end = first + quotient((bin + 1) * extent + bins - 1, bins);
  return {begin < 0 ? 0 : begin < size ? begin : size, end < 0 ? 0 : end < size ? end : size};
}

/// The two cells around a sample, and how much each counts; -1 where the sample lies outside.
template <class V>
struct RoiTap {
  int64_t low, high;
  V at_low, at_high;
};

struct RoiAlignRules {
  double scale = 1;
  int64_t sampling_ratio = -1;
  bool aligned = false;
};

/// A box along one axis of `cells` cells, cut into bins with `grid` samples each.
template <class V>
struct RoiAxis {
  V start, bin;
  int64_t cells, grid;
  bool adaptive;  // samples as many as cells: at most one cell apart

  ORDO_HD RoiAxis(V from, V to, int64_t bins, int64_t size, const RoiAlignRules& rules) : cells(size) {
    const V offset = rules.aligned ? V(0.5) : V(0);
    start = from * V(rules.scale) - offset;
    V extent = to * V(rules.scale) - offset - start;
    if (!rules.aligned && extent < V(1)) extent = V(1);
    bin = extent / V(bins);
    adaptive = rules.sampling_ratio <= 0;
    const V needed = math::ceil(bin);
    grid = !adaptive ? rules.sampling_ratio : needed > V(0) ? (needed < V(1 << 30) ? int64_t(needed) : 1 << 30) : 0;
  }

  ORDO_HD V place(int64_t b, int64_t sample) const { return start + V(b) * bin + (V(sample) + V(0.5)) * bin / V(grid); }
  /// The samples [begin, end) of bin b of which some may lie inside: of a box that exceeds the input by far, few do.
  ORDO_HD AxisCells samples(int64_t b) const {
    if (!adaptive || grid == 0) return {0, grid};
    return samples_between(b, V(-1), V(cells));
  }
  /// Those that count in a cell, and a few more.
  ORDO_HD AxisCells samples_at(int64_t b, int64_t cell) const {
    return samples_between(b, V(cell - 1), V(cell == cells - 1 ? cells : cell + 1));
  }
  ORDO_HD RoiTap<V> tap(V at) const {
    if (!(at >= V(-1) && at <= V(cells))) return {-1, -1, V(0), V(0)};
    if (at < V(0)) at = V(0);
    const int64_t low = int64_t(at);
    if (low >= cells - 1) return {cells - 1, cells - 1, V(1), V(0)};
    const V above = at - V(low);
    return {low, low + 1, V(1) - above, above};
  }

 private:
  ORDO_HD AxisCells samples_between(int64_t b, V low, V high) const {
    constexpr V kMargin = V(4);  // for the rounding of this estimate
    const V first = start + V(b) * bin, step = bin / V(grid);
    const int64_t begin = sample_number((low - first) / step - kMargin);
    const int64_t end = sample_number((high - first) / step + kMargin);
    return {begin, end > begin ? end : begin};
  }
  ORDO_HD int64_t sample_number(V at) const { return at > V(0) ? (at < V(grid) ? int64_t(at) : grid) : 0; }
};

/// What a bin adds to along an axis: a cell, -1 for none, and how much. With a sampling_ratio these are the low and the
/// high cell of each sample. Without one samples are a cell apart at most, and share cells: there it is each cell once,
/// with the sum of what its samples count.
template <class V>
struct RoiEntry {
  int64_t cell;
  V weight;
};

template <class V>
class RoiEntries {
 public:
  ORDO_HD RoiEntries(const RoiAxis<V>& axis, int64_t bin) : axis_(axis), bin_(bin), first_(0), count_(2 * axis.grid) {
    if (!axis.adaptive) return;
    AxisCells range = axis.samples(bin);
    while (range.begin < range.end && tap(range.begin).low < 0) ++range.begin;
    while (range.begin < range.end && tap(range.end - 1).low < 0) --range.end;
    first_ = range.begin < range.end ? tap(range.begin).low : 0;
    count_ = range.begin < range.end ? tap(range.end - 1).high - first_ + 1 : 0;
  }
  ORDO_HD int64_t count() const { return count_; }
  ORDO_HD RoiEntry<V> operator[](int64_t i) const {
    if (!axis_.adaptive) {
      const RoiTap<V> sample = tap(i / 2);
      return i % 2 == 0 ? RoiEntry<V>{sample.low, sample.at_low} : RoiEntry<V>{sample.high, sample.at_high};
    }
    const int64_t cell = first_ + i;
    const AxisCells range = axis_.samples_at(bin_, cell);
    V weight = V(0);
    for (int64_t k = range.begin; k < range.end; ++k) {
      const RoiTap<V> sample = tap(k);
      if (sample.low == cell) weight += sample.at_low;
      if (sample.high == cell) weight += sample.at_high;
    }
    return {cell, weight};
  }

 private:
  ORDO_HD RoiTap<V> tap(int64_t sample) const { return axis_.tap(axis_.place(bin_, sample)); }
  const RoiAxis<V>& axis_;
  int64_t bin_, first_, count_;
};

/// How many entries the bins before `bin` have.
template <class V>
ORDO_HD int64_t entries_before(const RoiAxis<V>& axis, int64_t bin) {
  if (!axis.adaptive) return bin * 2 * axis.grid;
  int64_t sum = 0;
  for (int64_t b = 0; b < bin; ++b) sum += RoiEntries<V>(axis, b).count();
  return sum;
}

template <class V>
struct RoiBox {
  RoiAxis<V> y, x;
  V count;  // of the samples of a bin, 1 at least

  template <class T>
  ORDO_HD RoiBox(const RoiShape& s, const RoiAlignRules& rules, const T* box)
      : y(V(box[2]), V(box[4]), s.rows, s.height, rules), x(V(box[1]), V(box[3]), s.columns, s.width, rules) {
    const int64_t samples = y.grid * x.grid;
    count = V(samples > 1 ? samples : 1);
  }
};

/// The input at a sample: its corners, the low row's first.
template <class V, class T>
ORDO_HD V roi_sample(const T* plane, int64_t width, const RoiTap<V>& y, const RoiTap<V>& x) {
  const T *const low = plane + y.low * width, *const high = plane + y.high * width;
  return y.at_low * x.at_low * V(low[x.low]) + y.at_low * x.at_high * V(low[x.high]) +
         y.at_high * x.at_low * V(high[x.low]) + y.at_high * x.at_high * V(high[x.high]);
}

}  // namespace ordo::kernels

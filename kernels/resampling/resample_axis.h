// Which cells of an axis a resampled cell is made of, with which weights, and the other way round. Internal; shared by
// both devices.
#pragma once

#include <cmath>
#include <cstdint>

#include <ordo/engine/tensor/dtype.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/kernels/ordering/partition_point.h>
#include <ordo/kernels/windows/windows.h>

namespace ordo::kernels {

enum class Resample : unsigned char { nearest, nearest_exact, linear, cubic };

inline constexpr int kMostTaps = 4;

/// Output o is the sum of `taps()` cells from first(o) on, each moved to the nearest that exists.
template <class V>
struct ResampleAxis {
  int64_t input = 1, output = 1;
  Resample kind = Resample::nearest;
  bool align_corners = false;
  bool whole = true;  // nearest: every output is its own cell
  V scale = 1;        // cells per output; nearest: of float's precision

  ORDO_HD int taps() const { return kind == Resample::cubic ? 4 : kind == Resample::linear ? 2 : 1; }
  ORDO_HD int64_t cell(int64_t i) const { return i < 0 ? 0 : i >= input ? input - 1 : i; }

  ORDO_HD static V near(V x) { return ((V(-0.75) + V(2)) * x - (V(-0.75) + V(3))) * x * x + V(1); }
  ORDO_HD static V far(V x) { return ((V(-0.75) * x - V(5) * V(-0.75)) * x + V(8) * V(-0.75)) * x - V(4) * V(-0.75); }

  /// The first cell, which may lie outside; `fraction` says how far the output is from it, or from the next in cubic.
  ORDO_HD int64_t first(int64_t o, V& fraction) const {
    fraction = V(0);
    if (kind == Resample::nearest || kind == Resample::nearest_exact) {
      if (whole) return o;
      const float at = kind == Resample::nearest ? float(o) * float(scale) : (float(o) + 0.5f) * float(scale);
      return cell(int64_t(std::floor(at)));
    }
    V at = align_corners ? scale * V(o) : scale * (V(o) + V(0.5)) - V(0.5);
    if (kind == Resample::linear && at < V(0)) at = V(0);
    const V below = std::floor(at);
    int64_t i = int64_t(below);
    if (kind == Resample::linear && i > input - 1) i = input - 1;
    fraction = at - V(i);
    if (fraction < V(0)) fraction = V(0);
    if (fraction > V(1)) fraction = V(1);
    return kind == Resample::cubic ? i - 1 : i;
  }
  ORDO_HD int64_t first(int64_t o) const {
    V fraction;
    return first(o, fraction);
  }
  ORDO_HD void weights(V fraction, V* w) const {
    if (kind == Resample::linear) {
      w[0] = V(1) - fraction;
      w[1] = fraction;
    } else if (kind == Resample::cubic) {
      const V rest = V(1) - fraction;
      w[0] = far(fraction + V(1));
      w[1] = near(fraction);
      w[2] = near(rest);
      w[3] = far(rest + V(1));
    } else {
      w[0] = V(1);
    }
  }

  /// The first output that reaches cell i or, with `beyond`, that lies beyond it: first() ascends.
  ORDO_HD int64_t reaching(int64_t i, bool beyond) const {
    return partition_point(0, output, [&](int64_t o) {
      const int64_t from = first(o);
      return beyond ? cell(from) <= i : cell(from + taps() - 1) < i;
    });
  }
};

/// An axis with its numbers computed: the weights of each output and, for gradients, the outputs [begin[i], end[i]) of
/// each cell.
template <class V>
struct ResampleTable {
  ResampleAxis<V> axis;
  int64_t *first = nullptr, *begin = nullptr, *end = nullptr;
  V* weights = nullptr;  // [output, taps]; for gradients of the cells from cell(first) on, each once

  ORDO_HD int64_t count() const { return axis.input > axis.output ? axis.input : axis.output; }
  /// What output o has of cell i, one that it reaches; for gradients.
  ORDO_HD V weight(int64_t o, int64_t i) const { return weights[o * axis.taps() + (i - axis.cell(first[o]))]; }

  ORDO_HD void fill(int64_t n, bool gradient) const {
    const int taps = axis.taps();
    if (n < axis.output) {
      V fraction;
      const int64_t from = axis.first(n, fraction);
      first[n] = from;
      V w[kMostTaps], sums[kMostTaps] = {};
      axis.weights(fraction, w);
      for (int k = 0; k < taps; ++k) sums[gradient ? axis.cell(from + k) - axis.cell(from) : k] += w[k];
      for (int k = 0; k < taps; ++k) weights[n * taps + k] = sums[k];
    }
    if (gradient && n < axis.input) {
      begin[n] = axis.reaching(n, false);
      end[n] = axis.reaching(n, true);
    }
  }
};

template <class V>
struct ResampleTables {
  ResampleTable<V> d, h, w;
  bool gradient;
  ORDO_HD int64_t count() const { return d.count() + h.count() + w.count(); }
  ORDO_HD void operator()(int64_t n) const {
    if (n < w.count()) return w.fill(n, gradient);
    n -= w.count();
    if (n < h.count()) return h.fill(n, gradient);
    d.fill(n - h.count(), gradient);
  }
};

}  // namespace ordo::kernels

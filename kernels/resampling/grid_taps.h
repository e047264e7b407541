// Which cells of an axis a coordinate of a grid stands between, with which weights and slopes. Internal; shared by both
// devices.
#pragma once

#include <cmath>
#include <cstdint>

#include <ordo/engine/dtype.h>
#include <ordo/engine/host_device.h>
#include <ordo/kernels/resampling/grid_padding.h>
#include <ordo/kernels/resampling/resample_axis.h>

namespace ordo::kernels {

/// A coordinate's cells, -1 for one that is outside; what each counts, and how that changes with the coordinate.
template <class V>
struct GridTaps {
  int64_t cell[kMostTaps];
  V weight[kMostTaps], slope[kMostTaps];
};

struct GridRules {
  Resample kind = Resample::linear;
  GridPadding padding = GridPadding::zeros;
  bool align_corners = false;
};

template <class V>
class GridAxis {
 public:
  ORDO_HD GridAxis(const GridRules& rules, int64_t size) : rules_(rules), size_(size) {}

  ORDO_HD GridTaps<V> taps(V coordinate) const {
    GridTaps<V> t;
    const V cells = V(size_);
    V slope = rules_.align_corners ? (cells - V(1)) / V(2) : cells / V(2);
    V at = rules_.align_corners ? (coordinate + V(1)) / V(2) * (cells - V(1))
                                : ((coordinate + V(1)) * cells - V(1)) / V(2);
    if (rules_.kind == Resample::cubic) {
      at = countable(at);
      const V below = std::floor(at), f = at - below, rest = V(1) - f;
      using Axis = ResampleAxis<V>;
      const V weights[] = {Axis::far(f + V(1)), Axis::near(f), Axis::near(rest), Axis::far(rest + V(1))};
      const V slopes[] = {far_slope(f + V(1)), near_slope(f), -near_slope(rest), -far_slope(rest + V(1))};
      for (int k = 0; k < 4; ++k) {
        V ignored = V(1);
        t.cell[k] = cell(countable(inside(below + V(k - 1), ignored)));
        t.weight[k] = weights[k];
        t.slope[k] = slopes[k] * slope;
      }
      return t;
    }
    at = countable(inside(at, slope));
    if (rules_.kind == Resample::linear) {
      const V below = std::floor(at), above = below + V(1);
      t.cell[0] = cell(below);
      t.cell[1] = cell(above);
      t.weight[0] = above - at;
      t.weight[1] = at - below;
      t.slope[0] = -slope;
      t.slope[1] = slope;
    } else {
      t.cell[0] = cell(std::nearbyint(at));
      t.weight[0] = V(1);
      t.slope[0] = V(0);
    }
    return t;
  }

 private:
  /// What no cell number can be (NaN, infinities) lies outside.
  ORDO_HD static V countable(V at) { return at >= V(-2147483648.0) && at <= V(2147483520.0) ? at : V(-100); }
  ORDO_HD int64_t cell(V at) const {
    const int64_t i = int64_t(at);
    return i >= 0 && i < size_ ? i : -1;
  }
  ORDO_HD static V near_slope(V x) { return (V(3) * V(1.25) * x - V(2) * V(2.25)) * x; }
  ORDO_HD static V far_slope(V x) { return (V(3) * V(-0.75) * x - V(10) * V(-0.75)) * x + V(8) * V(-0.75); }

  /// Moves what lies outside into the input, as the padding says; `slope` is multiplied by how far it then moves.
  ORDO_HD V inside(V at, V& slope) const {
    if (rules_.padding == GridPadding::zeros) return at;
    if (rules_.padding == GridPadding::reflection)
      at = rules_.align_corners ? mirrored(at, V(0), V(size_ - 1), slope) : mirrored(at, V(-0.5), V(size_), slope);
    const V last = V(size_ - 1);
    if (at > V(0) && at < last) return at;
    slope = V(0);
    return at >= last ? last : V(0);
  }
  /// Reflected at `low` and low + span, as often as it takes.
  ORDO_HD static V mirrored(V at, V low, V span, V& slope) {
    if (span == V(0)) {
      slope = V(0);
      return V(0);
    }
    const bool below = at < low;
    const V away = below ? low - at : at - low;
    const V extra = std::fmod(away, span), flips = std::floor(away / span);
    const bool odd = flips - V(2) * std::floor(flips / V(2)) != V(0);
    if (below != odd) slope = -slope;
    return odd ? span - extra + low : extra + low;
  }

  GridRules rules_;
  int64_t size_;
};

/// Everything of a [samples, channels, d, h, w] input and a [samples, positions, rank] grid.
struct GridShape {
  GridRules rules;
  int rank = 2;
  int64_t samples = 0, channels = 0, positions = 0;
  int64_t d = 1, h = 1, w = 1;

  ORDO_HD int taps() const { return rules.kind == Resample::cubic ? 4 : rules.kind == Resample::linear ? 2 : 1; }
  ORDO_HD int corners() const {
    const int n = taps();
    return rank == 3 ? n * n * n : n * n;
  }
  ORDO_HD int64_t cells() const { return d * h * w; }
};

inline constexpr int kMostCorners = 16;

/// The corners of a place in the grid: their cells in the sample's planes, -1 for those outside, and weights; the
/// innermost dimension changes fastest.
template <class V>
struct GridCorners {
  int64_t cell[kMostCorners];
  V weight[kMostCorners];
};

template <class V>
struct GridPlace {
  GridTaps<V> x, y, z;
  int taps, layers;

  template <class T>
  ORDO_HD GridPlace(const GridShape& s, const T* coordinates) : taps(s.taps()), layers(s.rank == 3 ? s.taps() : 1) {
    x = GridAxis<V>(s.rules, s.w).taps(V(coordinates[0]));
    y = GridAxis<V>(s.rules, s.h).taps(V(coordinates[1]));
    if (s.rank == 3) {
      z = GridAxis<V>(s.rules, s.d).taps(V(coordinates[2]));
    } else {
      z.cell[0] = 0;
      z.weight[0] = V(1);
      z.slope[0] = V(0);
    }
  }
  ORDO_HD GridCorners<V> corners(const GridShape& s) const {
    GridCorners<V> c;
    int n = 0;
    for (int k = 0; k < layers; ++k)
      for (int j = 0; j < taps; ++j)
        for (int i = 0; i < taps; ++i, ++n) {
          const bool there = x.cell[i] >= 0 && y.cell[j] >= 0 && z.cell[k] >= 0;
          c.cell[n] = there ? (z.cell[k] * s.h + y.cell[j]) * s.w + x.cell[i] : -1;
          c.weight[n] = x.weight[i] * y.weight[j] * z.weight[k];
        }
    return c;
  }
};

}  // namespace ordo::kernels

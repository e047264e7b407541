// Values of an image at the places of a grid, on plain tensors. The differentiable function is in
// <ordo/autograd/ops/functional/resampling.h>.
#pragma once

#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/engine/tensor/no_unroll.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/math/math.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/resampling/modes.h>
#include <ordo/kernels/resampling/resample_axis.h>

namespace ordo::kernels {

struct GridRules {
  Resample kind = Resample::linear;
  GridPadding padding = GridPadding::zeros;
  bool align_corners = false;
};

inline void report(ordo::detail::OpArguments& call, const GridRules& rules) {
  call.add(rules.kind);
  call.add(rules.padding);
  call.add(rules.align_corners);
}

/// ValueError but for nearest, bilinear and bicubic.
GridRules grid_rules(InterpolateMode mode, GridPadding padding, bool align_corners);

Tensor grid_sample(const Tensor& input, const Tensor& grid, const GridRules& rules);
/// The gradient with respect to an input of `input_sizes`.
Tensor grid_sample_backward_input(const Tensor& grad, const Tensor& grid, const Dims& input_sizes,
                                  const GridRules& rules, Algorithm algorithm = Algorithm::automatic);
Tensor grid_sample_backward_grid(const Tensor& grad, const Tensor& input, const Tensor& grid, const GridRules& rules);

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

// Per device. Everything is contiguous. `rows` is [samples, positions, channels]; `output` is
// [samples, cells, channels], zeros that are added to.
ORDO_DEVICES(void, grid_sample, const Tensor& input, const Tensor& grid, const Tensor& output, const GridShape& shape)
ORDO_DEVICES(void, grid_sample_backward_input, const Tensor& rows, const Tensor& grid, const Tensor& output,
             const GridShape& shape, Algorithm algorithm)
ORDO_DEVICES(void, grid_sample_backward_grid, const Tensor& grad, const Tensor& input, const Tensor& grid,
             const Tensor& output, const GridShape& shape)

// Which cells of an axis a coordinate of a grid stands between, with which weights and slopes; what the places of a
// grid compute, and what they add to. Shared by both devices.

/// A coordinate's cells, -1 for one that is outside, and what each counts, or how that changes with the coordinate.
template <class V>
struct GridTaps {
  int32_t cell[kMostTaps];
  V weight[kMostTaps];
};

template <class V>
class GridAxis {
 public:
  ORDO_HD GridAxis(const GridRules& rules, int64_t size) : rules_(rules), size_(size) {}

  /// With slopes in place of the weights where asked for.
  ORDO_HD void find(V coordinate, bool slopes, GridTaps<V>& t) const {
    const V cells = V(size_);
    V slope = rules_.align_corners ? (cells - V(1)) / V(2) : cells / V(2);
    V at = rules_.align_corners ? (coordinate + V(1)) / V(2) * (cells - V(1))
                                : ((coordinate + V(1)) * cells - V(1)) / V(2);
    if (rules_.kind == Resample::cubic) {
      at = countable(at);
      const V below = math::floor(at), f = at - below, rest = V(1) - f;
      for (int k = 0; k < 4; ++k) {
        V ignored = V(1);
        t.cell[k] = cell(countable(inside(below + V(k - 1), ignored)));
      }
      using Axis = ResampleAxis<V>;
      t.weight[0] = slopes ? far_slope(f + V(1)) * slope : Axis::far(f + V(1));
      t.weight[1] = slopes ? near_slope(f) * slope : Axis::near(f);
      t.weight[2] = slopes ? -near_slope(rest) * slope : Axis::near(rest);
      t.weight[3] = slopes ? -far_slope(rest + V(1)) * slope : Axis::far(rest + V(1));
      return;
    }
    at = countable(inside(at, slope));
    if (rules_.kind == Resample::linear) {
      const V below = math::floor(at), above = below + V(1);
      t.cell[0] = cell(below);
      t.cell[1] = cell(above);
      t.weight[0] = slopes ? -slope : above - at;
      t.weight[1] = slopes ? slope : at - below;
    } else {
      t.cell[0] = cell(math::round_even(at));
      t.weight[0] = slopes ? V(0) : V(1);
    }
  }

 private:
  /// What no cell number can be (NaN, infinities) lies outside.
  ORDO_HD static V countable(V at) { return at >= V(-2147483648.0) && at <= V(2147483520.0) ? at : V(-100); }
  ORDO_HD int32_t cell(V at) const {  // countable() lies in range
    const auto i = int32_t(at);
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
    const V extra = math::fmod(away, span), flips = math::floor(away / span);
    const bool odd = flips - V(2) * math::floor(flips / V(2)) != V(0);
    if (below != odd) slope = -slope;
    return odd ? span - extra + low : extra + low;
  }

  GridRules rules_;
  int64_t size_;
};

template <class V>
struct GridPlace {
  GridTaps<V> x, y, z;
  int taps, layers;

  /// `sloped`: the axis, 0 for x, that has slopes in place of weights; -1 for none.
  template <class T>
  ORDO_HD GridPlace(const GridShape& s, const T* coordinates, int sloped = -1)
      : taps(s.taps()), layers(s.rank == 3 ? s.taps() : 1) {
    GridAxis<V>(s.rules, s.w).find(V(coordinates[0]), sloped == 0, x);
    GridAxis<V>(s.rules, s.h).find(V(coordinates[1]), sloped == 1, y);
    if (s.rank == 3) {
      GridAxis<V>(s.rules, s.d).find(V(coordinates[2]), sloped == 2, z);
    } else {
      z.cell[0] = 0;
      z.weight[0] = V(1);
    }
  }
  /// Calls f(corner, cell, weight) for every corner, the innermost dimension fastest: the cell in a plane, -1 for one
  /// that is outside.
  template <class F>
  ORDO_HD void each_corner(const GridShape& s, const F& f) const {
    int n = 0;
    ORDO_NO_UNROLL
    for (int k = 0; k < layers; ++k) {
      ORDO_NO_UNROLL
      for (int j = 0; j < taps; ++j) {
        ORDO_NO_UNROLL
        for (int i = 0; i < taps; ++i, ++n) {
          const bool there = x.cell[i] >= 0 && y.cell[j] >= 0 && z.cell[k] >= 0;
          f(n, there ? (z.cell[k] * s.h + y.cell[j]) * s.w + x.cell[i] : int64_t(-1),
            x.weight[i] * y.weight[j] * z.weight[k]);
        }
      }
    }
  }
  /// The cells of the place in one plane, weighted and added to zero in their order.
  template <class T>
  ORDO_HD V weighted(const GridShape& s, const T* plane) const {
    V sum = V(0);
    each_corner(s, [&](int, int64_t cell, V weight) {
      if (cell >= 0) sum += weight * V(plane[cell]);
    });
    return sum;
  }
};

template <class T>
struct GridSampleElement {
  GridShape s;
  const T *input, *grid;
  T* output;
  ORDO_HD void operator()(int64_t i) const {
    using V = accumulate_t<T>;
    const int64_t sample = quotient(i, s.positions), position = i - sample * s.positions;
    const GridPlace<V> at(s, grid + i * s.rank);
    const T* plane = input + sample * s.channels * s.cells();
    T* to = output + sample * s.channels * s.positions + position;
    ORDO_NO_UNROLL
    for (int64_t c = 0; c < s.channels; ++c, plane += s.cells(), to += s.positions) *to = T(at.weighted(s, plane));
  }
};

/// The gradient of a place's coordinates: for each, rule 1 over the channels.
template <class T>
struct GridGradientElement {
  GridShape s;
  const T *grad, *input, *grid;
  T* output;
  ORDO_HD void operator()(int64_t i) const {
    using V = accumulate_t<T>;
    const int64_t sample = quotient(i, s.positions), position = i - sample * s.positions;
    ORDO_NO_UNROLL
    for (int axis = 0; axis < s.rank; ++axis) {
      const GridPlace<V> place(s, grid + i * s.rank, axis);
      const T* plane = input + sample * s.channels * s.cells();
      const T* from = grad + sample * s.channels * s.positions + position;
      OrderedSum<V> sum;
      ORDO_NO_UNROLL
      for (int64_t c = 0; c < s.channels; ++c, plane += s.cells(), from += s.positions)
        sum.push(V(*from) * place.weighted(s, plane));
      output[i * s.rank + axis] = T(sum.result());
    }
  }
};

/// The items of a place: a cell, -1 for none, and a weight for each corner.
template <class T>
struct GridItemsElement {
  GridShape s;
  const T* grid;
  int64_t* cells;
  accumulate_t<T>* weights;
  ORDO_HD void operator()(int64_t i) const {
    const int corners = s.corners();
    const int64_t plane = quotient(i, s.positions) * s.cells();
    const GridPlace<accumulate_t<T>> at(s, grid + i * s.rank);
    at.each_corner(s, [&](int k, int64_t cell, accumulate_t<T> weight) {
      cells[i * corners + k] = cell < 0 ? -1 : plane + cell;
      weights[i * corners + k] = weight;
    });
  }
};

}  // namespace ordo::kernels

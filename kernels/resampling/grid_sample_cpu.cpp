#include <algorithm>
#include <cstdint>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/accumulate/keyed.h>
#include <ordo/kernels/ordering/ordered_row_cpu.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/resampling/grid_sample.h>

namespace ordo::kernels::cpu {
namespace {

// Corners that are found before the channels are gone through: many, so that a plane is in the cache for all of them.
constexpr int kCorners = 1024;
int block_places(const GridShape& s) { return kCorners / s.corners(); }

/// The taps of some places along one axis: tap k of place p stands at k * block_places() + p.
template <class V>
struct AxisBlock {
  int32_t cells[kCorners];
  V weights[kCorners];
};

/// With the rules being constants the loop vectorises.
template <class V, Resample kKind, bool kPadded, class T>
[[gnu::flatten]] void find_as(const GridShape& s, int axis, bool slopes, const T* grid, int places, AxisBlock<V>& to) {
  constexpr int kTaps = kKind == Resample::cubic ? 4 : kKind == Resample::linear ? 2 : 1;
  GridRules rules = s.rules;
  rules.kind = kKind;
  if (!kPadded) rules.padding = GridPadding::zeros;
  const GridAxis<V> of(rules, axis == 0 ? s.w : axis == 1 ? s.h : s.d);
  const int stride = block_places(s), rank = s.rank;
  for (int p = 0; p < places; ++p) {
    GridTaps<V> t;
    of.find(V(grid[p * rank + axis]), slopes, t);
    for (int k = 0; k < kTaps; ++k) {
      to.cells[k * stride + p] = t.cell[k];
      to.weights[k * stride + p] = t.weight[k];
    }
  }
}

template <class V, class T>
void find(const GridShape& s, int axis, bool slopes, const T* grid, int places, AxisBlock<V>& to) {
  const bool padded = s.rules.padding != GridPadding::zeros;
  const auto as = [&]<Resample kKind>() {
    (padded ? find_as<V, kKind, true, T> : find_as<V, kKind, false, T>)(s, axis, slopes, grid, places, to);
  };
  if (s.rules.kind == Resample::linear)
    as.template operator()<Resample::linear>();
  else if (s.rules.kind == Resample::cubic)
    as.template operator()<Resample::cubic>();
  else
    as.template operator()<Resample::nearest>();
}

/// The corners of some places in a sample's planes of less than 2^31 cells: corner k of place p at k * stride + p.
template <class V>
class PlaceBlock {
 public:
  const int places, stride;
  int32_t cells[kCorners];  // -1 outside
  V weights[kCorners];

  template <class T>
  PlaceBlock(const GridShape& s, const T* grid, int count) : places(count), stride(block_places(s)), s_(s) {
    for (int axis = 0; axis < s.rank; ++axis) find(s, axis, false, grid, places, axes_[axis]);
    const auto h = int32_t(s.h), w = int32_t(s.w);
    each_corner([&](int n, int i, int j, int k) {
      const int32_t *x = axes_[0].cells + i, *y = axes_[1].cells + j, *z = axes_[2].cells + k;
      for (int p = 0; p < places; ++p) {
        const int32_t row = s_.rank == 2 ? y[p] : z[p] * h + y[p];
        const bool there = x[p] >= 0 && y[p] >= 0 && (s_.rank == 2 || z[p] >= 0);
        cells[n + p] = there ? row * w + x[p] : -1;
        from_[n + p] = there ? row * w + x[p] : 0;
      }
    });
    weigh(axes_[0], axes_[1], axes_[2], weights);
  }

  /// The weights as they change with a coordinate.
  template <class T>
  void slopes(int axis, const T* grid, V* to) const {
    AxisBlock<V> sloped;
    find(s_, axis, true, grid, places, sloped);
    weigh(axis == 0 ? sloped : axes_[0], axis == 1 ? sloped : axes_[1], axis == 2 ? sloped : axes_[2], to);
  }

  /// What the corners have in a plane; anything where they are outside.
  template <class T>
  void fetch(const T* plane, T* values) const {
    // The next plane comes meanwhile, for which nothing else asks in time: it is read in no order.
    constexpr int64_t kLine = 64 / sizeof(T);
    if (s_.cells() <= kCorners * kLine)
      for (int64_t i = 0; i < s_.cells(); i += kLine) __builtin_prefetch(plane + s_.cells() + i, 0, 2);
    constexpr int kStep = 8;
    for (int n = 0; n < kCorners; n += stride) {
      const int32_t* const from = from_ + n;
      T* const to = values + n;
      const auto one = [&](int p) {
        asm volatile("");  // one by one: to gather them takes longer
        to[p] = plane[from[p]];
      };
      int p = 0;
      for (; p + kStep <= places; p += kStep)
        for (int k = 0; k < kStep; ++k) one(p + k);
      for (; p < places; ++p) one(p);
    }
  }
  /// sums[p] = a place's values, weighted and added to zero.
  template <class T>
  void add(const T* values, const V* w, V* sums) const {
    for (int n = 0; n < kCorners; n += stride)
      for (int p = 0; p < places; ++p) {
        const V value = w[n + p] * V(values[n + p]), before = n == 0 ? V(0) : sums[p];
        sums[p] = before + (cells[n + p] < 0 ? V(0) : value);  // to add +0 is to leave it out: a sum is never -0
      }
  }

 private:
  /// f(corner, x, y, z): where the first place's are.
  template <class F>
  void each_corner(const F& f) const {
    const int taps = s_.taps() * stride, layers = s_.rank == 3 ? taps : stride;
    int n = 0;
    for (int k = 0; k < layers; k += stride)
      for (int j = 0; j < taps; j += stride)
        for (int i = 0; i < taps; i += stride, n += stride) f(n, i, j, k);
  }
  void weigh(const AxisBlock<V>& x, const AxisBlock<V>& y, const AxisBlock<V>& z, V* to) const {
    each_corner([&](int n, int i, int j, int k) {
      for (int p = 0; p < places; ++p) to[n + p] = x.weights[i + p] * y.weights[j + p];
      if (s_.rank == 3)
        for (int p = 0; p < places; ++p) to[n + p] *= z.weights[k + p];
    });
  }

  const GridShape s_;
  int32_t from_[kCorners];  // cells, 0 outside
  AxisBlock<V> axes_[3];
};

/// f(sample, first, places) for all blocks of places, each of which takes `work` steps.
template <class F>
void for_blocks(const GridShape& s, int64_t work, const F& f) {
  const int64_t places = block_places(s), blocks = (s.positions + places - 1) / places;
  parallel_for(0, s.samples * blocks, row_grain(places * work), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const int64_t first = b % blocks * places;
      f(b / blocks, first, int(std::min(places, s.positions - first)));
    }
  });
}

}  // namespace

void grid_sample(const Tensor& input, const Tensor& grid, const Tensor& output, const GridShape& s) {
  dispatch_floating("grid_sample", input.dtype(), [&]<class T>() {
    using V = accumulate_t<T>;
    const GridSampleElement<T> f{s, input.data<T>(), grid.data<T>(), output.data<T>()};
    if (s.cells() > INT32_MAX) return each(s.samples * s.positions, f);
    for_blocks(s, s.channels, [&](int64_t sample, int64_t first, int places) {
      const PlaceBlock<V> block(s, f.grid + (sample * s.positions + first) * s.rank, places);
      T values[kCorners];
      V sums[kCorners];
      for (int64_t c = sample * s.channels; c < (sample + 1) * s.channels; ++c) {
        T* const to = f.output + c * s.positions + first;
        if (s.corners() == 1) {  // with a weight of 1
          block.fetch(f.input + c * s.cells(), to);
          for (int p = 0; p < places; ++p) to[p] = T(V(0) + (block.cells[p] < 0 ? V(0) : V(to[p])));
          continue;
        }
        block.fetch(f.input + c * s.cells(), values);
        block.add(values, block.weights, sums);
        for (int p = 0; p < places; ++p) to[p] = T(sums[p]);
      }
    });
  });
}

void grid_sample_backward_input(const Tensor& rows, const Tensor& grid, const Tensor& output, const GridShape& s,
                                Algorithm algorithm) {
  dispatch_floating("grid_sample_backward", rows.dtype(), [&]<class T>() {
    // Threads take whole samples where each gets about as many: what a sample needs then stays in the caches of its
    // core. Else they share what is in each.
    constexpr int64_t kEven = 4;  // so many for each thread are shared out about evenly
    const int64_t threads = pieces_for(s.samples * s.positions * s.channels, 16 * 1024);
    const bool whole = s.samples >= kEven * threads || s.samples % threads == 0;
    parallel_for(0, s.samples, whole ? 1 : s.samples, [&](int64_t begin, int64_t end) {
      const int64_t places = (end - begin) * s.positions, items = places * s.corners();
      const Scratch<int64_t> cells(items, Device());
      const Scratch<accumulate_t<T>> weights(items, Device());
      const T* const from = grid.data<T>() + begin * s.positions * s.rank;
      each(places, GridItemsElement<T>{s, from, cells.data(), weights.data()});
      add_weighted_rows(items, cells.data(), weights.data(), nullptr, s.corners(),
                        views::narrow(rows, 0, begin, end - begin), views::narrow(output, 0, begin, end - begin),
                        algorithm);
    });
  });
}

void grid_sample_backward_grid(const Tensor& grad, const Tensor& input, const Tensor& grid, const Tensor& output,
                               const GridShape& s) {
  dispatch_floating("grid_sample_backward", grad.dtype(), [&]<class T>() {
    using V = accumulate_t<T>;
    const GridGradientElement<T> f{s, grad.data<T>(), input.data<T>(), grid.data<T>(), output.data<T>()};
    if (s.cells() > INT32_MAX) return each(s.samples * s.positions, f);
    for_blocks(s, 4 * s.channels, [&](int64_t sample, int64_t first, int places) {
      const int64_t at = (sample * s.positions + first) * s.rank;
      const PlaceBlock<V> block(s, f.grid + at, places);
      V slopes[3][kCorners];
      for (int axis = 0; axis < s.rank; ++axis) block.slopes(axis, f.grid + at, slopes[axis]);
      T values[kCorners];
      V one[kCorners];
      OrderedRows<V> sums[3] = {OrderedRows<V>(places), OrderedRows<V>(places), OrderedRows<V>(places)};
      for (int64_t c = 0; c < s.channels; ++c) {
        const T* const from = f.grad + (sample * s.channels + c) * s.positions + first;
        block.fetch(f.input + (sample * s.channels + c) * s.cells(), values);
        for (int axis = 0; axis < s.rank; ++axis) {
          block.add(values, slopes[axis], one);
          sums[axis].add([&](int p) { return V(from[p]) * one[p]; });
        }
      }
      for (int axis = 0; axis < s.rank; ++axis) {
        const V* const sum = sums[axis].finish();
        for (int p = 0; p < places; ++p) f.output[at + p * s.rank + axis] = T(sum[p]);
      }
    });
  });
}

}  // namespace ordo::kernels::cpu

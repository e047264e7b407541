#include <algorithm>
#include <cstdint>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/memory.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/resampling/grid_items.h>
#include <ordo/kernels/resampling/grid_sample.h>
#include <ordo/kernels/resampling/rows_cpu.h>
#include <ordo/kernels/resampling/weighted_rows.h>

namespace ordo::kernels::cpu {
namespace {

constexpr int64_t kPlaces = 64;  // places whose corners are found before the channels are gone through

/// The corners of some places, corner by corner, so that the places of one stand side by side.
template <class V>
struct PlaceBlock {
  int32_t cells[kMostCorners][kPlaces];
  V weights[kMostCorners][kPlaces];
};

template <class T>
void sample_places(const GridShape& s, const T* input, const T* grid, T* output) {
  using V = accumulate_t<T>;
  const int64_t blocks = (s.positions + kPlaces - 1) / kPlaces;
  const int corners = s.corners();
  parallel_for(0, s.samples * blocks, row_grain(kPlaces * s.channels), [&](int64_t begin, int64_t end) {
    PlaceBlock<V> block;
    for (int64_t b = begin; b < end; ++b) {
      const int64_t sample = b / blocks, first = b % blocks * kPlaces;
      const int places = int(std::min(kPlaces, s.positions - first));
      const T* const from = grid + (sample * s.positions + first) * s.rank;
      for (int i = 0; i < places; ++i) {
        const GridCorners<V> at = GridPlace<V>(s, from + i * s.rank).corners(s);
        for (int k = 0; k < corners; ++k) {
          block.cells[k][i] = int32_t(at.cell[k]);
          block.weights[k][i] = at.weight[k];
        }
      }
      for (int64_t c = 0; c < s.channels; ++c) {
        const T* const plane = input + (sample * s.channels + c) * s.cells();
        T* const to = output + (sample * s.channels + c) * s.positions + first;
        V sums[kPlaces];
        std::fill(sums, sums + places, V(0));
        for (int k = 0; k < corners; ++k)
          for (int i = 0; i < places; ++i) {
            const int32_t cell = block.cells[k][i];
            const V value = block.weights[k][i] * V(plane[cell < 0 ? 0 : cell]);
            sums[i] += cell < 0 ? V(0) : value;  // to add +0 is to leave it out: a sum is never -0
          }
        for (int i = 0; i < places; ++i) to[i] = T(sums[i]);
      }
    }
  });
}

}  // namespace

void grid_sample(const Tensor& input, const Tensor& grid, const Tensor& output, const GridShape& s) {
  dispatch_floating("grid_sample", input.dtype(), [&]<class T>() {
    if (s.cells() <= INT32_MAX)
      sample_places(s, input.data<T>(), grid.data<T>(), output.data<T>());
    else
      each(s.samples * s.positions, GridSampleElement<T>{s, input.data<T>(), grid.data<T>(), output.data<T>()});
  });
}

void grid_sample_backward_input(const Tensor& rows, const Tensor& grid, const Tensor& output, const GridShape& s,
                                Algorithm algorithm) {
  const int64_t places = s.samples * s.positions, items = places * s.corners();
  dispatch_floating("grid_sample_backward", rows.dtype(), [&]<class T>() {
    const Scratch<int64_t> cells(items, Device());
    const Scratch<accumulate_t<T>> weights(items, Device());
    each(places, GridItemsElement<T>{s, grid.data<T>(), cells.data(), weights.data()});
    add_weighted_rows({items, cells.data(), weights.data(), nullptr, s.corners()}, rows, output, algorithm);
  });
}

void grid_sample_backward_grid(const Tensor& grad, const Tensor& input, const Tensor& grid, const Tensor& output,
                               const GridShape& s) {
  dispatch_floating("grid_sample_backward", grad.dtype(), [&]<class T>() {
    const GridGradientElement<T> f{s, grad.data<T>(), input.data<T>(), grid.data<T>(), output.data<T>()};
    parallel_for(0, s.samples * s.positions, row_grain(8 * s.channels), [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) f(i);
    });
  });
}

}  // namespace ordo::kernels::cpu

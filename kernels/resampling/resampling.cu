#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/kernels/accumulate/keyed.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/resampling/grid_sample.h>
#include <ordo/kernels/resampling/interpolate.h>
#include <ordo/kernels/resampling/pad.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels {

/// An output: of every row of cells their weighted sum, left to right, and of these sums theirs, row by row.
template <class T>
struct InterpolateElement {
  ResampleTables<accumulate_t<T>> t;
  const T* input;
  T* output;
  ORDO_HD void operator()(int64_t i) const { output[i] = value(i); }
  ORDO_HD T value(int64_t i) const {
    using V = accumulate_t<T>;
    const VolumeCell at(i, t.d.axis.output, t.h.axis.output, t.w.axis.output);
    const T* const volume = input + at.volume * (t.d.axis.input * t.h.axis.input * t.w.axis.input);
    const int taps_d = t.d.axis.taps(), taps_h = t.h.axis.taps(), taps_w = t.w.axis.taps();
    const int64_t from_d = t.d.first[at.d], from_h = t.h.first[at.h], from_w = t.w.first[at.w];
    V sum = V(0);
    for (int a = 0; a < taps_d; ++a)
      for (int b = 0; b < taps_h; ++b) {
        const T* const row =
            volume + (t.d.axis.cell(from_d + a) * t.h.axis.input + t.h.axis.cell(from_h + b)) * t.w.axis.input;
        if (taps_w == 1) return row[t.w.axis.cell(from_w)];  // nearest: no sums
        const V* const w = t.w.weights + at.w * taps_w;
        V across = w[0] * V(row[t.w.axis.cell(from_w)]);
        for (int c = 1; c < taps_w; ++c) across = across + w[c] * V(row[t.w.axis.cell(from_w + c)]);
        across = t.d.weights[at.d * taps_d + a] * t.h.weights[at.h * taps_h + b] * across;
        sum = a + b == 0 ? across : sum + across;
      }
    return T(sum);
  }
};

/// The gradient of a cell: of every column of outputs the sum of their weighted gradients by rule 1, layer by layer and
/// row by row, and of these sums theirs by rule 1, weighted again; added to zero.
template <class T>
struct InterpolateGradientElement {
  ResampleTables<accumulate_t<T>> t;
  const T* grad;
  T* output;
  ORDO_HD void operator()(int64_t i) const {
    using V = accumulate_t<T>;
    const VolumeCell at(i, t.d.axis.input, t.h.axis.input, t.w.axis.input);
    const T* const volume = grad + at.volume * (t.d.axis.output * t.h.axis.output * t.w.axis.output);
    OrderedSum<V> sum;
    for (int64_t ow = t.w.begin[at.w]; ow < t.w.end[at.w]; ++ow) {
      OrderedSum<V> down;
      for (int64_t od = t.d.begin[at.d]; od < t.d.end[at.d]; ++od) {
        const V deep = t.d.weight(od, at.d);
        for (int64_t oh = t.h.begin[at.h]; oh < t.h.end[at.h]; ++oh)
          down.push(deep * t.h.weight(oh, at.h) * V(volume[(od * t.h.axis.output + oh) * t.w.axis.output + ow]));
      }
      sum.push(t.w.weight(ow, at.w) * down.result());
    }
    output[i] = T(V(0) + sum.result());
  }
};

namespace cuda {

template <template <class> class Element>
static void run(const Tensor& from, const Tensor& to, const ResampleArguments& a, bool gradient) {
  dispatch_floating("interpolate", from.dtype(), [&]<class T>() {
    const ResampleMemory<accumulate_t<T>> memory(a, gradient, to.device());
    each(memory.tables().count(), memory.tables(), to.device());
    each(to.numel(), Element<T>{memory.tables(), from.data<T>(), to.data<T>()}, to.device());
  });
}

void interpolate(const Tensor& input, const Tensor& output, const ResampleArguments& a) {
  run<InterpolateElement>(input, output, a, false);
}

void interpolate_backward(const Tensor& grad, const Tensor& output, const ResampleArguments& a) {
  run<InterpolateGradientElement>(grad, output, a, true);
}

void grid_sample(const Tensor& input, const Tensor& grid, const Tensor& output, const GridShape& s) {
  dispatch_floating("grid_sample", input.dtype(), [&]<class T>() {
    each(s.samples * s.positions, GridSampleElement<T>{s, input.data<T>(), grid.data<T>(), output.data<T>()},
         input.device());
  });
}

void grid_sample_backward_input(const Tensor& rows, const Tensor& grid, const Tensor& output, const GridShape& s,
                                Algorithm algorithm) {
  const Device device = rows.device();
  const ordo::cuda::DeviceScope scope(device);
  const int64_t places = s.samples * s.positions, items = places * s.corners();
  dispatch_floating("grid_sample_backward", rows.dtype(), [&]<class T>() {
    const Scratch<int64_t> cells(items, device);
    const Scratch<accumulate_t<T>> weights(items, device);
    each(places, GridItemsElement<T>{s, grid.data<T>(), cells.data(), weights.data()}, device);
    add_weighted_rows(items, cells.data(), weights.data(), nullptr, s.corners(), rows, output, algorithm);
  });
}

void grid_sample_backward_grid(const Tensor& grad, const Tensor& input, const Tensor& grid, const Tensor& output,
                               const GridShape& s) {
  dispatch_floating("grid_sample_backward", grad.dtype(), [&]<class T>() {
    each(s.samples * s.positions,
         GridGradientElement<T>{s, grad.data<T>(), input.data<T>(), grid.data<T>(), output.data<T>()}, grad.device());
  });
}

void pad(const Tensor& input, const Tensor& output, const PadShape& shape, const Tensor& fill) {
  dispatch_word(input.element_size(), [&]<class Word>() {
    each(output.numel(),
         PadElement<Word>{shape, static_cast<const Word*>(input.data()), static_cast<Word*>(output.data()),
                          *static_cast<const Word*>(fill.data())},
         input.device());
  });
}

void pad_backward(const Tensor& grad, const Tensor& output, const PadShape& s) {
  dispatch_floating("pad_backward", grad.dtype(), [&]<class T>() {
    each(output.numel(), PadGradientElement<T>{s.axes[0], s.axes[1], s.axes[2], grad.data<T>(), output.data<T>()},
         grad.device());
  });
}

}  // namespace cuda
}  // namespace ordo::kernels

#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/pooling/avg_pool.h>
#include <ordo/kernels/pooling/cells.h>
#include <ordo/kernels/windows/sum_reads_cpu.h>

namespace ordo::kernels::cpu {
namespace {

// Lists of what the places of d and h read stay below this many numbers.
constexpr int64_t kMostReads = int64_t(1) << 22;

/// What each window's cells get of its gradient: the gradient divided as the average was.
template <class T, class V>
void divide(const T* grad, V* shares, const Windows& s) {
  const int64_t width = s.w.output;
  parallel_for(0, s.d.output * s.h.output, row_grain(width), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const VolumeRow at(r, s.d.output, s.h.output);
      const int64_t row_divisor = s.row_divisor(at.d, at.h);
      for (int64_t o = 0; o < width; ++o) shares[r * width + o] = V(grad[r * width + o]) / V(s.divisor(row_divisor, o));
    }
  });
}

/// Adaptive windows: each output's share, added to its cells.
template <class T, class V>
void spread(const T* grad, V* cells, const Windows& s) {
  for (int64_t od = 0; od < s.d.output; ++od)
    for (int64_t oh = 0; oh < s.h.output; ++oh) {
      const AxisCells d = s.d.cells(od), h = s.h.cells(oh);
      const int64_t row_divisor = s.row_divisor(od, oh);
      for (int64_t ow = 0; ow < s.w.output; ++ow) {
        const V share = V(*grad++) / V(s.divisor(row_divisor, ow));
        const int64_t begin = s.w.begin(ow), end = s.w.end(ow);
        for (int64_t id = d.begin; id < d.end; ++id)
          for (int64_t ih = h.begin; ih < h.end; ++ih) {
            V* const row = cells + s.input_row(id, ih);
            for (int64_t iw = begin; iw < end; ++iw) row[iw] += share;
          }
      }
    }
}

}  // namespace

void avg_pool(const Tensor& input, const Tensor& values, const Windows& s) {
  const int64_t depth = s.d.output, height = s.h.output, width = s.w.output;
  dispatch_floating("avg_pool", input.dtype(), [&]<class T>() {
    using V = accumulate_t<T>;
    const AveragePoolElement<OrderedSum, T> f{s, input.data<T>(), values.data<T>()};
    // A few outputs of many cells each: nothing to vectorise.
    const bool one_by_one = s.w.is_adaptive() && s.most_cells() > kOrderedGroup;
    if (one_by_one || depth * s.d.most_cells() + height * s.h.most_cells() > kMostReads)
      return each_of(s.most_cells(), values.numel(), [f](int64_t i) { at_position(f, i); });
    const VolumeReads reads{ReadLists(cells_of_outputs(s.d), s.input_row(1, 0)),
                            ReadLists(cells_of_outputs(s.h), s.w.input), cells_of_outputs(s.w), s.inputs()};
    const int64_t grain = row_grain(s.inputs() / (depth * height) + width);
    parallel_for(0, values.numel() / width, grain, [&](int64_t begin, int64_t end) {
      sum_reads<V>(reads, f.input, begin, end, [&](const VolumeRow& at, int64_t first, int64_t count, const V* sums) {
        const int64_t row_divisor = s.row_divisor(at.d, at.h);
        T* const to = f.values + at.number * width + first;
        for (int64_t i = 0; i < count; ++i) to[i] = T(sums[i] / V(s.divisor(row_divisor, first + i)));
      });
    });
  });
}

void avg_pool_backward(const Tensor& grad, const Tensor& output, const Windows& s, Algorithm) {
  const int64_t volumes = grad.numel() / s.outputs(), rows = s.d.input * s.h.input, width = s.w.input;
  dispatch_floating("avg_pool_backward", grad.dtype(), [&]<class T>() {
    using V = accumulate_t<T>;
    const T* const from = grad.data<T>();
    T* const to = output.data<T>();
    // At most 64 values for a cell are a plain sum, in the outputs' order.
    if (s.w.is_adaptive() && s.overlap() <= kOrderedGroup)
      return sum_volumes(to, volumes, s.inputs(), 2 * s.outputs(),
                         [&](int64_t v, V* cells) { spread(from + v * s.outputs(), cells, s); });
    if (s.w.is_adaptive() || s.d.input * s.d.overlap() + s.h.input * s.h.overlap() > kMostReads)
      return each_of(s.overlap(), output.numel(),
                     [f = AveragePoolGradientElement<OrderedSum, T>{s, from, to}](int64_t i) { at_position(f, i); });
    const VolumeReads reads{ReadLists(outputs_of_cells(s.d), s.output_row(1, 0)),
                            ReadLists(outputs_of_cells(s.h), s.w.output), outputs_of_cells(s.w), s.outputs()};
    // Where volumes are few, threads share each of them.
    const int64_t cost = s.inputs() + s.outputs();
    const bool whole = volumes >= num_threads() || volumes * cost < 32768;
    parallel_for(0, volumes, whole ? row_grain(cost) : volumes, [&](int64_t begin, int64_t end) {
      const Scratch<V> shares(s.outputs(), Device());
      for (int64_t v = begin; v < end; ++v) {
        divide(from + v * s.outputs(), shares.data(), s);
        parallel_for(0, rows, row_grain(width), [&](int64_t first, int64_t last) {
          sum_reads(reads, shares.data(), first, last, to + v * s.inputs());
        });
      }
    });
  });
}

}  // namespace ordo::kernels::cpu

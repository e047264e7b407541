#include <limits>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/pooling/cells.h>
#include <ordo/kernels/pooling/pool.h>
#include <ordo/kernels/windows/sum_reads_cpu.h>

namespace ordo::kernels::cpu {
namespace {

/// f(volume, window) for all `elements` of the result, each of which takes `cost` steps.
template <class F>
void each_position(int64_t cost, int64_t elements, const F& f) {
  each_of(cost, elements, [f](int64_t i) { at_position(f, i); });
}

constexpr int64_t kMaxBlock = 64, kMaxCells = 1024;

/// Whether max_row can take these windows: a block of outputs reads few enough cells of a row.
bool max_row_fits(const Windows& windows) {
  const WindowAxis& w = windows.w;
  return !w.is_adaptive() && w.stride * (kMaxBlock + 1) + (w.kernel - 1) * w.dilation <= kMaxCells &&
         windows.inputs() < std::numeric_limits<int32_t>::max();
}

/// One output row of sliding windows, a block of outputs at a time. Every input row is first taken apart by column
/// modulo stride, with -inf where there is no cell: then all windows are complete, and the comparisons vectorise.
template <class T, int kStride>
void max_row(const T* volume, T* values, int64_t* indices, const Windows& windows, int64_t od, int64_t oh) {
  using V = accumulate_t<T>;
  using I = std::conditional_t<sizeof(V) == 4, int32_t, int64_t>;  // one width for values and indices
  constexpr int kLanes = 16;
  constexpr V kLowest = -std::numeric_limits<V>::infinity();
  const WindowAxis &d = windows.d, &h = windows.h, &w = windows.w;
  const int stride = kStride > 0 ? kStride : int(w.stride);
  const int64_t d_begin = d.begin(od), d_end = d.end(od), h_begin = h.begin(oh), h_end = h.end(oh);
  V best[kMaxBlock], cells[kMaxCells];
  I where[kMaxBlock];
  for (int64_t block = 0; block < w.output; block += kMaxBlock) {
    const int count = int(std::min(kMaxBlock, w.output - block));
    const int lanes = (count + kLanes - 1) / kLanes * kLanes;
    const int length = lanes + int((w.kernel - 1) * w.dilation) / stride;  // of one residue's cells
    const int64_t start = block * stride - w.padding;
    for (int i = 0; i < lanes; ++i) best[i] = kLowest;
    for (int i = 0; i < lanes; ++i)
      where[i] = I(windows.input_row(d_begin, h_begin) + (i < count ? w.begin(block + i) : 0));
    // One loop over (id, ih): with two, GCC 12 makes slower ones of those inside.
    for (int64_t id = d_begin, ih = h_begin; id < d_end;) {
      const int64_t begin = windows.input_row(id, ih);
      const T* row = volume + begin;
      for (int residue = 0; residue < stride; ++residue) {
        const int64_t from = start + residue;  // cells from + i stride; those in [first, last) exist
        const int first = int(std::min<int64_t>(length, from >= 0 ? 0 : (stride - 1 - from) / stride));
        const int64_t end = from < w.input ? (w.input - 1 - from) / stride + 1 : 0;
        const int last = std::max(first, int(std::min<int64_t>(length, end)));
        V* const to = cells + residue * length;
        std::fill(to, to + first, kLowest);
        for (int i = first; i < last; ++i) to[i] = V(row[from + i * stride]);
        std::fill(to + last, to + length, kLowest);
      }
      for (int k = 0; k < int(w.kernel); ++k) {
        const int offset = k * int(w.dilation);
        const V* const from = cells + offset % stride * length + offset / stride;
        const I at = I(begin + start + offset);
        for (int i = 0; i < lanes; ++i) {
          const V v = from[i];
          const bool take = (v > best[i]) | (v != v);
          best[i] = take ? v : best[i];
          where[i] = take ? I(at + I(i * stride)) : where[i];
        }
      }
      ih += h.dilation;
      if (ih >= h_end) {
        ih = h_begin;
        id += d.dilation;
      }
    }
    for (int i = 0; i < count; ++i) values[block + i] = T(best[i]);
    if (indices != nullptr)
      for (int i = 0; i < count; ++i) indices[block + i] = where[i];
  }
}

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

void max_pool(const Tensor& input, const Tensor& values, const Tensor& indices, const Windows& s) {
  const int64_t depth = s.d.output, height = s.h.output, width = s.w.output;
  dispatch_floating("max_pool", input.dtype(), [&]<class T>() {
    const MaxPoolElement<T> f{
        {s}, input.data<T>(), values.data<T>(), indices.defined() ? indices.data<int64_t>() : nullptr};
    if (!max_row_fits(s)) return each_position(s.most_cells(), values.numel(), f);
    const auto row = s.w.stride == 1 ? max_row<T, 1> : s.w.stride == 2 ? max_row<T, 2> : max_row<T, 0>;
    const int64_t grain = row_grain(s.inputs() / (depth * height) + width);
    parallel_for(0, values.numel() / width, grain, [&](int64_t begin, int64_t end) {
      VolumeRow at(begin, depth, height);
      for (int64_t r = begin; r < end; ++r, at.advance(depth, height))
        row(f.input + at.volume * s.inputs(), f.values + r * width,
            f.indices != nullptr ? f.indices + r * width : nullptr, s, at.d, at.h);
    });
  });
}

void max_pool_backward(const Tensor& grad, const Tensor& indices, const Tensor& output, const Windows& s, Algorithm) {
  const int64_t* const places = indices.data<int64_t>();
  const int64_t outputs = s.outputs();
  dispatch_floating("max_pool_backward", grad.dtype(), [&]<class T>() {
    using V = accumulate_t<T>;
    const T* const from = grad.data<T>();
    T* const to = output.data<T>();
    if (s.overlap() > kOrderedGroup)
      return each_position(s.overlap(), output.numel(), MaxPoolGradientElement<OrderedSum, T>{{s}, from, places, to});
    // At most 64 values for a cell are a plain sum, in the outputs' order.
    sum_volumes(to, grad.numel() / outputs, s.inputs(), 2 * outputs, [&](int64_t v, V* cells) {
      for (int64_t o = v * outputs; o < (v + 1) * outputs; ++o) cells[places[o]] += V(from[o]);
    });
  });
}

void avg_pool(const Tensor& input, const Tensor& values, const Windows& s) {
  const int64_t depth = s.d.output, height = s.h.output, width = s.w.output;
  dispatch_floating("avg_pool", input.dtype(), [&]<class T>() {
    using V = accumulate_t<T>;
    const AveragePoolElement<OrderedSum, T> f{{s}, input.data<T>(), values.data<T>()};
    // A few outputs of many cells each: nothing to vectorise.
    const bool one_by_one = s.w.is_adaptive() && s.most_cells() > kOrderedGroup;
    if (one_by_one || depth * s.d.most_cells() + height * s.h.most_cells() > kMostReads)
      return each_position(s.most_cells(), values.numel(), f);
    const VolumeReads reads{ReadLists(cells_of_outputs(s.d), s.input_row(1, 0)),
                            ReadLists(cells_of_outputs(s.h), s.w.input), cells_of_outputs(s.w), s.inputs()};
    const int64_t grain = row_grain(s.inputs() / (depth * height) + width);
    parallel_for(0, values.numel() / width, grain, [&](int64_t begin, int64_t end) {
      sum_reads<V>(reads, f.input, begin, end,
                   [&](const VolumeRow& at, int64_t first, int64_t count, const auto* sums) {
                     const int64_t row_divisor = s.row_divisor(at.d, at.h);
                     T* const to = f.values + at.number * width + first;
                     for (int64_t i = 0; i < count; ++i)
                       to[i] = T(sums[i].result() / V(s.divisor(row_divisor, first + i)));
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
      return each_position(s.overlap(), output.numel(), AveragePoolGradientElement<OrderedSum, T>{{s}, from, to});
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

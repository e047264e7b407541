// Resampling on the CPU, a row at a time: across with a table of cells and weights, then row by row.
#include <cstring>
#include <vector>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/ordering/ordered_row_cpu.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/resampling/interpolate.h>
#include <ordo/kernels/windows/sum_reads_cpu.h>

namespace ordo::kernels::cpu {
namespace {

/// The cells and weights of the outputs of a row: those of tap k lie side by side.
template <class V>
struct Across {
  int64_t output;
  int taps;
  std::vector<int32_t> cells;
  std::vector<V> weights;

  explicit Across(const ResampleTable<V>& t) : output(t.axis.output), taps(t.axis.taps()) {
    for (int k = 0; k < taps; ++k)
      for (int64_t o = 0; o < output; ++o) {
        cells.push_back(int32_t(t.axis.cell(t.first[o] + k)));
        weights.push_back(t.weights[o * taps + k]);
      }
  }

  template <class T>
  void nearest(const T* from, T* to) const {
    const int32_t* const c = cells.data();
    for (int64_t o = 0; o < output; ++o) to[o] = from[c[o]];
  }
  template <int kTaps, class T>
  void weighted(const T* from, V* to) const {
    const int32_t* c[kTaps];
    const V* w[kTaps];
    for (int k = 0; k < kTaps; ++k) c[k] = cells.data() + k * output, w[k] = weights.data() + k * output;
    for (int64_t o = 0; o < output; ++o) {
      V sum = w[0][o] * V(from[c[0][o]]);
      for (int k = 1; k < kTaps; ++k) sum = sum + w[k][o] * V(from[c[k][o]]);
      to[o] = sum;
    }
  }
  template <class T>
  void operator()(const T* from, V* to) const {
    if (taps == 4)
      weighted<4>(from, to);
    else
      weighted<2>(from, to);
  }
};

/// Rows of outputs [begin, end), each a copy of one row of cells.
template <class T>
void nearest_rows(const ResampleTables<accumulate_t<T>>& t, const Across<accumulate_t<T>>& across, const T* input,
                  T* output, int64_t begin, int64_t end) {
  const int64_t width = t.w.axis.output;
  int64_t held = -1;
  for (int64_t r = begin; r < end; ++r) {
    const VolumeRow at(r, t.d.axis.output, t.h.axis.output);
    const int64_t id = t.d.axis.cell(t.d.first[at.d]), ih = t.h.axis.cell(t.h.first[at.h]);
    const int64_t row = (at.volume * t.d.axis.input + id) * t.h.axis.input + ih;
    const T* const from = input + row * t.w.axis.input;
    T* const to = output + r * width;
    if (t.w.axis.whole)
      std::memcpy(static_cast<void*>(to), from, size_t(width) * sizeof(T));
    else if (row == held)
      std::memcpy(static_cast<void*>(to), to - width, size_t(width) * sizeof(T));
    else
      across.nearest(from, to);
    held = row;
  }
}

/// Output rows as weighted sums. A row of cells is resampled across once; `taps` of each axis are kept.
template <class T>
void weighted_rows(const ResampleTables<accumulate_t<T>>& t, const Across<accumulate_t<T>>& across, const T* input,
                   T* output, int64_t begin, int64_t end) {
  using V = accumulate_t<T>;
  constexpr int kMost = kMostTaps * kMostTaps;
  const int taps_d = t.d.axis.taps(), taps_h = t.h.axis.taps(), rows = taps_d * taps_h;
  const int64_t width = t.w.axis.output;
  const Scratch<V> kept(rows * width, Device());
  int64_t held[kMost];
  std::fill(held, held + kMost, -1);
  for (int64_t r = begin; r < end; ++r) {
    const VolumeRow at(r, t.d.axis.output, t.h.axis.output);
    const V* from[kMost];
    V w[kMost];
    for (int a = 0; a < taps_d; ++a)
      for (int b = 0; b < taps_h; ++b) {
        const int64_t id = t.d.axis.cell(t.d.first[at.d] + a), ih = t.h.axis.cell(t.h.first[at.h] + b);
        const int64_t row = (at.volume * t.d.axis.input + id) * t.h.axis.input + ih;
        const int64_t slot = id % taps_d * taps_h + ih % taps_h;  // neighbours have different ones
        V* const place = kept.data() + slot * width;
        if (held[slot] != row) across(input + row * t.w.axis.input, place);
        held[slot] = row;
        from[a * taps_h + b] = place;
        w[a * taps_h + b] = t.d.weights[at.d * taps_d + a] * t.h.weights[at.h * taps_h + b];
      }
    T* const to = output + r * width;
    if (rows == 1) {
      for (int64_t o = 0; o < width; ++o) to[o] = T(from[0][o]);
    } else if (rows == 2) {
      for (int64_t o = 0; o < width; ++o) to[o] = T(w[0] * from[0][o] + w[1] * from[1][o]);
    } else {
      for (int64_t o = 0; o < width; ++o)
        to[o] = T(w[0] * from[0][o] + w[1] * from[1][o] + w[2] * from[2][o] + w[3] * from[3][o]);
    }
  }
}

/// sums[i] = rule 1 over row(k)(i) for k < count, for each i < width.
template <class V, class Row>
void ordered_rows(int64_t count, int64_t width, const Row& row, V* sums) {
  for (int64_t block = 0; block < width; block += kColumnBlock) {
    OrderedRows<V> rows(int(std::min<int64_t>(kColumnBlock, width - block)));
    for (int64_t k = 0; k < count; ++k) rows.add([value = row(k), block](int i) { return value(block + i); });
    std::copy_n(rows.finish(), std::min<int64_t>(kColumnBlock, width - block), sums + block);
  }
}

/// The outputs of a row that each cell is part of, and their weights: the k-th ones of all cells side by side. One that
/// is not there is the -0 behind the row.
template <class V>
struct Back {
  int64_t cells, most = 0;
  std::vector<int32_t> outputs;
  std::vector<V> weights;
  explicit Back(const ResampleTable<V>& t) : cells(t.axis.input) {
    for (int64_t i = 0; i < cells; ++i) most = std::max(most, t.end[i] - t.begin[i]);
    for (int64_t k = 0; k < most; ++k)
      for (int64_t i = 0; i < cells; ++i) {
        const int64_t o = t.begin[i] + k;
        outputs.push_back(int32_t(o < t.end[i] ? o : t.axis.output));
        weights.push_back(o < t.end[i] ? t.weight(o, i) : V(1));
      }
  }
};

template <class T>
void gradient_rows(const ResampleTables<accumulate_t<T>>& t, const Back<accumulate_t<T>>& back, const T* grad,
                   T* output, int64_t begin, int64_t end) {
  using V = accumulate_t<T>;
  const int64_t width = t.w.axis.input, outputs = t.w.axis.output;
  const Scratch<V> down(outputs + 1, Device()), sums(width, Device());
  down[outputs] = V(-0.0);
  for (int64_t r = begin; r < end; ++r) {
    const VolumeRow at(r, t.d.axis.input, t.h.axis.input);
    const int64_t d_begin = t.d.begin[at.d], h_begin = t.h.begin[at.h], rows = t.h.end[at.h] - h_begin;
    const T* const from = grad + at.volume * t.d.axis.output * t.h.axis.output * outputs;
    const auto weighted = [&](int64_t k) {
      const int64_t od = d_begin + k / rows, oh = h_begin + k % rows;
      return [row = from + (od * t.h.axis.output + oh) * outputs,
              weight = t.d.weight(od, at.d) * t.h.weight(oh, at.h)](int64_t o) { return weight * V(row[o]); };
    };
    ordered_rows(rows * (t.d.end[at.d] - d_begin), outputs, weighted, down.data());
    const auto across = [&](int64_t k) {
      return [o = back.outputs.data() + k * width, w = back.weights.data() + k * width,
              values = down.data()](int64_t i) { return w[i] * values[o[i]]; };
    };
    ordered_rows(back.most, width, across, sums.data());
    for (int64_t i = 0; i < width; ++i) output[r * width + i] = T(V(0) + sums[i]);
  }
}

}  // namespace

void interpolate(const Tensor& input, const Tensor& output, const ResampleArguments& a) {
  dispatch_floating("interpolate", input.dtype(), [&]<class T>() {
    const ResampleMemory<accumulate_t<T>> memory(a, false, Device());
    const auto t = memory.tables();
    each(t.count(), t);
    const Across<accumulate_t<T>> across(t.w);
    const int64_t width = t.w.axis.output;
    parallel_for(0, output.numel() / width, row_grain(width), [&](int64_t begin, int64_t end) {
      const auto rows = across.taps == 1 ? nearest_rows<T> : weighted_rows<T>;
      rows(t, across, input.data<T>(), output.data<T>(), begin, end);
    });
  });
}

void interpolate_backward(const Tensor& grad, const Tensor& output, const ResampleArguments& a) {
  dispatch_floating("interpolate_backward", grad.dtype(), [&]<class T>() {
    const ResampleMemory<accumulate_t<T>> memory(a, true, Device());
    const auto t = memory.tables();
    each(t.count(), t);
    const Back<accumulate_t<T>> back(t.w);
    const int64_t width = t.w.axis.input, work = std::max(width, grad.numel() / (output.numel() / width));
    parallel_for(0, output.numel() / width, row_grain(work), [&](int64_t begin, int64_t end) {
      gradient_rows(t, back, grad.data<T>(), output.data<T>(), begin, end);
    });
  });
}

}  // namespace ordo::kernels::cpu

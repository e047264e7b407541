// Resampling on the CPU, a row at a time: across with a table of cells and weights, then row by row.
#include <cstring>
#include <vector>

#include <ordo/engine/dispatch.h>
#include <ordo/kernels/ordering/ordered_row_cpu.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/resampling/interpolate.h>
#include <ordo/kernels/resampling/rows_cpu.h>

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
    const int64_t layer = r / t.h.axis.output, volume = layer / t.d.axis.output;
    const int64_t id = t.d.axis.cell(t.d.first[layer - volume * t.d.axis.output]);
    const int64_t ih = t.h.axis.cell(t.h.first[r - layer * t.h.axis.output]);
    const int64_t row = (volume * t.d.axis.input + id) * t.h.axis.input + ih;
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

/// The same of weighted sums. A row of cells is resampled across once; `taps` of each axis are kept.
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
    const int64_t layer = r / t.h.axis.output, volume = layer / t.d.axis.output;
    const int64_t od = layer - volume * t.d.axis.output, oh = r - layer * t.h.axis.output;
    const V* from[kMost];
    V w[kMost];
    for (int a = 0; a < taps_d; ++a)
      for (int b = 0; b < taps_h; ++b) {
        const int64_t id = t.d.axis.cell(t.d.first[od] + a), ih = t.h.axis.cell(t.h.first[oh] + b);
        const int64_t row = (volume * t.d.axis.input + id) * t.h.axis.input + ih;
        const int64_t slot = id % taps_d * taps_h + ih % taps_h;  // neighbours have different ones
        V* const place = kept.data() + slot * width;
        if (held[slot] != row) across(input + row * t.w.axis.input, place);
        held[slot] = row;
        from[a * taps_h + b] = place;
        w[a * taps_h + b] = t.d.weights[od * taps_d + a] * t.h.weights[oh * taps_h + b];
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

/// Rows, each with a weight, of which there are few.
template <class T>
struct FewRows {
  const T* from[kOrderedGroup];
  accumulate_t<T> weights[kOrderedGroup];
  int count = 0;
  /// down[o] = their weighted sum, left to right.
  void add(int64_t width, accumulate_t<T>* down) const {
    using V = accumulate_t<T>;
    if (count == 0) return (void)std::fill_n(down, width, V(0));
    const T* const a = from[0];
    const V weight = weights[0];
    if (count == 1) {
      for (int64_t o = 0; o < width; ++o) down[o] = weight * V(a[o]);
      return;
    }
    const T* const b = from[1];
    const V next = weights[1];
    for (int64_t o = 0; o < width; ++o) down[o] = weight * V(a[o]) + next * V(b[o]);
    for (int k = 2; k < count; ++k) {
      const T* const c = from[k];
      const V last = weights[k];
      for (int64_t o = 0; o < width; ++o) down[o] += last * V(c[o]);
    }
  }
};

/// down[o] = the ordered sum of weight * row[o] over many rows; walk(add) calls add(row, weight).
template <class V, class T, class Walk>
[[gnu::noinline]] void add_rows(int64_t width, const Walk& walk, V* down) {
  for (int64_t block = 0; block < width; block += kColumnBlock) {
    const int columns = int(std::min<int64_t>(kColumnBlock, width - block));
    OrderedRow<V> groups;
    V* const sums = down + block;
    int64_t count = 0;
    walk([&](const T* row, V weight) {
      const T* const from = row + block;
      if (count % kOrderedGroup == 0) {
        if (count > 0) groups.push_group(sums, columns);
        for (int i = 0; i < columns; ++i) sums[i] = weight * V(from[i]);
      } else {
        for (int i = 0; i < columns; ++i) sums[i] += weight * V(from[i]);
      }
      ++count;
    });
    const bool open = count % kOrderedGroup != 0;
    if (!open) groups.push_group(sums, columns);
    groups.finish(sums, columns, open);
  }
}

/// The outputs of a row that a cell is part of are [begin[i], begin[i] + its number); weights from start[i] on. Where
/// no cell has more than a few, the k-th ones of all cells lie side by side; one that is not there is the -0 behind the
/// row.
template <class V>
class Back {
 public:
  static constexpr int64_t kFew = 8;
  std::vector<int64_t> begin, start;
  std::vector<V> weights;
  int64_t most = 0;
  std::vector<int32_t> outputs;
  std::vector<V> factors;
  explicit Back(const ResampleTable<V>& t) {
    const int64_t cells = t.axis.input;
    for (int64_t i = 0; i < cells; ++i) most = std::max(most, t.end[i] - t.begin[i]);
    if (most <= kFew) {
      for (int64_t n = 0; n < most * cells; ++n) {
        const int64_t i = n % cells, o = t.begin[i] + n / cells;
        outputs.push_back(int32_t(o < t.end[i] ? o : t.axis.output));
        factors.push_back(o < t.end[i] ? t.weight(o, i) : V(1));
      }
      return;
    }
    for (int64_t i = 0; i < t.axis.input; ++i) {
      begin.push_back(t.begin[i]);
      start.push_back(int64_t(weights.size()));
      for (int64_t o = t.begin[i]; o < t.end[i]; ++o) weights.push_back(t.weight(o, i));
    }
    start.push_back(int64_t(weights.size()));
  }
  /// The sums of all cells; `sums` is memory for as many.
  template <class T>
  void operator()(const V* down, int64_t cells, V* sums, T* to) const {
    if (most > kFew) {
      for (int64_t i = 0; i < cells; ++i) to[i] = T(sum(down, i));
      return;
    }
    const int32_t* const o = outputs.data();
    const V* const w = factors.data();
    const auto of = [=](int64_t n) { return w[n] * down[o[n]]; };
    if (most <= 2) {
      for (int64_t i = 0; i < cells; ++i) to[i] = T(V(0) + (most == 1 ? of(i) : of(i) + of(cells + i)));
      return;
    }
    for (int64_t i = 0; i < cells; ++i) sums[i] = of(i) + of(cells + i);
    for (int64_t k = 2; k < most; ++k)
      for (int64_t i = 0; i < cells; ++i) sums[i] += of(k * cells + i);
    for (int64_t i = 0; i < cells; ++i) to[i] = T(V(0) + sums[i]);
  }

 private:
  V sum(const V* down, int64_t i) const {
    const V* const w = weights.data() + start[size_t(i)];
    const V* const from = down + begin[size_t(i)];
    const int64_t count = start[size_t(i) + 1] - start[size_t(i)];
    if (count > kOrderedGroup) return many(w, from, count);
    V sum = V(-0.0);  // -0 + v is v, bit for bit
    for (int64_t k = 0; k < count; ++k) sum += w[k] * from[k];
    return V(0) + sum;
  }
  static __attribute__((noinline)) V many(const V* w, const V* from, int64_t count) {
    OrderedSum<V> sum;
    for (int64_t k = 0; k < count; ++k) sum.push(w[k] * from[k]);
    return V(0) + sum.result();
  }
};

template <class T>
void gradient_rows(const ResampleTables<accumulate_t<T>>& t, const Back<accumulate_t<T>>& back, const T* grad,
                   T* output, int64_t begin, int64_t end) {
  using V = accumulate_t<T>;
  const int64_t width = t.w.axis.input, outputs = t.w.axis.output;
  const Scratch<V> down(outputs + 1, Device()), sums(width, Device());
  down[outputs] = V(-0.0);
  FewRows<T> few;
  for (int64_t r = begin; r < end; ++r) {
    const int64_t layer = r / t.h.axis.input, volume = layer / t.d.axis.input;
    const int64_t id = layer - volume * t.d.axis.input, ih = r - layer * t.h.axis.input;
    const T* const from = grad + volume * t.d.axis.output * t.h.axis.output * outputs;
    const auto walk = [&](const auto& add) {
      for (int64_t od = t.d.begin[id]; od < t.d.end[id]; ++od) {
        const V deep = t.d.weight(od, id);
        for (int64_t oh = t.h.begin[ih]; oh < t.h.end[ih]; ++oh)
          add(from + (od * t.h.axis.output + oh) * outputs, deep * t.h.weight(oh, ih));
      }
    };
    if ((t.d.end[id] - t.d.begin[id]) * (t.h.end[ih] - t.h.begin[ih]) <= kOrderedGroup) {
      few.count = 0;
      walk([&](const T* row, V weight) {
        few.from[few.count] = row;
        few.weights[few.count++] = weight;
      });
      few.add(outputs, down.data());
    } else {
      add_rows<V, T>(outputs, walk, down.data());
    }
    back(down.data(), width, sums.data(), output + r * width);
  }
}

}  // namespace

void interpolate(const Tensor& input, const Tensor& output, const ResampleArguments& a) {
  dispatch_floating("interpolate", input.dtype(), [&]<class T>() {
    const ResampleMemory<accumulate_t<T>> memory(a, false, Device());
    const auto& t = memory.tables();
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
    const auto& t = memory.tables();
    each(t.count(), t);
    const Back<accumulate_t<T>> back(t.w);
    const int64_t width = t.w.axis.input, work = std::max(width, grad.numel() / (output.numel() / width));
    parallel_for(0, output.numel() / width, row_grain(work), [&](int64_t begin, int64_t end) {
      gradient_rows(t, back, grad.data<T>(), output.data<T>(), begin, end);
    });
  });
}

}  // namespace ordo::kernels::cpu

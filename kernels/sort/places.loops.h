// Places in lines and in bins.
#pragma once

#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/engine/tensor/divisor.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/sort/sort_keys.h>

namespace ordo::kernels {

template <class T>
struct SearchElement {
  const T *sorted, *values;
  int64_t length, per_line;  // of a line; values that are sought in it, 0 where there is one line
  bool right;
  int64_t* out;
  ORDO_HD void operator()(int64_t i) const {
    using V = compare_t<T>;
    const T* line = sorted + (per_line ? i / per_line * length : 0);
    const V v(values[i]);
    // Halves what is left, without branches, which would be mispredicted half of the time.
    int64_t low = 0;
    for (int64_t left = length, half; left > 0;) {
      half = left / 2;
      const V at(line[low + half]);
      const int64_t below = !(right ? at > v : at >= v);
      low += -below & (half + 1);
      left = half - (below & ~left & 1);
    }
    out[i] = low;
  }
};

template <class T>
struct BinElement {
  using A = accumulate_t<T>;
  const T* x;
  int64_t bins;
  A least, greatest;
  int64_t* out;
  ORDO_HD void operator()(int64_t i) const {
    const A v(x[i]);
    if (!(v >= least && v <= greatest)) {
      out[i] = bins;
      return;
    }
    const A bin = (v - least) / (greatest - least) * A(bins);
    out[i] = bin < A(bins) && int64_t(bin) < bins ? int64_t(bin) : bins - 1;
  }
};

/// Walks a sorted line for its commonest value, the smallest of several. No NaN equals another.
struct ModeOfLine {
  KeyOf key;
  const int64_t* order;
  int64_t length;
  int64_t* places;
  ORDO_HD void operator()(int64_t line) const {
    const int64_t* at = order + line * length;
    int64_t best = 0, best_count = 0, count = 0;
    uint64_t before = 0;
    for (int64_t i = 0; i < length; ++i) {
      const uint64_t k = key(line * length + at[i]);
      count = i > 0 && k == before && !key.is_nan(line * length + at[i]) ? count + 1 : 1;
      before = k;
      if (count > best_count) best_count = count, best = at[i];
    }
    places[line] = best;
  }
};

template <class Word>
struct PutAlongElement {
  const Word* x;
  const int64_t* index;
  Word* out;
  int64_t length;  // of a line of out
  Divisor plane, inner;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t column = inner.value == 1 ? 0 : inner.remainder(i);
    out[(plane.quotient(i) * length + index[i]) * inner.value + column] = x[i];
  }
};

namespace ORDO_LOOPS_DEVICE {

void search(const Tensor& sorted, const Tensor& values, bool right, const Tensor& out) {
  dispatch_all("searchsorted", values.dtype(), [&]<class T>() {
    const int64_t per_line = sorted.dim() == 1 ? 0 : values.size(-1);
    each(values.numel(),
         SearchElement<T>{sorted.data<T>(), values.data<T>(), sorted.size(-1), per_line, right, out.data<int64_t>()},
         values.device());
  });
}

void find_bins(const Tensor& t, int64_t bins, double least, double greatest, const Tensor& out) {
  dispatch_floating("histc", t.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    each(t.numel(), BinElement<T>{t.data<T>(), bins, A(least), A(greatest), out.data<int64_t>()}, t.device());
  });
}

void mode_lines(const Tensor& lines, const Tensor& order, const Tensor& places) {
  each_of(
      lines.size(-1), places.numel(),
      ModeOfLine{{lines.data(), lines.dtype(), false}, order.data<int64_t>(), lines.size(-1), places.data<int64_t>()},
      lines.device());
}

void put_along(const Tensor& t, const Tensor& index, const Tensor& out, int64_t count, int64_t length, int64_t inner) {
  dispatch_word(t.element_size(), [&]<class Word>() {
    each(t.numel(),
         PutAlongElement<Word>{static_cast<const Word*>(t.data()), index.data<int64_t>(),
                               static_cast<Word*>(out.data()), length, Divisor(count * inner), Divisor(inner)},
         t.device());
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels

// Per-element functors of gather, index_select and one_hot; shared by both devices. Elements are moved as bytes.
#pragma once

#include <cstring>

#include <ordo/engine/dims.h>
#include <ordo/engine/index_check.h>

namespace ordo::kernels {

/// Sizes of the (contiguous) index, and strides of the input, whose dimension `dim` the index replaces.
struct GatherShape {
  int rank = 0, dim = 0;
  int64_t sizes[kMaxDims], strides[kMaxDims];
  int64_t bound = 1;
};

/// Result [outer, count, inner] from input [outer, bound, inner], both contiguous.
struct SelectShape {
  int dim = 0;
  int64_t outer = 1, count = 1, inner = 1, bound = 1;
};

template <class Word, class I>
struct GatherElement {
  GatherShape s;
  const Word* x;
  const I* index;
  Word* out;
  IndexCheck check;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t picked = int64_t(index[i]);
    if (!check.ok(i, picked, s.bound)) {
      out[i] = Word(0);
      return;
    }
    int64_t at = 0, rest = i;
    for (int d = s.rank - 1; d >= 0; --d) {
      const int64_t q = rest / s.sizes[d];
      at += (d == s.dim ? picked : rest - q * s.sizes[d]) * s.strides[d];
      rest = q;
    }
    out[i] = x[at];
  }
};

template <class Word, class I>
struct SelectElement {
  SelectShape s;
  const Word* x;
  const I* index;
  Word* out;
  IndexCheck check;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t row = i / s.inner, k = row % s.count, picked = int64_t(index[k]);
    out[i] = check.ok(k, picked, s.bound) ? x[(row / s.count * s.bound + picked) * s.inner + i % s.inner] : Word(0);
  }
};

template <class I>
struct OneHotElement {
  const I* target;
  int64_t* out;
  int64_t classes;
  IndexCheck check;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t row = i / classes, c = i % classes, t = int64_t(target[row]);
    out[i] = t == c;
    if (c == 0) check.ok(row, t, classes);
  }
};

/// Calls f with an unsigned integer of that many bytes.
template <class F>
void dispatch_word(size_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f.template operator()<uint8_t>();
    case 2:
      return f.template operator()<uint16_t>();
    case 4:
      return f.template operator()<uint32_t>();
    default:
      return f.template operator()<uint64_t>();
  }
}

}  // namespace ordo::kernels

// Per-element functors of gather and index_select; shared by both devices. Elements are moved as bytes.
#pragma once

#include <cstring>

#include <ordo/engine/tensor/dims.h>
#include <ordo/kernels/accumulate/index_view.h>

namespace ordo::kernels {

/// Sizes of the (contiguous) index, and strides of the input, whose dimension `dim` the index replaces.
struct GatherShape {
  int rank = 0, dim = 0;
  int64_t sizes[kMaxDims], strides[kMaxDims];
  int64_t bound = 1;
};

/// Result [outer, count, inner] from input [outer, bound, inner], both contiguous; 0 where the index is `skip`.
struct SelectShape {
  int dim = 0;
  int64_t outer = 1, count = 1, inner = 1, bound = 1;
  int64_t skip = -1;
  const char* argument = "index";  // as errors name it
};

template <class Word>
struct GatherElement {
  GatherShape s;
  const Word* x;
  IndexView index;
  Word* out;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t picked = index[i];
    if (picked < 0) {
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

template <class Word>
struct SelectElement {
  SelectShape s;
  const Word* x;
  IndexView index;
  Word* out;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t row = i / s.inner, o = s.outer == 1 ? 0 : row / s.count, picked = index[row - o * s.count];
    const bool taken = picked >= 0 && picked != s.skip;
    out[i] = taken ? x[(o * s.bound + picked) * s.inner + (i - row * s.inner)] : Word(0);
  }
};

}  // namespace ordo::kernels

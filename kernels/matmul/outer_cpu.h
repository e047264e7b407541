// Products of a column and a row (k = 1), where packing would cost more than the arithmetic. A sum of one product has
// one order, so every level shares this. Internal.
#pragma once

#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/matmul/gemm.h>

namespace ordo::kernels::cpu {

inline bool is_outer_product(const Gemm& g) { return g.k == 1 && g.c.col == 1 && !g.subtract; }

/// g with k = 1 and rows of C contiguous; T float or double.
template <class T>
void outer_product(const Gemm& g) {
  const T* const bias = static_cast<const T*>(g.bias);
  parallel_for(0, g.batch * g.m, 65536 / (g.n + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t batch = unit / g.m, i = unit % g.m;
      const T a = *g.a.at<T>(batch, i, 0);
      const T* const b = g.b.at<T>(batch, 0, 0);
      T* const c = const_cast<T*>(g.c.at<T>(batch, i, 0));
      const auto fill = [&](auto value) {
        if (g.b.col == 1)
          for (int64_t j = 0; j < g.n; ++j) c[j] = value(j, a * b[j]);
        else
          for (int64_t j = 0; j < g.n; ++j) c[j] = value(j, a * b[j * g.b.col]);
      };
      if (!bias)
        fill([](int64_t, T product) { return product; });
      else if (g.bias_per_row)
        fill([row = bias[i]](int64_t, T product) { return product + row; });
      else
        fill([bias](int64_t j, T product) { return product + bias[j]; });
    }
  });
}

}  // namespace ordo::kernels::cpu

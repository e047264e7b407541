#include <ordo/kernels/matmul/gemm.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/matmul/gemm_ordered.h>

namespace ordo::kernels {
namespace {

constexpr int64_t kTile = 64;  // columns of C whose sums are held together

template <class T>
void integer_rows(const Gemm& g, int64_t begin, int64_t end) {
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t batch = unit / g.m, i = unit % g.m;
    for (int64_t j0 = 0; j0 < g.n; j0 += kTile) {
      const int64_t cols = std::min(kTile, g.n - j0);
      std::array<uint64_t, kTile> sums = {};
      for (int64_t k = 0; k < g.k; ++k) {
        const uint64_t a = uint64_t(*g.a.at<T>(batch, i, k));
        const T* const b = g.b.at<T>(batch, k, j0);
        for (int64_t j = 0; j < cols; ++j) sums[size_t(j)] += a * uint64_t(b[j * g.b.col]);
      }
      for (int64_t j = 0; j < cols; ++j) store_sum<T, T>(g, batch, i, j0 + j, sums[size_t(j)]);
    }
  }
}

}  // namespace

void cpu::gemm(const Gemm& g, Device) {
  if (is_floating(g.dtype)) return floating_gemm(g);
  dispatch_numeric("matmul", g.dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>)
      parallel_for(0, g.batch * g.m, 100'000 / (g.n * std::max<int64_t>(g.k, 16)) + 1,
                   [&](int64_t begin, int64_t end) { integer_rows<T>(g, begin, end); });
  });
}

void cpu::ordered_gemm(const Gemm& g, Device device) { cpu::gemm(g, device); }

void gemm(const Gemm& g, Device device) {
  if (g.m == 0 || g.n == 0 || g.batch == 0) return;
  ORDO_ON_DEVICE(device, gemm, g, device);
}

}  // namespace ordo::kernels

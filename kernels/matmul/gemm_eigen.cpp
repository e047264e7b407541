// Matrix products by Eigen. Its blocking of k depends on threads and cache sizes, so it runs on one thread for one tile
// at a time; tiles depend on the problem only.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // GCC's own AVX-512 header, inlined here (GCC bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <Eigen/Core>

#include <algorithm>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/matmul/outer_cpu.h>

namespace ordo::kernels::cpu {
namespace {

constexpr int64_t kTinyWork = 2048;         // multiply-adds below which Eigen's packing costs more than the product
constexpr int64_t kParallelWork = 1 << 18;  // multiply-adds that are worth a thread

template <class T>
struct Tile {
  int64_t m, n, k;
  const T *a, *b;
  T* c;
};

// One row or column times a matrix, or little work: plain loops over the unit stride of b.
template <class T>
void tiny_product(const Gemm& g, const Tile<T>& t) {
  constexpr int64_t kChunk = 16;
  for (int64_t i = 0; i < t.m; ++i) {
    const T* const a = t.a + i * g.a.row;
    T* const c = t.c + i * g.c.row;
    int64_t j = 0;
    if (g.b.col == 1 && g.c.col == 1) {
      for (; j + kChunk <= t.n; j += kChunk) {
        T sum[kChunk] = {};
        for (int64_t k = 0; k < t.k; ++k)
          for (int64_t v = 0; v < kChunk; ++v) sum[v] += a[k * g.a.col] * t.b[k * g.b.row + j + v];
        for (int64_t v = 0; v < kChunk; ++v) c[j + v] += sum[v];
      }
    }
    if (g.b.row == 1 && g.a.col == 1) {
      for (; j < t.n; ++j) {
        const T* const b = t.b + j * g.b.col;
        T lanes[kChunk] = {}, sum = 0;
        int64_t k = 0;
        for (; k + kChunk <= t.k; k += kChunk)
          for (int64_t v = 0; v < kChunk; ++v) lanes[v] += a[k + v] * b[k + v];
        if (k) {
          for (int64_t half = kChunk / 2; half > 0; half /= 2)
            for (int64_t v = 0; v < half; ++v) lanes[v] += lanes[v + half];
          sum = lanes[0];
        }
        for (; k < t.k; ++k) sum += a[k] * b[k];
        c[j * g.c.col] += sum;
      }
    }
    for (; j < t.n; ++j) {
      T sum = 0;
      for (int64_t k = 0; k < t.k; ++k) sum += a[k * g.a.col] * t.b[k * g.b.row + j * g.b.col];
      c[j * g.c.col] += sum;
    }
  }
}

template <class T, int OrderA, int OrderB>
void eigen_product(const Gemm& g, const Tile<T>& t) {
  using namespace Eigen;
  using A = Map<const Matrix<T, Dynamic, Dynamic, OrderA>, 0, OuterStride<>>;
  using B = Map<const Matrix<T, Dynamic, Dynamic, OrderB>, 0, OuterStride<>>;
  using C = Map<Matrix<T, Dynamic, Dynamic, RowMajor>, 0, OuterStride<>>;
  const A a(t.a, t.m, t.k, OuterStride<>(OrderA == RowMajor ? g.a.row : g.a.col));
  const B b(t.b, t.k, t.n, OuterStride<>(OrderB == RowMajor ? g.b.row : g.b.col));
  C(t.c, t.m, t.n, OuterStride<>(g.c.row)).noalias() += a * b;
}

template <class T>
void multiply_tile(const Gemm& g, const Tile<T>& t) {
  if (t.m * t.n * t.k <= kTinyWork) return tiny_product(g, t);
  const bool a_rows = g.a.col == 1, b_rows = g.b.col == 1;
  if (a_rows && b_rows)
    eigen_product<T, Eigen::RowMajor, Eigen::RowMajor>(g, t);
  else if (a_rows)
    eigen_product<T, Eigen::RowMajor, Eigen::ColMajor>(g, t);
  else if (b_rows)
    eigen_product<T, Eigen::ColMajor, Eigen::RowMajor>(g, t);
  else
    eigen_product<T, Eigen::ColMajor, Eigen::ColMajor>(g, t);
}

template <class T>
void start_tile(const Gemm& g, const Tile<T>& t, int64_t i0, int64_t j0) {
  const T* const bias = static_cast<const T*>(g.bias);
  for (int64_t i = 0; i < t.m; ++i) {
    T* const c = t.c + i * g.c.row;
    if (!bias)
      std::fill(c, c + t.n, T(0));
    else if (g.bias_per_row)
      std::fill(c, c + t.n, bias[i0 + i]);
    else
      std::copy(bias + j0, bias + j0 + t.n, c);
  }
}

template <class T>
void product(Gemm g) {
  if (g.c.col != 1) {  // Eigen's results are row-major here
    std::swap(g.m, g.n);
    std::swap(g.a, g.b);
    g.a = g.a.transposed();
    g.b = g.b.transposed();
    g.c = g.c.transposed();
    g.bias_per_row = !g.bias_per_row;
  }
  if (is_outer_product(g)) return outer_product<T>(g);
  // Halve the longer side until there is something to share between threads. The problem alone decides.
  int64_t tile_m = std::min<int64_t>(g.m, 512), tile_n = std::min<int64_t>(g.n, 512);
  const auto count = [](int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; };
  while (g.batch * count(g.m, tile_m) * count(g.n, tile_n) < 16 &&
         tile_m * tile_n * std::max<int64_t>(g.k, 16) >= 2 * kParallelWork && std::max(tile_m, tile_n) >= 64) {
    if (tile_m >= tile_n)
      tile_m = (tile_m + 15) / 16 * 8;
    else
      tile_n = (tile_n + 31) / 32 * 16;
  }
  const int64_t row_tiles = count(g.m, tile_m), col_tiles = count(g.n, tile_n);
  const int64_t grain = std::max<int64_t>(1, kParallelWork / std::max<int64_t>(1, tile_m * tile_n * g.k));
  parallel_for(0, g.batch * row_tiles * col_tiles, grain, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t batch = unit / (row_tiles * col_tiles);
      const int64_t i0 = unit / col_tiles % row_tiles * tile_m, j0 = unit % col_tiles * tile_n;
      const Tile<T> tile{
          std::min(tile_m, g.m - i0), std::min(tile_n, g.n - j0), g.k,
          g.a.at<T>(batch, i0, 0),    g.b.at<T>(batch, 0, j0),    const_cast<T*>(g.c.at<T>(batch, i0, j0))};
      if (!g.accumulate) start_tile(g, tile, i0, j0);
      if (g.k > 0) multiply_tile(g, tile);
    }
  });
}

}  // namespace

void library_gemm(const Gemm& g, Device device) {
  if (g.dtype == float32)
    product<float>(g);
  else if (g.dtype == float64)
    product<double>(g);
  else
    cpu::ordered_gemm(g, device);  // halves: converts while it packs, and sums in float
}

}  // namespace ordo::kernels::cpu

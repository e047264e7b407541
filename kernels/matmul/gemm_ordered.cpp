// Matrix products in the order of rule 3 (docs/ordering.md) on the CPU. Each lane of a vector is one output, so that
// the bits do not depend on the vector width, the tiles or the threads.
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/matmul/gemm_ordered.h>
#include <ordo/kernels/matmul/outer_cpu.h>

namespace ordo::kernels::cpu {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64, kPanelRows = 8;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32, kPanelRows = 4;
#else
constexpr int kVectorBytes = 16, kPanelRows = 4;
#endif
constexpr int kPanelVectors = 2;

template <class A>
using Vector [[gnu::vector_size(kVectorBytes)]] = A;
template <class A>
constexpr int kPanelCols = kPanelVectors* kVectorBytes / int(sizeof(A));

// tile(kPanelRows x kPanelCols) = or += the block's products, given a as depth x kPanelRows and b as depth x
// kPanelCols.
template <class A>
void block_product(int64_t depth, const A* __restrict a, const A* __restrict b, A* __restrict tile, int64_t stride,
                   bool first) {
  using V = Vector<A>;
  V sum[kPanelRows][kPanelVectors];
  {
    const V* bv = reinterpret_cast<const V*>(b);
    for (int r = 0; r < kPanelRows; ++r)
      for (int v = 0; v < kPanelVectors; ++v) sum[r][v] = a[r] * bv[v];
  }
  for (int64_t k = 1; k < depth; ++k) {
    a += kPanelRows;
    b += kPanelCols<A>;
    const V* bv = reinterpret_cast<const V*>(b);
#pragma GCC unroll 8
    for (int r = 0; r < kPanelRows; ++r)
#pragma GCC unroll 2
      for (int v = 0; v < kPanelVectors; ++v) sum[r][v] = sum[r][v] + a[r] * bv[v];
  }
  for (int r = 0; r < kPanelRows; ++r)
    for (int v = 0; v < kPanelVectors; ++v) {
      V& out = reinterpret_cast<V*>(tile + r * stride)[v];
      out = first ? sum[r][v] : out + sum[r][v];
    }
}

// Copies rows [0, rows) x depth into panels of `Width` rows, k-major in each; missing rows become zeros.
template <int Width, class T, class A>
void pack(const T* from, int64_t row, int64_t col, int64_t rows, int64_t depth, A* to) {
  for (int64_t r0 = 0; r0 < rows; r0 += Width, to += Width * depth) {
    const int64_t width = std::min<int64_t>(Width, rows - r0);
    const T* panel = from + r0 * row;
    if (width == Width && row == 1) {
      for (int64_t k = 0; k < depth; ++k)
        for (int r = 0; r < Width; ++r) to[k * Width + r] = A(panel[k * col + r]);
    } else {
      for (int64_t k = 0; k < depth; ++k) {
        for (int64_t r = 0; r < width; ++r) to[k * Width + r] = A(panel[r * row + k * col]);
        for (int64_t r = width; r < Width; ++r) to[k * Width + r] = A(0);
      }
    }
  }
}

// A thread's packing memory, grown on demand and kept.
void* workspace(size_t bytes) {
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  thread_local std::unique_ptr<void, Free> memory;
  thread_local size_t held = 0;
  if (bytes > held) {
    const size_t rounded = (bytes + 4095) / 4096 * 4096;
    memory.reset();
    held = 0;
    memory.reset(std::aligned_alloc(64, rounded));
    if (!memory) throw std::bad_alloc();
    held = rounded;
  }
  return memory.get();
}

constexpr int64_t round_up(int64_t v, int64_t to) { return (v + to - 1) / to * to; }

template <class T, class C>
void ordered(Gemm g) {
  using A = product_sum_t<T>;
  constexpr int64_t kCols = kPanelCols<A>;
  if constexpr (std::is_same_v<T, A> && std::is_same_v<T, C>) {  // float, double
    if (is_outer_product(g)) return outer_product<T>(g);
  }
  // Vectors run over the longer side of C. A product does not depend on the order of its two factors.
  if (g.n < g.m) {
    std::swap(g.m, g.n);
    std::swap(g.a, g.b);
    g.a = g.a.transposed();
    g.b = g.b.transposed();
    g.c = g.c.transposed();
    g.bias_per_row = !g.bias_per_row;
  }
  int64_t tile_rows = std::min<int64_t>(64, round_up(g.m, kPanelRows));
  int64_t tile_cols = std::min<int64_t>(256, round_up(g.n, kCols));
  const auto count = [](int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; };
  while (g.batch * count(g.m, tile_rows) * count(g.n, tile_cols) < num_threads()) {
    if (tile_cols > kCols)
      tile_cols = round_up(tile_cols / 2, kCols);
    else if (tile_rows > kPanelRows)
      tile_rows = round_up(tile_rows / 2, kPanelRows);
    else
      break;
  }
  const int64_t row_tiles = count(g.m, tile_rows), col_tiles = count(g.n, tile_cols);
  const int64_t tile_work = tile_rows * tile_cols * std::max<int64_t>(g.k, 16);
  const int64_t depth_max = std::min(g.k, kOrderedBlock);
  const int64_t a_size = round_up(tile_rows * depth_max, kCols);  // whole vectors: what follows stays aligned

  parallel_for(
      0, g.batch * row_tiles * col_tiles, std::max<int64_t>(1, 100'000 / tile_work), [&](int64_t begin, int64_t end) {
        A* const sums =
            static_cast<A*>(workspace(size_t(tile_rows * tile_cols + a_size + tile_cols * depth_max) * sizeof(A)));
        A* const packed_a = sums + tile_rows * tile_cols;
        A* const packed_b = packed_a + a_size;
        for (int64_t unit = begin; unit < end; ++unit) {
          const int64_t batch = unit / (row_tiles * col_tiles);
          const int64_t i0 = unit / col_tiles % row_tiles * tile_rows, j0 = unit % col_tiles * tile_cols;
          const int64_t rows = std::min(tile_rows, g.m - i0), cols = std::min(tile_cols, g.n - j0);
          const T* const a = g.a.at<T>(batch, i0, 0);
          const T* const b = g.b.at<T>(batch, 0, j0);
          if (g.k == 0) std::fill(sums, sums + tile_rows * tile_cols, A(0));
          for (int64_t k0 = 0; k0 < g.k; k0 += kOrderedBlock) {
            const int64_t depth = std::min(kOrderedBlock, g.k - k0);
            pack<kPanelRows>(a + k0 * g.a.col, g.a.row, g.a.col, rows, depth, packed_a);
            pack<int(kCols)>(b + k0 * g.b.row, g.b.col, g.b.row, cols, depth, packed_b);
            for (int64_t j = 0; j < cols; j += kCols)
              for (int64_t i = 0; i < rows; i += kPanelRows)
                block_product(depth, packed_a + i * depth, packed_b + j * depth, sums + i * tile_cols + j, tile_cols,
                              k0 == 0);
          }
          const T* const bias = static_cast<const T*>(g.bias);
          for (int64_t i = 0; i < rows; ++i) {
            C* const c = const_cast<C*>(g.c.at<C>(batch, i0 + i, j0));
            const A* const sum = sums + i * tile_cols;
            for (int64_t j = 0; j < cols; ++j) {
              A value = sum[j];
              if (g.accumulate) value = A(c[j * g.c.col]) + value;
              if (bias) value = value + A(bias[g.bias_per_row ? i0 + i : j0 + j]);
              c[j * g.c.col] = C(value);
            }
          }
        }
      });
}

}  // namespace

void ordered_gemm(const Gemm& g, Device) {
  dispatch_numeric("matmul", g.dtype, [&]<class T>() {
    if constexpr (sizeof(T) == 2) {
      if (g.c_dtype == float32) return ordered<T, float>(g);
    }
    ordered<T, T>(g);
  });
}

}  // namespace ordo::kernels::cpu

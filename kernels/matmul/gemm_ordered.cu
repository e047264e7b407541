// Matrix products in the order of rule 3 (docs/ordering.md) on CUDA: a block of threads makes a square of C from
// squares of A and B in shared memory.
#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/dispatch.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/matmul/gemm_ordered.h>

namespace ordo::kernels::cuda {
namespace {

constexpr int kTile = 64, kDepth = 16, kSide = 16, kThreads = kSide * kSide, kEach = kTile / kSide;
static_assert(kOrderedBlock % kDepth == 0);

// Adding the first product to -0 gives that product, whatever it is.
template <class A>
__device__ inline A nothing() {
  return A(-0.0);
}
template <>
__device__ inline uint64_t nothing<uint64_t>() {
  return 0;
}

template <class A, class T>
__device__ inline void load_square(A (&square)[kDepth][kTile + 1], const T* from, int64_t across, int64_t along,
                                   int64_t extent, int64_t depth) {
  for (int e = int(threadIdx.x); e < kTile * kDepth; e += kThreads) {
    const int i = along == 1 ? e / kDepth : e % kTile, k = along == 1 ? e % kDepth : e / kTile;
    square[k][i] = i < extent && k < depth ? A(from[i * across + k * along]) : A(0);
  }
}

template <class T, class C>
__global__ void __launch_bounds__(kThreads, sizeof(T) > 4 || std::is_integral_v<T> ? 1 : 2)
    ordered_gemm_kernel(Gemm g, int64_t row_tiles, int64_t col_tiles) {
  using A = product_sum_t<T>;
  using Square = A[kDepth][kTile + 1];
  ORDO_SHARED(Square, a_square);
  ORDO_SHARED(Square, b_square);
  const int x = int(threadIdx.x) % kSide, y = int(threadIdx.x) / kSide;
  ORDO_NO_UNROLL
  for (int64_t unit = blockIdx.x; unit < g.batch * row_tiles * col_tiles; unit += gridDim.x) {
    const int64_t batch = unit / (row_tiles * col_tiles);
    const int64_t i0 = unit / col_tiles % row_tiles * kTile, j0 = unit % col_tiles * kTile;
    const T* const a = g.a.at<T>(batch, i0, 0);
    const T* const b = g.b.at<T>(batch, 0, j0);
    A sum[kEach][kEach], block[kEach][kEach];
    for (int r = 0; r < kEach; ++r)
      for (int c = 0; c < kEach; ++c) sum[r][c] = A(0), block[r][c] = nothing<A>();
    for (int64_t k0 = 0; k0 < g.k; k0 += kDepth) {
      const int depth = int(g.k - k0 < kDepth ? g.k - k0 : kDepth);
      load_square(a_square, a + k0 * g.a.col, g.a.row, g.a.col, g.m - i0, depth);
      load_square(b_square, b + k0 * g.b.row, g.b.col, g.b.row, g.n - j0, depth);
      __syncthreads();
      for (int k = 0; k < depth; ++k)
        for (int r = 0; r < kEach; ++r)
          for (int c = 0; c < kEach; ++c)
            block[r][c] = block[r][c] + a_square[k][y + r * kSide] * b_square[k][x + c * kSide];
      __syncthreads();
      const int64_t next = k0 + kDepth;
      if (next % kOrderedBlock == 0 || next >= g.k) {
        const bool first = k0 < kOrderedBlock;
        for (int r = 0; r < kEach; ++r)
          for (int c = 0; c < kEach; ++c) {
            sum[r][c] = first ? block[r][c] : sum[r][c] + block[r][c];
            block[r][c] = nothing<A>();
          }
      }
    }
    const T* const bias = static_cast<const T*>(g.bias);
    for (int r = 0; r < kEach; ++r)
      for (int c = 0; c < kEach; ++c) {
        const int64_t i = i0 + y + r * kSide, j = j0 + x + c * kSide;
        if (i >= g.m || j >= g.n) continue;
        C* const out = const_cast<C*>(g.c.at<C>(batch, i, j));
        A value = sum[r][c];
        if (g.accumulate) value = A(*out) + value;
        if (bias) value = value + A(bias[g.bias_per_row ? i : j]);
        *out = C(value);
      }
  }
}

template <class T, class C>
void launch_ordered(const Gemm& g, Device device) {
  const ordo::cuda::DeviceScope scope(device);
  const int64_t row_tiles = (g.m + kTile - 1) / kTile, col_tiles = (g.n + kTile - 1) / kTile;
  ordo::cuda::launch(ordered_gemm_kernel<T, C>, ordo::cuda::grid_for(g.batch * row_tiles * col_tiles, 1),
                     dim3(kThreads), 0, ordo::cuda::current_stream(device), g, row_tiles, col_tiles);
}

}  // namespace

void ordered_gemm(const Gemm& g, Device device) {
  dispatch_numeric("matmul", g.dtype, [&]<class T>() {
    if constexpr (sizeof(T) == 2) {
      if (g.c_dtype == float32) return launch_ordered<T, float>(g, device);
    }
    launch_ordered<T, T>(g, device);
  });
}

}  // namespace ordo::kernels::cuda

// Matrix products in the order of rule 3 (docs/ordering.md) on CUDA. A block of threads makes a tile of C; each thread
// keeps its part in registers. Slices of A and B wait in shared memory, in two buffers: while one is multiplied, the
// next slice is on its way from global memory. docs/gpu-model.md counts what that costs.
#include <type_traits>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/run/determinism.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/matmul/gemm_ordered.h>
#include <ordo/kernels/matmul/gemm_slices.h>
#include <ordo/kernels/ordering/ordered_sum.h>

namespace ordo::kernels::cuda {
namespace {

constexpr int kSide = 16, kThreads = kSide * kSide;
constexpr int kCols = 4 * kSide;     // of a tile; a thread has four neighbours
constexpr int64_t kManyTiles = 256;  // about two for each processor: from here on tiles may be twice as high
constexpr int64_t kSliceElements = int64_t(1) << 24;  // of slices' results that are kept at a time

// Read from shared memory at once.
template <class A>
struct alignas(4 * sizeof(A)) Four {
  A v[4];
};

template <class A>
constexpr int kDepth = sizeof(A) == 8 ? 8 : 16;  // of a slice in shared memory

// A row of a slice: four elements more, so that rows begin in different banks.
template <class A, int Extent>
using Slice = Four<A>[kDepth<A>][Extent / 4 + 1];

// a b + c, rounded once.
__device__ inline float fused(float a, float b, float c) { return fmaf(a, b, c); }
__device__ inline double fused(double a, double b, double c) { return fma(a, b, c); }
__device__ inline uint64_t fused(uint64_t a, uint64_t b, uint64_t c) { return a * b + c; }

// A thread's part of the slices of one operand, on its way: elements that lie at equal distances, rows (or columns) i
// and values of k. Neighbouring threads read what lies together.
template <class T, int Extent>
class Fetched {
  using A = product_sum_t<T>;
  static constexpr int kEach = Extent * kDepth<A> / kThreads;
  const T* at_;
  int64_t step_, next_;
  int i_, k_, di_, dk_, extent_;
  A value_[kEach];

 public:
  /// `across` and `along` are the strides over rows (or columns) and over k.
  __device__ Fetched(const T* from, int64_t across, int64_t along, int64_t extent) {
    const int t = int(threadIdx.x);
    const bool k_together = along == 1;
    i_ = k_together ? t / kDepth<A> : t % Extent;
    k_ = k_together ? t % kDepth<A> : t / Extent;
    di_ = k_together ? kThreads / kDepth<A> : 0;
    dk_ = k_together ? 0 : kThreads / Extent;
    at_ = from + i_ * across + k_ * along;
    step_ = di_ * across + dk_ * along;
    next_ = kDepth<A> * along;
    extent_ = int(extent < Extent ? extent : Extent);
  }
  /// Of the next slice, of which `depth` values of k are left.
  __device__ void load(int64_t depth) {
    const int count = int(depth < kDepth<A> ? depth : kDepth<A>);
    const T* from = at_;
    for (int e = 0; e < kEach; ++e, from += step_)
      value_[e] = i_ + e * di_ < extent_ && k_ + e * dk_ < count ? A(*from) : A(0);
    at_ += next_;
  }
  __device__ void store(Slice<A, Extent>& slice) const {
    for (int e = 0; e < kEach; ++e) {
      const int i = i_ + e * di_;
      slice[k_ + e * dk_][i / 4].v[i % 4] = value_[e];
    }
  }
};

// Rows of a tile that a thread has: 1, or as many fours of neighbours as fit.
template <class A, int Rows>
__device__ inline void multiply(const Slice<A, kSide * Rows>& a, const Slice<A, kCols>& b, int k, int x, int y,
                                A (&block)[Rows][4]) {
  const Four<A> columns = b[k][x];
  if constexpr (Rows == 1) {
    const A row = a[k][y / 4].v[y % 4];
    for (int c = 0; c < 4; ++c) block[0][c] = fused(row, columns.v[c], block[0][c]);
  } else {
    for (int f = 0; f < Rows / 4; ++f) {
      const Four<A> rows = a[k][f * kSide + y];
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) block[4 * f + r][c] = fused(rows.v[r], columns.v[c], block[4 * f + r][c]);
    }
  }
}

// k <= kSlice.
template <class T, class C, int Rows>
__global__ void __launch_bounds__(kThreads, sizeof(product_sum_t<T>) == 8 ? 1 : 2)
    ordered_gemm_kernel(Gemm g, int64_t row_tiles, int64_t col_tiles) {
  using A = product_sum_t<T>;
  constexpr int kRows = kSide * Rows;
  using RowSlice = Slice<A, kRows>;
  using ColSlice = Slice<A, kCols>;
  ORDO_SHARED(RowSlice, a_slices, [2]);
  ORDO_SHARED(ColSlice, b_slices, [2]);
  const int x = int(threadIdx.x) % kSide, y = int(threadIdx.x) / kSide;
  ORDO_NO_UNROLL
  for (int64_t unit = blockIdx.x; unit < g.batch * row_tiles * col_tiles; unit += gridDim.x) {
    const int64_t batch = unit / (row_tiles * col_tiles);
    const int64_t i0 = unit / col_tiles % row_tiles * kRows, j0 = unit % col_tiles * kCols;
    A sum[Rows][4], block[Rows][4];
    for (int r = 0; r < Rows; ++r)
      for (int c = 0; c < 4; ++c) sum[r][c] = g.k > 0 ? kNoValue<A> : A(0), block[r][c] = kNoValue<A>;
    Fetched<T, kRows> next_a(g.a.at<T>(batch, i0, 0), g.a.row, g.a.col, g.m - i0);
    Fetched<T, kCols> next_b(g.b.at<T>(batch, 0, j0), g.b.col, g.b.row, g.n - j0);
    const auto keep = [&](int buffer) {
      next_a.store(a_slices[buffer]);
      next_b.store(b_slices[buffer]);
      __syncthreads();
    };
    next_a.load(g.k);
    next_b.load(g.k);
    keep(0);
    int buffer = 0;
    ORDO_NO_UNROLL
    for (int64_t k0 = 0; k0 < g.k; k0 += kDepth<A>) {
      const int64_t next = k0 + kDepth<A>;
      if (next < g.k) {
        next_a.load(g.k - next);
        next_b.load(g.k - next);
      }
      if (next <= g.k) {
        for (int k = 0; k < kDepth<A>; ++k) multiply<A, Rows>(a_slices[buffer], b_slices[buffer], k, x, y, block);
      } else {
        ORDO_NO_UNROLL
        for (int k = 0; k < int(g.k - k0); ++k) multiply<A, Rows>(a_slices[buffer], b_slices[buffer], k, x, y, block);
      }
      if (next % kOrderedBlock == 0 || next >= g.k)
        for (int r = 0; r < Rows; ++r)
          for (int c = 0; c < 4; ++c) sum[r][c] = sum[r][c] + block[r][c], block[r][c] = kNoValue<A>;
      buffer ^= 1;
      if (next < g.k) keep(buffer);  // all threads have left this buffer since they met last
    }
    __syncthreads();
    for (int r = 0; r < Rows; ++r)
      for (int c = 0; c < 4; ++c) {
        const int64_t i = i0 + (Rows == 1 ? y : r / 4 * 4 * kSide + 4 * y + r % 4), j = j0 + 4 * x + c;
        if (i < g.m && j < g.n) store_sum<T, C>(g, batch, i, j, sum[r][c]);
      }
  }
}

// One matrix of C from its sums, which are row-major.
template <class T, class C>
__global__ void finish_gemm_kernel(Gemm g, int64_t batch, const product_sum_t<T>* sums) {
  for (int64_t e = ordo::cuda::thread_index(); e < g.m * g.n; e += ordo::cuda::thread_count())
    store_sum<T, C>(g, batch, e / g.n, e % g.n, sums[e]);
}

template <class T, class C>
__global__ void start_gemm_kernel(Gemm g) {
  ORDO_NO_UNROLL
  for (int64_t e = ordo::cuda::thread_index(); e < g.batch * g.m * g.n; e += ordo::cuda::thread_count())
    store_sum<T, C>(g, e / (g.n * g.m), e / g.n % g.m, e % g.n, g.bias ? kNoValue<product_sum_t<T>> : 0);
}

int64_t tiles(int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; }

template <class T, class C, int Rows>
void launch_tiles(const Gemm& g, Device device) {
  const int64_t row_tiles = tiles(g.m, kSide * Rows), col_tiles = tiles(g.n, kCols);
  ordo::cuda::launch(ordered_gemm_kernel<T, C, Rows>, ordo::cuda::grid_for(g.batch * row_tiles * col_tiles, 1),
                     dim3(kThreads), 0, ordo::cuda::current_stream(device), g, row_tiles, col_tiles);
}

/// Rows of C that tiles of so many rows compute, those beyond m included.
int64_t computed(int64_t m, int64_t rows) { return tiles(m, rows) * rows; }

template <class T, class C>
void product(const Gemm& g, Device device) {
  if constexpr (!std::is_integral_v<T>) {
    using A = product_sum_t<T>;
    const int64_t width = tiles(g.n, kCols), short_tiles = g.batch * tiles(g.m, 4 * kSide) * width;
    // A few tiles leave most processors idle: then blocks of k are products of their own.
    const bool few = g.batch == 1 && short_tiles < kManyTiles / 2 && g.k >= 4 * kOrderedBlock;
    if (g.k > kSlice || few)
      return sliced_product<T, A>(
          g, few ? kOrderedBlock : kSlice, kSliceElements, device,
          [&](const Gemm& part) { product<T, A>(part, device); },
          [&](int64_t batch, const A* sums) {
            ordo::cuda::launch_over(finish_gemm_kernel<T, C>, g.m * g.n, ordo::cuda::current_stream(device), g, batch,
                                    sums);
          });
    if constexpr (sizeof(A) == 4)
      if (g.m <= kSide) return launch_tiles<T, C, 1>(g, device);
    // The higher tile reads less from shared memory for each product, about a quarter of its time.
    if (g.batch * tiles(g.m, 8 * kSide) * width >= kManyTiles &&
        4 * computed(g.m, 8 * kSide) <= 5 * computed(g.m, 4 * kSide))
      return launch_tiles<T, C, 8>(g, device);
  }
  launch_tiles<T, C, 4>(g, device);
}

/// f.operator()<T, C>() for the types of the operands and of C.
template <class F>
void with_types(const Gemm& g, const F& f) {
  dispatch_numeric("matmul", g.dtype, [&]<class T>() {
    if constexpr (sizeof(T) == 2) {
      if (g.c_dtype == float32) return f.template operator()<T, float>();
    }
    f.template operator()<T, T>();
  });
}

}  // namespace

void ordered_gemm(const Gemm& g, Device device) {
  const ordo::cuda::DeviceScope scope(device);
  with_types(g, [&]<class T, class C>() { product<T, C>(g, device); });
}

void start_gemm(const Gemm& g, Device device) {
  const ordo::cuda::DeviceScope scope(device);
  with_types(g, [&]<class T, class C>() {
    if constexpr (!std::is_integral_v<T>)
      ordo::cuda::launch_over(start_gemm_kernel<T, C>, g.batch * g.m * g.n, ordo::cuda::current_stream(device), g);
  });
}

#if ORDO_EMULATED  // which has no cuBLAS
void library_gemm(const Gemm& g, Device device) { ordered_gemm(g, device); }
#endif

void gemm(const Gemm& g, Device device) {
  if (!is_floating(g.dtype) || determinism() == Determinism::device_to_device)
    ordered_gemm(g, device);
  else
    library_gemm(g, device);
}

}  // namespace ordo::kernels::cuda

#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/copy/strided.h>
#include <ordo/kernels/elementwise/convert.h>
#include <ordo/kernels/elementwise/loops_cuda.cuh>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {
namespace {

constexpr int kTile = 32;

template <class T>
__global__ void copy_kernel(Layout<2> layout, T* to, const T* from) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < layout.numel; i += ordo::cuda::thread_count()) {
    int64_t at[2];
    offsets_at(layout, i, at);
    to[at[0]] = from[at[1]];
  }
}

/// The operands are contiguous along dimensions 0 and d. One block moves one tile of those through shared memory, so
/// that reads and writes both run along memory.
template <class T>
__global__ void copy_tiled_kernel(Layout<2> outer, int64_t columns, int64_t rows, int64_t to_row_stride,
                                  int64_t from_column_stride, T* to, const T* from) {
  ORDO_SHARED(T, tile, [kTile][kTile + 1]);
  const int64_t column_tiles = (columns + kTile - 1) / kTile, row_tiles = (rows + kTile - 1) / kTile;
  const int64_t tiles = column_tiles * row_tiles * outer.numel;
  const int x = int(threadIdx.x) % kTile, y0 = int(threadIdx.x) / kTile, y_step = int(blockDim.x) / kTile;
  ORDO_NO_UNROLL
  for (int64_t w = blockIdx.x; w < tiles; w += gridDim.x) {
    int64_t at[2] = {0, 0};
    if (outer.rank > 0) offsets_at(outer, w / (column_tiles * row_tiles), at);
    const int64_t column0 = w % column_tiles * kTile, row0 = w / column_tiles % row_tiles * kTile;
    for (int y = y0; y < kTile; y += y_step)
      if (column0 + y < columns && row0 + x < rows)
        tile[y][x] = from[at[1] + (column0 + y) * from_column_stride + row0 + x];
    __syncthreads();
    for (int y = y0; y < kTile; y += y_step)
      if (row0 + y < rows && column0 + x < columns) to[at[0] + (row0 + y) * to_row_stride + column0 + x] = tile[x][y];
    __syncthreads();
  }
}

/// The number as an R.
template <class R>
struct As {
  template <class V>
  ORDO_HD math_t<R> operator()(V value) const {
    return math_t<R>(value);
  }
};
/// to[i] = R(from[i]) where both lie flat and are aligned; else false, and nothing.
template <class R, class T>
bool move_flat(const CopyArgs& args) {
  const Layout<2>& l = args.layout;
  return l.rank == 1 && l.strides[0][0] == 1 && l.strides[1][0] == 1 &&
         flat_loop<R, T>(l.numel, static_cast<R*>(args.to), As<R>(), args.device,
                         Elements<T>{static_cast<const T*>(args.from), {}});
}

struct SixteenBytes {
  alignas(16) uint64_t v[2];
};

// Of memory that is aligned to 16 bytes.
__global__ void fill_flat_kernel(char* to, uint64_t pattern, int64_t bytes) {
  const int64_t packs = bytes / 16, i = ordo::cuda::thread_index();
  ORDO_NO_UNROLL
  for (int64_t k = i; k < packs; k += ordo::cuda::thread_count())
    reinterpret_cast<SixteenBytes*>(to)[k] = SixteenBytes{{pattern, pattern}};
  if (i == 0)
    for (int64_t k = 16 * packs; k < bytes; ++k) to[k] = char(pattern >> 8 * (k % 8));
}

template <class T>
__global__ void fill_kernel(Layout<1> layout, T* to, T value) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < layout.numel; i += ordo::cuda::thread_count()) {
    int64_t at[1];
    offsets_at(layout, i, at);
    to[at[0]] = value;
  }
}

template <class T>
void copy_same(const CopyArgs& args) {
  const Layout<2>& l = args.layout;
  T* to = static_cast<T*>(args.to);
  const T* from = static_cast<const T*>(args.from);
  const cudaStream_t stream = ordo::cuda::current_stream(args.device);
  if (move_flat<T, T>(args)) return;
  const int d = tiled_dimension(l);
  if (d == 0) {
    ordo::cuda::launch_over(copy_kernel<T>, l.numel, stream, l, to, from);
    return;
  }
  const Layout<2> outer = without_tile(l, d);
  const int64_t tiles = (l.sizes[0] + kTile - 1) / kTile * ((l.sizes[d] + kTile - 1) / kTile) * outer.numel;
  ordo::cuda::launch(copy_tiled_kernel<T>, ordo::cuda::grid_for(tiles, 1), unsigned(ordo::cuda::launch_tuning().block),
                     0, stream, outer, l.sizes[0], l.sizes[d], l.strides[0][d], l.strides[1][0], to, from);
}

// What mixed precision converts. False where it is something else.
template <class R, class T>
bool convert_flat(const CopyArgs& args) {
  return args.to_dtype == dtype_of<R> && args.from_dtype == dtype_of<T> && move_flat<R, T>(args);
}

// Other conversions choose their types at run time: the branches are the same for every thread, and the kernel waits for
// memory. The detour over V, which is int64 or double, loses nothing, because those hold every value of the types they
// stand for.
template <class V>
__device__ void convert_one(void* to, DType to_dtype, const void* from, DType from_dtype, const int64_t (&at)[2]) {
  V v{};
  with_type(from_dtype, [&]<class From>() {
    if constexpr (std::is_integral_v<From> == std::is_integral_v<V>) v = V(static_cast<const From*>(from)[at[1]]);
  });
  with_type(to_dtype, [&]<class To>() { static_cast<To*>(to)[at[0]] = convert<To>(v); });
}

__global__ void convert_kernel(Layout<2> layout, void* to, DType to_dtype, const void* from, DType from_dtype) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < layout.numel; i += ordo::cuda::thread_count()) {
    int64_t at[2];
    offsets_at(layout, i, at);
    if (is_floating(from_dtype))
      convert_one<double>(to, to_dtype, from, from_dtype, at);
    else
      convert_one<int64_t>(to, to_dtype, from, from_dtype, at);
  }
}

template <class Word>
struct TriangleElement {
  int64_t rows, columns, start;
  bool lower;
  const Word* in;
  Word* out;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t row = i / columns, column = i - row * columns;
    out[i] = (column < row % rows + start) == lower ? in[i] : Word(0);
  }
};

}  // namespace

void copy(const CopyArgs& args) {
  ordo::cuda::DeviceScope scope(args.device);
  if (args.to_dtype != args.from_dtype) {
    if (convert_flat<float, Half>(args) || convert_flat<float, BFloat16>(args) || convert_flat<float, double>(args) ||
        convert_flat<Half, float>(args) || convert_flat<BFloat16, float>(args) || convert_flat<double, float>(args))
      return;
    ordo::cuda::launch_over(convert_kernel, args.layout.numel, ordo::cuda::current_stream(args.device), args.layout,
                            args.to, args.to_dtype, args.from, args.from_dtype);
    return;
  }
  dispatch_word(size_of(args.to_dtype), [&]<class T>() { copy_same<T>(args); });
}

void fill(const FillArgs& args) {
  const ordo::cuda::DeviceScope scope(args.device);
  const cudaStream_t stream = ordo::cuda::current_stream(args.device);
  dispatch_word(args.element_size, [&]<class T>() {
    if (args.layout.rank == 1 && args.layout.strides[0][0] == 1 &&
        reinterpret_cast<uintptr_t>(args.to) % sizeof(SixteenBytes) == 0) {
      uint64_t pattern = 0;
      for (size_t at = 0; at < 8; at += sizeof(T)) pattern |= uint64_t(T(args.pattern)) << 8 * at;
      const int64_t bytes = args.layout.numel * int64_t(sizeof(T));
      ordo::cuda::launch_over(fill_flat_kernel, (bytes + 15) / 16, stream, static_cast<char*>(args.to), pattern, bytes);
    } else {
      ordo::cuda::launch_over(fill_kernel<T>, args.layout.numel, stream, args.layout, static_cast<T*>(args.to),
                              T(args.pattern));
    }
  });
}

void triangle(const Tensor& in, const Tensor& out, int64_t start, bool lower) {
  dispatch_word(in.element_size(), [&]<class Word>() {
    each(in.numel(),
         TriangleElement<Word>{in.size(-2), in.size(-1), start, lower, static_cast<const Word*>(in.data()),
                               static_cast<Word*>(out.data())},
         in.device());
  });
}

}  // namespace ordo::kernels::cuda

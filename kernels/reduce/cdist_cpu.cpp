#include <ordo/kernels/reduce/cdist.h>

#include <algorithm>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/elementwise/math.h>
#include <ordo/kernels/reduce/packet.h>
#include <ordo/kernels/reduce/reduce_cpu.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {
namespace cpu {
namespace {

/// Distances of one row to so many are computed side by side.
constexpr int kVectors = 2;
template <class T>
constexpr int64_t kWidth = kVectors* Packet<T>::lanes;
/// So many rows share the copy of those.
constexpr int64_t kRows = 64;

/// Lanes k, k + 8, k + 16 and k + 24 of rule 2 over the squares of x[i] - others[i][...], halved twice.
template <class T>
[[gnu::noinline]] void four_lanes(const T* x, const T* others, int n, int k, Packet<T>* out) {
  using P = Packet<T>;
  P lanes[4][kVectors];
  for (auto& lane : lanes) std::fill_n(lane, kVectors, P::all(T(-0.0)));
  const auto add = [&](int lane, int i) {
    const P a = P::all(x[i]);
    for (int v = 0; v < kVectors; ++v) {
      const P d = a - P::load(others + i * kWidth<T> + v * P::lanes);
      lanes[lane][v] = lanes[lane][v] + d * d;
    }
  };
  int i = k;
  for (; i + 24 < n; i += kReduceLanes)
    for (int lane = 0; lane < 4; ++lane) add(lane, i + 8 * lane);
  for (int lane = 0; lane < 4 && i < n; ++lane, i += 8) add(lane, i);
  for (int v = 0; v < kVectors; ++v) out[v] = (lanes[0][v] + lanes[2][v]) + (lanes[1][v] + lanes[3][v]);
}

/// The sums of n squares, at most a block.
template <class T>
void square_sums(const T* x, const T* others, int n, T* out) {
  using P = Packet<T>;
  P lanes[8][kVectors];
  const int used = std::min(n, 8);
  for (int k = 0; k < used; ++k) four_lanes(x, others, n, k, lanes[k]);
  for (int half = 4; half > 0; half /= 2)
    for (int k = 0; k < half && k + half < used; ++k)
      for (int v = 0; v < kVectors; ++v) lanes[k][v] = lanes[k][v] + lanes[k + half][v];
  for (int v = 0; v < kVectors; ++v) lanes[0][v].store(out + v * P::lanes);
}

/// Of each of `width` columns the block results, folded. Those of a block stand side by side, `stride` of them.
template <class T>
void fold_columns(const T* sums, int64_t blocks, int64_t stride, int64_t width, T* out) {
  if (blocks == 1) {
    std::copy_n(sums, width, out);
    return;
  }
  const Scratch<T> line(blocks, ordo::cpu);
  T* const values = line;
  for (int64_t w = 0; w < width; ++w) {
    for (int64_t b = 0; b < blocks; ++b) values[b] = sums[b * stride + w];
    out[w] = detail::fold_blocks<Addition<T>>(values, blocks);
  }
}

/// Rows [first, last) of one batch, to columns [column, column + width).
template <class T>
void distances(const T* x1, const T* x2, int64_t m, int64_t first, int64_t last, int64_t column, int64_t width,
               int64_t columns, T* out) {
  constexpr int64_t kWide = kWidth<T>;
  const int64_t blocks = (m + kReduceBlock - 1) / kReduceBlock;
  const Scratch<T> others(m * kWide, ordo::cpu), partial(blocks * kWide, ordo::cpu);
  T *const to = others, *const sums = partial;
  for (int64_t w = 0; w < kWide; ++w) {  // the last one stands in for those beyond it
    const T* from = x2 + (column + std::min(w, width - 1)) * m;
    for (int64_t i = 0; i < m; ++i) to[i * kWide + w] = from[i];
  }
  for (int64_t row = first; row < last; ++row) {
    const T* x = x1 + row * m;
    for (int64_t b = 0; b < blocks; ++b)
      square_sums(x + b * kReduceBlock, to + b * kReduceBlock * kWide,
                  int(std::min<int64_t>(kReduceBlock, m - b * kReduceBlock)), sums + b * kWide);
    T* at = out + row * columns + column;
    fold_columns(sums, blocks, kWide, width, at);
    for (int64_t w = 0; w < width; ++w) at[w] = math::sqrt(at[w]);
  }
}

/// Sums of so many neighbouring columns are computed side by side.
constexpr int kSumVectors = 4;
template <class T>
constexpr int64_t kSumWidth = kSumVectors* Packet<T>::lanes;

/// The sums of (x[w] - others[i][w]) weights[i] for kWide neighbouring w and n rows, at most a block, of `others`.
template <class T>
[[gnu::noinline]] void weighted_sums(const T* x, const T* others, int64_t stride, const T* weights, int n, T* out) {
  using P = Packet<T>;
  constexpr int kVectors = kSumVectors;
  P lanes[kReduceLanes][kVectors], values[kVectors];
  for (int v = 0; v < kVectors; ++v) values[v] = P::load(x + v * P::lanes);
  const int used = std::min(n, kReduceLanes);
  for (int lane = 0; lane < used; ++lane) {
    P sums[kVectors];
    std::fill_n(sums, kVectors, P::all(T(-0.0)));
    for (int i = lane; i < n; i += kReduceLanes) {
      const P weight = P::all(weights[i]);
      for (int v = 0; v < kVectors; ++v)
        sums[v] = sums[v] + (values[v] - P::load(others + i * stride + v * P::lanes)) * weight;
    }
    std::copy_n(sums, kVectors, lanes[lane]);
  }
  for (int half = kReduceLanes / 2; half > 0; half /= 2)
    for (int k = 0; k < half && k + half < used; ++k)
      for (int v = 0; v < kVectors; ++v) lanes[k][v] = lanes[k][v] + lanes[k + half][v];
  for (int v = 0; v < kVectors; ++v) lanes[0][v].store(out + v * P::lanes);
}

/// Of columns [column, column + width) and rows [first, last) of one batch.
template <class T>
void weighted_differences(const T* x1, const T* x2, const T* weights, int64_t m, int64_t first, int64_t last,
                          int64_t column, int64_t width, int64_t count, T* out) {
  constexpr int64_t kWide = cpu::kSumWidth<T>;
  const int64_t blocks = (count + kReduceBlock - 1) / kReduceBlock;
  const Scratch<T> others(width < kWide ? count * kWide : 0, ordo::cpu), partial(blocks * kWide, ordo::cpu);
  const T* from = x2 + column;
  T* const sums = partial;
  if (width < kWide) {  // with zeros beside them
    T* const to = others;
    std::fill_n(to, count * kWide, T(0));
    for (int64_t i = 0; i < count; ++i) std::copy_n(from + i * m, width, to + i * kWide);
    from = to;
  }
  const int64_t stride = width < kWide ? kWide : m;
  for (int64_t row = first; row < last; ++row) {
    T x[kWide] = {};
    std::copy_n(x1 + row * m + column, width, x);
    for (int64_t b = 0; b < blocks; ++b)
      weighted_sums(x, from + b * kReduceBlock * stride, stride, weights + row * count + b * kReduceBlock,
                    int(std::min<int64_t>(kReduceBlock, count - b * kReduceBlock)), sums + b * kWide);
    fold_columns(sums, blocks, kWide, width, out + row * m + column);
  }
}

/// work(batch, first row, last row, first column, columns) for tiles of kRows x `wide` elements of `batches` matrices;
/// each element takes `terms` steps.
template <class Work>
void for_each_tile(int64_t batches, int64_t rows, int64_t columns, int64_t wide, int64_t terms, const Work& work) {
  const int64_t tiles = (columns + wide - 1) / wide, parts = (rows + kRows - 1) / kRows;
  const int64_t cost = std::min(rows, kRows) * wide * std::max<int64_t>(terms, 1);
  parallel_for(0, batches * tiles * parts, std::max<int64_t>(1, kReduceGrain / cost), [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const int64_t part = item % parts, column = item / parts % tiles * wide;
      work(item / (parts * tiles), part * kRows, std::min(rows, (part + 1) * kRows), column,
           std::min(wide, columns - column));
    }
  });
}

}  // namespace
}  // namespace cpu

Tensor euclidean_distances(const Tensor& x1, const Tensor& x2) {
  if (!x1.is_cpu() || x1.size(2) == 0 || (x1.dtype() != float32 && x1.dtype() != float64)) return {};
  const int64_t batches = x1.size(0), rows = x1.size(1), columns = x2.size(1), m = x1.size(2);
  Tensor out = ordo::detail::result({batches, rows, columns}, x1.dtype(), x1.device());
  if (out.numel() == 0) return out;
  const auto of = [&]<class T>() {
    const T *a = x1.data<T>(), *b = x2.data<T>();
    T* const to = out.data<T>();
    cpu::for_each_tile(batches, rows, columns, cpu::kWidth<T>, m,
                       [&](int64_t batch, int64_t first, int64_t last, int64_t column, int64_t width) {
                         cpu::distances(a + batch * rows * m, b + batch * columns * m, m, first, last, column, width,
                                        columns, to + batch * rows * columns);
                       });
  };
  x1.dtype() == float64 ? of.operator()<double>() : of.operator()<float>();
  return out;
}

Tensor weighted_differences(const Tensor& x1, const Tensor& x2, const Tensor& weights) {
  const int64_t batches = x1.size(0), rows = x1.size(1), columns = x2.size(1), m = x1.size(2);
  Tensor out = ordo::detail::result_like(x1);
  if (out.numel() == 0) return out;
  if (columns == 0) return full(x1.sizes(), 0, x1.dtype(), x1.device());
  const auto of = [&]<class T>() {
    const T *a = x1.data<T>(), *b = x2.data<T>(), *w = weights.data<T>();
    T* const to = out.data<T>();
    cpu::for_each_tile(batches, rows, m, cpu::kSumWidth<T>, columns,
                       [&](int64_t batch, int64_t first, int64_t last, int64_t column, int64_t width) {
                         cpu::weighted_differences(a + batch * rows * m, b + batch * columns * m,
                                                   w + batch * rows * columns, m, first, last, column, width, columns,
                                                   to + batch * rows * m);
                       });
  };
  x1.dtype() == float64 ? of.operator()<double>() : of.operator()<float>();
  return out;
}

}  // namespace ordo::kernels

#include <ordo/kernels/reduce/cdist.h>

#include <algorithm>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/elementwise/math.h>
#include <ordo/kernels/matmul/packet.h>
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
      lanes[lane][v] = P::template add_product<false>(d, d, lanes[lane][v]);
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
    if (blocks == 1) {
      for (int64_t w = 0; w < width; ++w) at[w] = math::sqrt(sums[w]);
      continue;
    }
    const Scratch<T> line(blocks, ordo::cpu);
    T* const values = line;
    for (int64_t w = 0; w < width; ++w) {
      for (int64_t b = 0; b < blocks; ++b) values[b] = sums[b * kWide + w];
      at[w] = math::sqrt(detail::fold_blocks<Addition<T>>(values, blocks));
    }
  }
}

template <class T>
struct WeightedDifferences : Addition<T> {
  const T *x, *others, *weights;
  T* out;
  WeightedDifferences(const T* x, const T* others, const T* weights, T* out)
      : x(x), others(others), weights(weights), out(out) {}
  T load(int64_t offset, int64_t i, int64_t output) const { return (x[output] - others[offset]) * weights[i]; }
  void store(int64_t o, T s) const { out[o] = s; }
};

}  // namespace
}  // namespace cpu

Tensor euclidean_distances(const Tensor& x1, const Tensor& x2) {
  const int64_t batches = x1.size(0), rows = x1.size(1), columns = x2.size(1), m = x1.size(2);
  Tensor out = ordo::detail::result({batches, rows, columns}, x1.dtype(), x1.device());
  if (out.numel() == 0) return out;
  const auto of = [&]<class T>() {
    constexpr int64_t kWide = cpu::kWidth<T>;
    const T *a = x1.data<T>(), *b = x2.data<T>();
    T* to = out.data<T>();
    const int64_t tiles = (columns + kWide - 1) / kWide, parts = (rows + cpu::kRows - 1) / cpu::kRows;
    const int64_t cost = std::min(rows, cpu::kRows) * kWide * std::max<int64_t>(m, 1);
    const int64_t grain = std::max<int64_t>(1, cpu::kReduceGrain / cost);
    parallel_for(0, batches * tiles * parts, grain, [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        const int64_t part = item % parts, tile = item / parts % tiles, batch = item / (parts * tiles);
        cpu::distances(a + batch * rows * m, b + batch * columns * m, m, part * cpu::kRows,
                       std::min(rows, (part + 1) * cpu::kRows), tile * kWide, std::min(kWide, columns - tile * kWide),
                       columns, to + batch * rows * columns);
      }
    });
  };
  x1.dtype() == float64 ? of.operator()<double>() : of.operator()<float>();
  return out;
}

Tensor weighted_differences(const Tensor& x1, const Tensor& x2, const Tensor& weights) {
  const int64_t batches = x1.size(0), rows = x1.size(1), columns = x2.size(1), m = x1.size(2);
  Tensor out = ordo::detail::result_like(x1);
  if (out.numel() == 0) return out;
  const ReduceShape across = reduce_shape(Dims{columns, m}, Dims{m, 1}, 1);
  const auto of = [&]<class T>() {
    const T *a = x1.data<T>(), *b = x2.data<T>(), *w = weights.data<T>();
    T* to = out.data<T>();
    const int64_t grain = std::max<int64_t>(1, cpu::kReduceGrain / std::max<int64_t>(1, columns * m));
    parallel_for(0, batches * rows, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        cpu::reduce(
            cpu::WeightedDifferences<T>(a + row * m, b + row / rows * columns * m, w + row * columns, to + row * m),
            across);
    });
  };
  x1.dtype() == float64 ? of.operator()<double>() : of.operator()<float>();
  return out;
}

}  // namespace ordo::kernels

#include <ordo/kernels/reduce/cdist.h>

#include <algorithm>

#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/math/math.h>
#include <ordo/kernels/reduce/reduce_cpu.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {
namespace cpu {
namespace {

/// Columns whose sums are computed side by side, in two vectors for each lane.
template <class T>
constexpr int kWide = 64 / sizeof(T);
/// Rows that share a copy of such columns.
constexpr int64_t kRows = 64;

/// Lanes k, k + 8, k + 16 and k + 24 of rule 2, halved twice, over terms [begin, end).
template <class T, class Term>
[[gnu::noinline]] void four_lanes(Term term, int64_t begin, int64_t end, int k, T* out) {
  T s[4][kWide<T>];
  for (auto& lane : s) std::fill_n(lane, kWide<T>, T(-0.0));
  int64_t i = begin + k;
  for (; i + 24 < end; i += kReduceLanes)
    for (int lane = 0; lane < 4; ++lane)
      for (int w = 0; w < kWide<T>; ++w) s[lane][w] += term(i + 8 * lane, w);
  for (int lane = 0; lane < 4 && i < end; ++lane, i += 8)
    for (int w = 0; w < kWide<T>; ++w) s[lane][w] += term(i, w);
  for (int w = 0; w < kWide<T>; ++w) out[w] = (s[0][w] + s[2][w]) + (s[1][w] + s[3][w]);
}

/// The sums of terms [begin, end), at most a block.
template <class T, class Term>
void block_sums(const Term& term, int64_t begin, int64_t end, T* out) {
  T lanes[8][kWide<T>];
  const int used = int(std::min<int64_t>(end - begin, 8));
  for (int k = 0; k < used; ++k) four_lanes(term, begin, end, k, lanes[k]);
  for (int half = 4; half > 0; half /= 2)
    for (int k = 0; k < half && k + half < used; ++k)
      for (int w = 0; w < kWide<T>; ++w) lanes[k][w] += lanes[k + half][w];
  std::copy_n(lanes[0], kWide<T>, out);
}

/// Sums of `count` terms for each element of `batches` matrices.
struct PairSums {
  int64_t batches, rows, columns, count;

  /// store(batch, row, column, sum). A term is term_of(batch, row, columns, others)(k, w) for column number w of
  /// `columns`, the neighbours that are computed together; others[k kWide + w] = other(batch, column, k).
  template <class T, class Other, class TermOf, class Store>
  void run(const Other& other, const TermOf& term_of, const Store& store) const {
    constexpr int64_t kWide = cpu::kWide<T>;
    const int64_t tiles = (columns + kWide - 1) / kWide, parts = (rows + kRows - 1) / kRows;
    const int64_t blocks = (count + kReduceBlock - 1) / kReduceBlock,
                  cost = std::min(rows, kRows) * kWide * std::max<int64_t>(1, count);
    parallel_for(0, batches * tiles * parts, std::max<int64_t>(1, kReduceGrain / cost), [&](int64_t from, int64_t to) {
      const Scratch<T> copied(count * kWide, ordo::cpu), partial(blocks * kWide, ordo::cpu), line(blocks, ordo::cpu);
      T *const others = copied, *const sums = partial, *const values = line;
      int64_t column[kWide];
      for (int64_t item = from; item < to; ++item) {
        const int64_t part = item % parts, begin = item / parts % tiles * kWide, batch = item / (parts * tiles);
        for (int64_t w = 0; w < kWide; ++w) column[w] = std::min(begin + w, columns - 1);  // the last one stands in
        for (int64_t k = 0; k < count; ++k)
          for (int64_t w = 0; w < kWide; ++w) others[k * kWide + w] = other(batch, column[w], k);
        for (int64_t row = part * kRows; row < std::min(rows, (part + 1) * kRows); ++row) {
          const auto term = term_of(batch, row, column, others);
          for (int64_t b = 0; b < blocks; ++b)
            block_sums(term, b * kReduceBlock, std::min(count, (b + 1) * kReduceBlock), sums + b * kWide);
          for (int64_t w = 0; w < std::min(kWide, columns - begin); ++w) {
            for (int64_t b = 0; b < blocks; ++b) values[b] = sums[b * kWide + w];
            store(batch, row, begin + w, detail::fold_blocks<Addition<T>>(values, blocks));
          }
        }
      }
    });
  }
};

template <class T>
struct SquaredDifference {
  const T *x, *others;
  T operator()(int64_t k, int w) const {
    const T d = x[k] - others[k * kWide<T> + w];
    return d * d;
  }
};

template <class T>
struct WeightedDifference {
  T x[kWide<T>];
  const T *others, *weights;
  T operator()(int64_t k, int w) const { return (x[w] - others[k * kWide<T> + w]) * weights[k]; }
};

template <class F>
void with_type(const Tensor& t, const F& f) {
  t.dtype() == float64 ? f.template operator()<double>() : f.template operator()<float>();
}

}  // namespace
}  // namespace cpu

Tensor euclidean_distances(const Tensor& x1, const Tensor& x2) {
  if (!x1.is_cpu() || x1.size(2) == 0 || (x1.dtype() != float32 && x1.dtype() != float64)) return {};
  const int64_t rows = x1.size(1), columns = x2.size(1), m = x1.size(2);
  const Tensor out = ordo::detail::result({x1.size(0), rows, columns}, x1.dtype(), x1.device());
  if (out.numel() == 0) return out;
  cpu::with_type(out, [&]<class T>() {
    const T *a = x1.data<T>(), *b = x2.data<T>();
    T* const to = out.data<T>();
    cpu::PairSums{x1.size(0), rows, columns, m}.run<T>(
        [&](int64_t batch, int64_t j, int64_t k) { return b[(batch * columns + j) * m + k]; },
        [&](int64_t batch, int64_t i, const int64_t*, const T* others) {
          return cpu::SquaredDifference<T>{a + (batch * rows + i) * m, others};
        },
        [&](int64_t batch, int64_t i, int64_t j, T sum) { to[(batch * rows + i) * columns + j] = math::sqrt(sum); });
  });
  return out;
}

Tensor weighted_differences(const Tensor& x1, const Tensor& x2, const Tensor& weights) {
  const int64_t rows = x1.size(1), count = x2.size(1), m = x1.size(2);
  const Tensor out = ordo::detail::result_like(x1);
  if (out.numel() == 0) return out;
  if (count == 0) return full(x1.sizes(), 0, x1.dtype(), x1.device());
  cpu::with_type(out, [&]<class T>() {
    const T *a = x1.data<T>(), *b = x2.data<T>(), *by = weights.data<T>();
    T* const to = out.data<T>();
    cpu::PairSums{x1.size(0), rows, m, count}.run<T>(
        [&](int64_t batch, int64_t j, int64_t k) { return b[(batch * count + k) * m + j]; },
        [&](int64_t batch, int64_t i, const int64_t* columns, const T* others) {
          cpu::WeightedDifference<T> term{{}, others, by + (batch * rows + i) * count};
          for (int w = 0; w < cpu::kWide<T>; ++w) term.x[w] = a[(batch * rows + i) * m + columns[w]];
          return term;
        },
        [&](int64_t batch, int64_t i, int64_t j, T sum) { to[(batch * rows + i) * m + j] = sum; });
  });
  return out;
}

}  // namespace ordo::kernels

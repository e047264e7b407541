// Matrix products in the order of rule 3 (docs/ordering.md) on the CPU, at every level. This text is compiled once for
// each instruction set (Highway includes it again and again), and the best one that the processor has is chosen when
// the program runs. Each lane of a vector is one output, so neither vectors nor tiles nor threads change a bit.
#include <ordo/kernels/vectors/targets.h>  // before Highway's headers

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <ordo/kernels/matmul/gemm_cpu.cpp>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/half.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/matmul/gemm_ordered.h>
#include <ordo/kernels/matmul/gemm_slices.h>
#include <ordo/kernels/matmul/outer_cpu.h>
#include <ordo/kernels/matmul/pairs-inl.h>
#include <ordo/kernels/matmul/pairs.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/vectors/lanes-inl.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace ordo::kernels::cpu {
namespace HWY_NAMESPACE {
namespace {

constexpr int64_t divide_up(int64_t v, int64_t by) { return (v + by - 1) / by; }
constexpr int64_t round_up(int64_t v, int64_t to) { return divide_up(v, to) * to; }

// A micro product has up to kRows x kVectors vectors of sums. All of them and a row of b stay in registers.
constexpr int kRows = ORDO_MANY_REGISTERS ? 12 : 6;
constexpr int kFewRows = 4;  // fewer would wait for each sum's own latency
constexpr int kVectors = 2;
constexpr int64_t kDepth = kOrderedBlock;
constexpr int64_t kBlockRows = 96;  // of a, 96 KiB of floats: they and kBlockBytes fit a second-level cache of 512 KiB
constexpr int64_t kBlockBytes = 256 << 10;  // of b
constexpr int64_t kCopiedCols = 64;         // tiles of c at least this wide: pack rows of a first

template <class A>
constexpr int64_t kPanelCols = kVectors* Lanes<A>::count;

// Where the sums of a micro product go.
template <class A>
struct Target {
  A* c;
  int64_t row;                  // from row to row of c
  int64_t rows;                 // that are stored
  bool add, subtract;           // to or from what is in c
  const A* row_bias = nullptr;  // one value per row, added last
  const A* col_bias = nullptr;  // or per column
};

// c = or += a b for R rows and V vectors of columns; the rows of a are `a_row` apart, those of b kPanelCols. P: A, or pairs
// of elements, of which there are `depth`.
template <int R, int V, class P, class A>
void micro_product(int64_t depth, const P* HWY_RESTRICT a, int64_t a_row, const P* HWY_RESTRICT b, const Target<A> to) {
  using L = Lanes<A>;
  L sum[R][V];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
      __builtin_prefetch(to.c + (r < to.rows ? r : 0) * to.row + v * L::count, 1);
      sum[r][v] = L::all(kNoValue<A>);
    }
  }
  for (int64_t k = 0; k < depth; ++k, ++a, b += kPanelCols<A>) {
    Lanes<P> columns[V];
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) columns[v] = Lanes<P>::load(b + v * L::count);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const Lanes<P> row = Lanes<P>::all(a[r * a_row]);
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) sum[r][v] = Lanes<P>::fused(row, columns[v], sum[r][v]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    if (r == to.rows) return;
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
      A* const c = to.c + r * to.row + v * L::count;
      L value = sum[r][v];
      if (to.add) value = L::load(c) + value;
      if (to.subtract) value = L::load(c) - value;
      if (to.row_bias) value = value + L::all(to.row_bias[r]);
      if (to.col_bias) value = value + L::load(to.col_bias + v * L::count);
      value.store(c);
    }
  }
}

// The smallest micro product that covers `to.rows` and `cols`. Rows of a without a place in c may hold anything.
template <int R = kRows, class P, class A>
void any_product(int64_t cols, int64_t depth, const P* a, int64_t a_row, const P* b, const Target<A>& to) {
  if constexpr (R == kRows) {
    if (to.rows == 1) return any_product<1>(cols, depth, a, a_row, b, to);
  }
  if constexpr (R > kFewRows) {
    constexpr int kFewer = (R - 1) / kFewRows * kFewRows;
    if (to.rows <= kFewer) return any_product<kFewer>(cols, depth, a, a_row, b, to);
  }
  if (cols <= Lanes<A>::count)
    micro_product<R, 1>(depth, a, a_row, b, to);
  else
    micro_product<R, kVectors>(depth, a, a_row, b, to);
}

// depth x cols of b as panels of kPanelCols columns, in which the missing columns of the last are zeros. Whole rows are
// read before the next one is: where rows are pages apart, nothing else brings them into the cache in time.
template <class T, class A>
void pack_panels(const T* HWY_RESTRICT from, int64_t row, int64_t col, int64_t depth, int64_t cols,
                 A* HWY_RESTRICT to) {
  constexpr int64_t kCols = kPanelCols<A>, kRowsAhead = 4;
  const int64_t whole = cols / kCols * kCols;
  if (col == 1) {
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t j = 0; j < whole; j += kCols) {
        __builtin_prefetch(from + (k + kRowsAhead) * row + j);
        for (int64_t c = 0; c < kCols; ++c) to[j * depth + k * kCols + c] = A(from[k * row + j + c]);
      }
  } else {
    for (int64_t j = 0; j < whole; j += kCols)
      copy_matrix(from + j * col, row, col, depth, kCols, to + j * depth, kCols);
  }
  if (whole == cols) return;
  A* const last = to + whole * depth;
  copy_matrix(from + whole * col, row, col, depth, cols - whole, last, kCols);
  for (int64_t k = 0; k < depth; ++k) std::fill(last + k * kCols + cols - whole, last + (k + 1) * kCols, A(0));
}

constexpr uint16_t kNegativeZero = 0x8000;  // of a; its product with 0 changes no sum, not even one that is -0
#if ORDO_MULTIPLIES_PAIRS
// pack_panels() of pairs.
void pack_pairs(const BFloat16* from, int64_t row, int64_t col, int64_t depth, int64_t cols, Pair* to) {
  constexpr int64_t kCols = kPanelCols<float>;
  const int64_t steps = divide_up(depth, 2);
  for (int64_t j = 0; j < cols; j += kCols) {
    const int64_t own_cols = std::min(kCols, cols - j);
    if (own_cols < kCols) std::fill_n(to + j * steps, steps * kCols, Pair());
    copy_pairs(from + j * col, row, col, depth, own_cols, 0, to + j * steps, kCols, 1);
  }
}
#endif

// Brings a part of a block of a into the second-level cache while another is multiplied: share `part` of `parts`.
template <class T>
void prefetch_rows(const T* a, int64_t row, int64_t rows, int64_t depth, int64_t part, int64_t parts) {
  constexpr int64_t kLine = 64 / sizeof(T);
  for (int64_t r = rows * part / parts; r < rows * (part + 1) / parts; ++r)
    for (int64_t k = 0; k < depth; k += kLine) __builtin_prefetch(a + r * row + k, 0, 2);
}

// A thread's memory, grown on demand and kept.
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
    if (!memory) detail::throw_out_of_memory();
    held = rounded;
  }
  return memory.get();
}

// Writes sums to rows x cols elements of c, or subtracts them.
template <class T, class A, class C>
void finish(const Gemm& g, int64_t batch, int64_t i0, int64_t j0, int64_t rows, int64_t cols, const A* sums,
            int64_t row) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j) {
      const A sum = sums[i * row + j];
      store_sum<T, C>(g, batch, i0 + i, j0 + j, g.subtract ? A(*g.c.template at<C>(batch, i0 + i, j0 + j)) - sum : sum);
    }
}

// A product with 0 < k <= kSlice.
template <class T, class A, class C>
class Product {
  static constexpr int64_t kCols = kPanelCols<A>;
  const Gemm& g;
  const T* const bias = static_cast<const T*>(g.bias);
  // Sums are made in C itself, where that can hold them.
  const bool in_place = std::is_same_v<C, A> && std::is_same_v<T, A> && g.c.col == 1;
  int64_t tile_rows = 0, tile_cols = 0, row_tiles = 1, col_tiles = 1;

 public:
  explicit Product(const Gemm& gemm) : g(gemm) {
    const int64_t threads = num_threads();
    col_tiles = divide_up(g.n, kBlockBytes / int64_t(sizeof(A)) / kDepth / kCols * kCols);
    if (!in_place) row_tiles = divide_up(g.m, 4 * kBlockRows);
    const auto uneven = [&] {
      const int64_t tiles = g.batch * row_tiles * col_tiles;
      return tiles % threads != 0 && tiles < 8 * threads;
    };
    while (uneven() && g.m >= 2 * kRows * (row_tiles + 1)) ++row_tiles;
    while (uneven() && g.n >= kCols * (col_tiles + 1)) ++col_tiles;
    tile_rows = round_up(divide_up(g.m, row_tiles), kRows);
    tile_cols = round_up(divide_up(g.n, col_tiles), kCols);
    row_tiles = divide_up(g.m, tile_rows);
    col_tiles = divide_up(g.n, tile_cols);
  }

  void run() const {
    const int64_t tile_work = tile_rows * tile_cols * std::max<int64_t>(g.k, 16);
    parallel_for(0, g.batch * row_tiles * col_tiles, std::max<int64_t>(1, 100'000 / tile_work),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t unit = begin; unit < end; ++unit)
                     tile(unit / (row_tiles * col_tiles), unit / col_tiles % row_tiles * tile_rows,
                          unit % col_tiles * tile_cols);
                 });
  }

 private:
  // A part of C, and memory for blocks of a and b and for sums.
  struct Tile {
    int64_t batch, i0, j0, rows, cols;
    A *b, *a, *sums;
    int64_t sums_row() const { return round_up(cols, kCols); }
  };

  void tile(int64_t batch, int64_t i0, int64_t j0) const {
    Tile t{batch, i0, j0, std::min(tile_rows, g.m - i0), std::min(tile_cols, g.n - j0), nullptr, nullptr, nullptr};
    const int64_t b_size = g.packed ? 0 : std::min(g.k, kDepth) * t.sums_row(), a_size = kBlockRows * kDepth;
    const int64_t sums_size = in_place ? (kRows + 1) * kCols : t.rows * t.sums_row();
    t.b = static_cast<A*>(workspace(size_t(b_size + a_size + sums_size) * sizeof(A)));
    t.a = t.b + b_size;
    t.sums = t.a + a_size;
    for (int64_t k0 = 0; k0 < g.k; k0 += kDepth) {
#if ORDO_MULTIPLIES_PAIRS
      if constexpr (std::is_same_v<T, BFloat16>) {
        if (!g.packed && pairs_are_used() && are_normal(t, k0)) {
          add_products<Pair>(t, k0);
          continue;
        }
      }
#endif
      add_products<A>(t, k0);
    }
    if (!in_place) finish<T, A, C>(g, batch, i0, j0, t.rows, t.cols, t.sums, t.sums_row());
  }

#if ORDO_MULTIPLIES_PAIRS
  bool are_normal(const Tile& t, int64_t k0) const {
    const int64_t depth = std::min(kDepth, g.k - k0);
    return HWY_NAMESPACE::are_normal(
        smallest_exponent(g.a.template at<T>(t.batch, t.i0, k0), g.a.row, g.a.col, t.rows, depth),
        smallest_exponent(g.b.template at<T>(t.batch, k0, t.j0), g.b.row, g.b.col, depth, t.cols));
  }
#endif

  // The products of kDepth values of k. P: A, or pairs of T.
  template <class P>
  void add_products(const Tile& t, int64_t k0) const {
    constexpr bool kPairs = !std::is_same_v<P, A>;
    constexpr int64_t kTogether = kPairs ? 2 : 1, kPanelRow = kDepth / kTogether;
    const auto [batch, i0, j0, rows, cols, memory_b, memory_a, sums] = t;
    const int64_t depth = std::min(kDepth, g.k - k0), steps = divide_up(depth, kTogether);
    const T* const a = g.a.template at<T>(batch, i0, 0);
    const T* const b = g.b.template at<T>(batch, k0, j0);
    P *const own_b = reinterpret_cast<P*>(memory_b), *const block_a = reinterpret_cast<P*>(memory_a);
    const P* block_b = own_b;
    if constexpr (kPairs) {
      pack_pairs(b, g.b.row, g.b.col, depth, cols, own_b);
    } else if (g.packed) {
      block_b = static_cast<const A*>(g.packed) + k0 * round_up(g.n, kCols) + j0 * depth;
    } else {
      pack_panels(b, g.b.row, g.b.col, depth, cols, own_b);
    }
    const bool copies = !std::is_same_v<T, A> || g.a.col != 1 || cols > kCopiedCols;
    for (int64_t first = 0; first < rows; first += kBlockRows) {
      const int64_t block_rows = std::min(kBlockRows, rows - first);
      const T* const from = a + first * g.a.row + k0 * g.a.col;
      const int64_t copied_from = copies ? 0 : block_rows / kRows * kRows;  // the last panel may have missing rows
      if constexpr (kPairs)
        copy_pairs(from, g.a.col, g.a.row, depth, block_rows, kNegativeZero, block_a, 1, kPanelRow);
      else
        copy_matrix(from + copied_from * g.a.row, g.a.row, g.a.col, block_rows - copied_from, depth,
                    block_a + copied_from * kDepth, kDepth);
      const bool block_follows = first + kBlockRows < rows, depth_follows = k0 + kDepth < g.k;
      const int64_t next_first = block_follows ? first + kBlockRows : 0, next_k = block_follows ? k0 : k0 + kDepth;
      const int64_t next_rows = std::min(kBlockRows, rows - next_first), next_depth = std::min(kDepth, g.k - next_k);
      const int64_t parts = divide_up(cols, kCols) * divide_up(block_rows, kRows);
      const bool fetches = copies && g.a.col == 1 && (block_follows || depth_follows);
      int64_t part = 0;
      for (int64_t j = 0; j < cols; j += kCols)
        for (int64_t i = 0; i < block_rows; i += kRows, ++part) {
          if (fetches) prefetch_rows(a + next_first * g.a.row + next_k, g.a.row, next_rows, next_depth, part, parts);
          Target<A> to{};
          to.rows = std::min<int64_t>(kRows, block_rows - i);
          const P* panel = block_a + i * kPanelRow;
          int64_t a_row = kPanelRow;
          if constexpr (std::is_same_v<T, P>) {
            if (i < copied_from) panel = from + i * g.a.row, a_row = g.a.row;
          }
          if constexpr (!kPairs) {
            if (in_place) {
              in_place_product(batch, i0 + first + i, j0 + j, k0, depth, panel, a_row, block_b + j * depth, to, sums);
              continue;
            }
          }
          to.c = sums + (first + i) * t.sums_row() + j;
          to.row = t.sums_row();
          to.add = k0 > 0;
          any_product(cols - j, steps, panel, a_row, block_b + j * steps, to);
        }
    }
  }

  // The last columns of a row go through `edge`, because whole vectors would reach behind it.
  void in_place_product(int64_t batch, int64_t i, int64_t j, int64_t k0, int64_t depth, const A* a, int64_t a_row,
                        const A* b, Target<A> to, A* edge) const {
    if constexpr (std::is_same_v<C, A> && std::is_same_v<T, A>) {
      A* const c = const_cast<A*>(g.c.template at<A>(batch, i, j));
      const int64_t cols = g.n - j;
      to.c = c;
      to.row = g.c.row;
      to.add = k0 > 0;
      to.subtract = g.subtract;
      if (bias && k0 + depth == g.k) (g.bias_per_row ? to.row_bias : to.col_bias) = bias + (g.bias_per_row ? i : j);
      const bool whole = cols >= kCols || cols == Lanes<A>::count;
      if (!whole) {
        to.c = edge;
        to.row = kCols;
        for (int64_t r = 0; (to.add || to.subtract) && r < to.rows; ++r)
          std::copy_n(c + r * g.c.row, cols, edge + r * kCols);
        if (to.col_bias) to.col_bias = std::copy_n(to.col_bias, cols, edge + kRows * kCols) - cols;
      }
      any_product(cols, depth, a, a_row, b, to);
      for (int64_t r = 0; !whole && r < to.rows; ++r) std::copy_n(edge + r * kCols, cols, c + r * g.c.row);
    }
  }
};

// Cycles for each value of k, roughly, of a product whose vectors run over n.
template <class A>
double cost(const Gemm& g) {
  const double rows = double(std::max<int64_t>(g.m, kFewRows)), vectors = double(divide_up(g.n, Lanes<A>::count));
  return rows * vectors / 2 + double(g.n) * (g.b.col == 1 ? 0.2 : 0.4) + double(g.m) * (g.a.col == 1 ? 0.1 : 0.4) +
         (g.c.col == 1 ? 0 : double(g.m) * double(g.n) / double(g.k));
}

// Products with few rows, or columns, read each element of the other operand once, from where it is: nothing is packed.
constexpr int kRowsTogether = ORDO_MANY_REGISTERS ? 4 : 2;
constexpr int64_t kRowTile = 2048;     // columns whose sums stay in the first-level cache
constexpr int64_t kColumnVectors = 2;  // of columns that are transposed together

// sums[r][j] = sums[r][j] + a[r][s] b[s * row + j] for s = 0, ..., S - 1; the rows of a and sums are `apart`.
template <int R, int S, class T, class A>
void add_rows(const A* HWY_RESTRICT a, const T* HWY_RESTRICT b, int64_t row, int64_t cols, int64_t apart,
              A* HWY_RESTRICT sums) {
  using L = Lanes<A>;
  L factors[R][S];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int s = 0; s < S; ++s) factors[r][s] = L::all(a[r * kDepth + s]);
  int64_t j = 0;
  for (; j + L::count <= cols; j += L::count) {
    L values[S];
#pragma GCC unroll 4
    for (int s = 0; s < S; ++s) values[s] = load_as<A>(b + s * row + j);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      L sum = L::load(sums + r * apart + j);
#pragma GCC unroll 4
      for (int s = 0; s < S; ++s) sum = L::fused(factors[r][s], values[s], sum);
      sum.store(sums + r * apart + j);
    }
  }
  for (; j < cols; ++j)
    for (int r = 0; r < R; ++r)
      for (int s = 0; s < S; ++s)
        sums[r * apart + j] = std::fma(a[r * kDepth + s], A(b[s * row + j]), sums[r * apart + j]);
}

// block[r][j] = block[r][j] + the products of the rows of a with `cols` columns of b, whose rows are contiguous. The
// rows of block are `width` apart.
template <class T, class A>
void add_contiguous_rows(const Gemm& g, const A* a, const T* b, int64_t depth, int64_t cols, int64_t width, A* block) {
  constexpr int64_t kStep = 4;  // values of k between a load of the sums and their store
  int64_t k = 0;
  for (; k + kStep <= depth; k += kStep, b += kStep * g.b.row)
    for (int64_t i = 0; i < g.m; i += kRowsTogether)
      with_constant<kRowsTogether, true>(int64_t(std::bit_ceil(uint64_t(g.m))) - i, [&]<int R>() {
        add_rows<R, kStep>(a + i * kDepth + k, b, g.b.row, cols, width, block + i * width);
      });
  for (; k < depth; ++k, b += g.b.row)
    for (int64_t i = 0; i < g.m; ++i) add_rows<1, 1>(a + i * kDepth + k, b, g.b.row, cols, width, block + i * width);
}

#if HWY_TARGET != HWY_SCALAR
// sums[r][i] = sums[r][i] + a[i * row + k] b[r][k] for k < depth, a multiple of kLine elements, and G vectors of rows
// of a; those of b are kDepth apart, those of sums G vectors.
// A vector's rows are read a cache line at a time: with more of them under way, lines whose distance is a power of two
// would push out each other.
template <class T>
constexpr int kLine = 64 / int(sizeof(T));

template <int R, int G, class T, class A>
void add_columns(const T* HWY_RESTRICT a, int64_t row, const A* HWY_RESTRICT b, int64_t depth, A* HWY_RESTRICT sums) {
  using L = Lanes<A>;
  constexpr int kSide = 16 / sizeof(T), kAhead = 8;
  L sum[R * G];
#pragma GCC unroll 8
  for (int i = 0; i < R * G; ++i) sum[i] = L::load(sums + i * L::count);
  for (int64_t k = 0; k < depth; k += kLine<T>)
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g) {
      for (int64_t r = 0; r < L::count; ++r) __builtin_prefetch(a + (g * L::count + r) * row + k + kAhead * kLine<T>);
      for (int piece = 0; piece < kLine<T>; piece += kSide) {
        L columns[kSide];
        load_columns(a + g * L::count * row + k + piece, row, columns);
#pragma GCC unroll 32
        for (int i = 0; i < kSide * R; ++i) {
          const int c = i / R, r = i % R;
          sum[r * G + g] = L::fused(columns[c], L::all(b[r * kDepth + k + piece + c]), sum[r * G + g]);
        }
      }
    }
#pragma GCC unroll 8
  for (int i = 0; i < R * G; ++i) sum[i].store(sums + i * L::count);
}

// add_contiguous_rows() where the columns of b are contiguous: kColumnVectors vectors of them, transposed in registers.
template <class T, class A>
void add_contiguous_columns(const Gemm& g, const A* a, const T* b, int64_t depth, int64_t cols, A* block) {
  constexpr int64_t kWidth = kColumnVectors * Lanes<A>::count;
  const int64_t whole = cols == kWidth ? depth / kLine<T> * kLine<T> : 0;
  with_constant<kFewRows, true>(int64_t(std::bit_ceil(uint64_t(g.m))),
                                [&]<int R>() { add_columns<R, kColumnVectors>(b, g.b.col, a, whole, block); });
  for (int64_t i = 0; i < g.m; ++i)
    for (int64_t j = 0; j < cols; ++j) {
      A& sum = block[i * kWidth + j];
      for (int64_t k = whole; k < depth; ++k) sum = std::fma(A(b[j * g.b.col + k]), a[i * kDepth + k], sum);
    }
}
#endif

// Few rows of a. Lanes are columns of b, each of whose elements is read once.
template <class T, class A, class C>
void few_rows_product(const Gemm& g) {
  constexpr int64_t kLanes = Lanes<A>::count;
  const int64_t rows = int64_t(std::bit_ceil(uint64_t(g.m)));  // of three, a fourth is computed as well
  int64_t width = kColumnVectors * kLanes;
  if (g.b.col == 1) {
    const int64_t tile = kRowTile / divide_up(g.m, 2), tiles = divide_up(g.n, tile), threads = num_threads();
    const int64_t parts = std::min(divide_up(g.n, kLanes), g.batch * tiles < threads ? threads : tiles);
    width = round_up(divide_up(g.n, parts), kLanes);
  }
  const int64_t units = divide_up(g.n, width);
  parallel_for(0, g.batch * units, 100'000 / (width * g.k * g.m + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t batch = unit / units, j0 = unit % units * width, cols = std::min(width, g.n - j0);
      A* const sums = static_cast<A*>(workspace(size_t((2 * width + kDepth) * rows) * sizeof(A)));
      A *const block = sums + rows * width, *const a = block + rows * width;
      std::fill_n(sums, g.m * width, kNoValue<A>);
      std::fill_n(a + g.m * kDepth, (rows - g.m) * kDepth, A(0));
      for (int64_t k0 = 0; k0 < g.k; k0 += kDepth) {
        std::fill_n(block, rows * width, kNoValue<A>);
        const int64_t depth = std::min(g.k - k0, kDepth);
        copy_matrix(g.a.template at<T>(batch, 0, k0), g.a.row, g.a.col, g.m, depth, a, kDepth);
        const T* const b = g.b.template at<T>(batch, k0, j0);
#if HWY_TARGET != HWY_SCALAR
        if (g.b.col != 1)
          add_contiguous_columns(g, a, b, depth, cols, block);
        else
#endif
          add_contiguous_rows(g, a, b, depth, cols, width, block);
        for (int64_t j = 0; j < g.m * width; ++j) sums[j] = sums[j] + block[j];
      }
      finish<T, A, C>(g, batch, 0, j0, g.m, cols, sums, width);
    }
  });
}

// Whether there are few enough rows, and many vectors of columns.
template <class A>
bool has_few_rows(const Gemm& g) {
  return g.m == 1 || (g.m <= kFewRows && g.n >= 8 * Lanes<A>::count);
}

// C's transpose.
Gemm transposed(const Gemm& g) {
  Gemm turned = g;
  std::swap(turned.m, turned.n);
  turned.a = g.b.transposed();
  turned.b = g.a.transposed();
  turned.c = g.c.transposed();
  turned.bias_per_row = !g.bias_per_row;
  turned.packed = nullptr;
  return turned;
}

template <class T, class A, class C>
void short_product(const Gemm& g) {
  if constexpr (std::is_same_v<T, A> && std::is_same_v<T, C>) {  // float, double
    if (is_outer_product(g)) return outer_product<T>(g);
  }
  const Gemm turned = transposed(g);
  for (const Gemm* as : {&g, &turned})
    if (has_few_rows<A>(*as) && as->b.col == 1) return few_rows_product<T, A, C>(*as);
#if HWY_TARGET != HWY_SCALAR
  for (const Gemm* as : {&turned, &g})
    if (has_few_rows<A>(*as) && as->b.row == 1) return few_rows_product<T, A, C>(*as);
#endif
  Product<T, A, C>(cost<A>(turned) < cost<A>(g) ? turned : g).run();
}

// All of b as tiles pack it: kDepth rows after kDepth rows, in panels.
template <class T, class A>
std::unique_ptr<Scratch<char>> panels_of(const Gemm& g) {
  constexpr int64_t kCols = kPanelCols<A>;
  const Gemm turned = transposed(g);
  if (g.batch != 1 || g.k == 0 || g.k > kSlice || has_few_rows<A>(g) || has_few_rows<A>(turned) ||
      cost<A>(turned) < cost<A>(g))
    return nullptr;
  const int64_t panels = divide_up(g.n, kCols);
  auto packed = std::make_unique<Scratch<char>>(g.k * panels * kCols * int64_t(sizeof(A)), Device());
  A* const to = reinterpret_cast<A*>(packed->data());
  parallel_for(0, panels, 100'000 / (g.k * kCols) + 1, [&](int64_t first, int64_t last) {
    const int64_t j = first * kCols, cols = std::min(last * kCols, g.n) - j;
    for (int64_t k0 = 0; k0 < g.k; k0 += kDepth) {
      const int64_t depth = std::min(kDepth, g.k - k0);
      pack_panels(g.b.template at<T>(0, k0, j), g.b.row, g.b.col, depth, cols, to + k0 * panels * kCols + j * depth);
    }
  });
  return packed;
}

constexpr int64_t kSliceElements = int64_t(1) << 22;  // of results of slices that are kept at a time

template <class T, class A, class C>
void product(const Gemm& g) {
  if (g.k > kSlice)
    return sliced_product<T, A>(
        g, kSlice, kSliceElements, Device(), product<T, A, A>,
        [&](int64_t batch, const A* sums) { finish<T, A, C>(g, batch, 0, 0, g.m, g.n, sums, g.n); });
  if (g.k > 0) return short_product<T, A, C>(g);
  const std::vector<A> zeros(size_t(g.n), A(0));
  for (int64_t batch = 0; batch < g.batch; ++batch) finish<T, A, C>(g, batch, 0, 0, g.m, g.n, zeros.data(), 0);
}

}  // namespace

void floating_gemm(const Gemm& g) {
  dispatch_floating("matmul", g.dtype, [&]<class T>() {
    using A = product_sum_t<T>;
    g.c_dtype == dtype_of<A> ? product<T, A, A>(g) : product<T, A, T>(g);
  });
}

std::unique_ptr<Scratch<char>> pack(const Gemm& g) {
  return dispatch_floating("matmul", g.dtype, [&]<class T>() { return panels_of<T, product_sum_t<T>>(g); });
}

}  // namespace HWY_NAMESPACE
}  // namespace ordo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ordo::kernels::cpu {

HWY_EXPORT(floating_gemm);
HWY_EXPORT(pack);

void floating_gemm(const Gemm& g) { HWY_DYNAMIC_DISPATCH(floating_gemm)(g); }
std::unique_ptr<Scratch<char>> pack(const Gemm& g) { return HWY_DYNAMIC_DISPATCH(pack)(g); }

}  // namespace ordo::kernels::cpu
#endif

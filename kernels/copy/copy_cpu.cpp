#include <algorithm>
#include <cstring>
#include <utility>

#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/copy/strided.h>
#include <ordo/kernels/elementwise/loops_cpu.h>

namespace ordo::kernels::cpu {
namespace {

constexpr int64_t kGrain = 32768;
constexpr int64_t kTile = 32;

/// Converts n values: all that is compiled for every pair of types. The rest moves bits.
template <class To, class From>
void convert_span(const void*, void* to, int64_t n, const Values<void>* from) {
  all_values(
      static_cast<To*>(to), n, [](From v) { return convert<To>(v); }, values_from<From>(*from));
}

LoopBody span_of(DType to, DType from) {
  return dispatch_all("copy_", to, [&]<class To>() {
    return dispatch_all("copy_", from, [&]<class From>() -> LoopBody { return convert_span<To, From>; });
  });
}

const Elements& bits_of(DType t) {
  return dispatch_word(size_of(t), []<class Word>() -> const Elements& { return kElements<Word>; });
}

template <class Word>
void copy_row(Word* to, int64_t to_stride, const Word* from, int64_t from_stride, int64_t n) {
  if (to_stride == 1 && from_stride == 1) {
    std::memcpy(to, from, size_t(n) * sizeof(Word));
  } else if (to_stride == 1 && from_stride == 0) {
    std::fill_n(to, n, *from);
  } else if (to_stride == 1 && from_stride == -1) {  // vectorises
    for (int64_t i = 0; i < n; ++i) to[i] = from[-i];
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * to_stride] = from[i * from_stride];
  }
}

/// to[r, c] = from[c, r], both contiguous along the second index.
template <class T>
void transpose(T* __restrict to, int64_t to_stride, const T* __restrict from, int64_t from_stride, int64_t rows,
               int64_t columns) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) to[r * to_stride + c] = from[c * from_stride + r];
}

/// Operand 0 is contiguous along dimension 0, operand 1 along dimension d. `span` is null where nothing is converted.
template <class To>
void copy_tiled(const CopyArgs& args, const Layout<2>& l, int d, LoopBody span) {
  const int64_t columns = l.sizes[0], rows = l.sizes[d];
  const int64_t row_tiles = (rows + kTile - 1) / kTile, column_tiles = (columns + kTile - 1) / kTile;
  const Layout<2> outer = without_tile(l, d);
  const int64_t work = row_tiles * outer.numel, from_size = int64_t(size_of(args.from_dtype));
  parallel_for(0, work, std::max<int64_t>(1, kGrain / (kTile * columns)), [&](int64_t first, int64_t last) {
    To converted[kTile][kTile];
    for (int64_t w = first; w < last; ++w) {
      int64_t offsets[2] = {0, 0};
      if (outer.rank > 0) offsets_at(outer, w / row_tiles, offsets);
      const int64_t row0 = w % row_tiles * kTile, row_count = std::min(kTile, rows - row0);
      const int64_t to_stride = l.strides[0][d], from_stride = l.strides[1][0];
      To* to = static_cast<To*>(args.to) + offsets[0] + row0 * to_stride;
      const char* from = static_cast<const char*>(args.from) + (offsets[1] + row0) * from_size;
      for (int64_t tile = 0; tile < column_tiles; ++tile) {
        const int64_t column0 = tile * kTile, column_count = std::min(kTile, columns - column0);
        const char* corner = from + column0 * from_stride * from_size;
        if (span) {
          for (int64_t c = 0; c < column_count; ++c) {
            const Values<void> line = {corner + c * from_stride * from_size, kBlock};
            span(nullptr, converted[c], row_count, &line);
          }
          transpose(to + column0, to_stride, converted[0], kTile, row_count, column_count);
        } else {
          transpose(to + column0, to_stride, reinterpret_cast<const To*>(corner), from_stride, row_count, column_count);
        }
      }
    }
  });
}

/// Where rows are short, and read from far apart, the rows of another dimension are taken that are neither.
Layout<2> with_long_rows(Layout<2> l, size_t element_size) {
  constexpr int64_t kShort = 8;
  const int64_t most = (256 << 10) / int64_t(element_size) / std::max<int64_t>(1, l.sizes[0]);  // stays in the cache
  if (l.rank < 2 || l.sizes[0] >= kShort || l.strides[1][0] == 1) return l;
  for (int d = 1; d < l.rank; ++d)
    if (l.strides[1][d] == 1 && l.sizes[d] >= kShort && l.sizes[d] <= most) {
      std::swap(l.sizes[0], l.sizes[d]);
      for (auto& strides : l.strides) std::swap(strides[0], strides[d]);
      return l;
    }
  return l;
}

}  // namespace

void copy(const CopyArgs& args) {
  const Layout<2> l = with_long_rows(args.layout, size_of(args.to_dtype));
  const LoopBody span = args.to_dtype == args.from_dtype ? nullptr : span_of(args.to_dtype, args.from_dtype);
  if (const int d = tiled_dimension(l))
    return dispatch_word(size_of(args.to_dtype), [&]<class To>() { copy_tiled<To>(args, l, d, span); });
  if (span) {
    LoopArgs<1> loop;
    loop.layout = l;
    loop.out = args.to;
    loop.in[0].data = args.from;
    return run_loop<1>(loop, bits_of(args.to_dtype), {&bits_of(args.from_dtype)}, {span, span}, nullptr);
  }
  dispatch_word(size_of(args.to_dtype), [&]<class Word>() {
    parallel_for(0, l.numel, kGrain, [&](int64_t first, int64_t last) {
      for_rows(l, first, last, [&](const int64_t(&at)[2], int64_t n) {
        copy_row(static_cast<Word*>(args.to) + at[0], l.strides[0][0], static_cast<const Word*>(args.from) + at[1],
                 l.strides[1][0], n);
      });
    });
  });
}

void fill(const FillArgs& args) {
  const Layout<1>& l = args.layout;
  dispatch_word(args.element_size, [&]<class T>() {
    T* to = static_cast<T*>(args.to);
    const T v = T(args.pattern);
    parallel_for(0, l.numel, kGrain, [&](int64_t first, int64_t last) {
      for_rows(l, first, last,
               [&](const int64_t(&at)[1], int64_t n) { copy_row(to + at[0], l.strides[0][0], &v, 0, n); });
    });
  });
}

void triangle(const Tensor& in, const Tensor& out, int64_t start, bool lower) {
  const int64_t rows = in.size(-2), columns = in.size(-1), size = int64_t(in.element_size()), end = columns * size;
  const char* const all = static_cast<const char*>(in.data());
  char* const result = static_cast<char*>(out.data());
  parallel_for(0, in.numel() / columns, std::max<int64_t>(1, 32768 / columns), [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      const int64_t cut = std::clamp<int64_t>(row % rows + start, 0, columns) * size;
      char* const to = result + row * end;
      const char* const from = all + row * end;
      const int64_t kept = lower ? 0 : cut, zero = lower ? cut : 0;
      std::memcpy(to + kept, from + kept, size_t(lower ? cut : end - cut));
      std::memset(to + zero, 0, size_t(lower ? end - cut : cut));
    }
  });
}

}  // namespace ordo::kernels::cpu

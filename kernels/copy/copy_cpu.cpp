#include <algorithm>
#include <cstring>
#include <utility>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/dispatch_word.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/copy/strided.h>
#include <ordo/kernels/elementwise/convert.h>

namespace ordo::kernels::cpu {
namespace {

constexpr int64_t kGrain = 32768;
constexpr int64_t kTile = 32;

constexpr int64_t kStretch = 256;

/// Converts n consecutive elements: all that is compiled for every pair of types. The rest moves bits.
using Span = void (*)(void* to, const void* from, int64_t n);

template <class To, class From>
void convert_span(void* to, const void* from, int64_t n) {
  To* const t = static_cast<To*>(to);
  const From* const f = static_cast<const From*>(from);
  for (int64_t i = 0; i < n; ++i) t[i] = convert<To>(f[i]);
}

Span span_of(DType to, DType from) {
  return dispatch_all("copy_", to, [&]<class To>() {
    return dispatch_all("copy_", from, [&]<class From>() -> Span { return convert_span<To, From>; });
  });
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

/// Elements where they are, and how far they lie apart.
struct Place {
  char* at;
  int64_t stride;
  size_t size;
  Place operator+(int64_t elements) const { return {at + elements * stride * int64_t(size), stride, size}; }
};

void copy_elements(const Place& to, const Place& from, int64_t n) {
  dispatch_word(to.size, [&]<class Word>() {
    copy_row(reinterpret_cast<Word*>(to.at), to.stride, reinterpret_cast<const Word*>(from.at), from.stride, n);
  });
}

/// Converts a row; what is not consecutive is moved through a buffer.
void convert_row(Span span, const Place& to, const Place& from, int64_t n) {
  if (to.stride == 1 && from.stride == 1) return span(to.at, from.at, n);
  alignas(64) char x[kStretch * 8], y[kStretch * 8];
  const Place source{x, 1, from.size}, result{y, 1, to.size};
  for (int64_t start = 0; start < n; start += kStretch) {
    const int64_t count = std::min(kStretch, n - start);
    copy_elements(source, from + start, count);
    if (to.stride == 1) {
      span((to + start).at, x, count);
    } else {
      span(y, x, count);
      copy_elements(to + start, result, count);
    }
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
void copy_tiled(const CopyArgs& args, int d, Span span) {
  const Layout<2>& l = args.layout;
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
          for (int64_t c = 0; c < column_count; ++c)
            span(converted[c], corner + c * from_stride * from_size, row_count);
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
  const Span span = args.to_dtype == args.from_dtype ? nullptr : span_of(args.to_dtype, args.from_dtype);
  if (const int d = tiled_dimension(l))
    return dispatch_word(size_of(args.to_dtype), [&]<class To>() { copy_tiled<To>(args, d, span); });
  const Place to{static_cast<char*>(args.to), l.strides[0][0], size_of(args.to_dtype)};
  const Place from{static_cast<char*>(const_cast<void*>(args.from)), l.strides[1][0], size_of(args.from_dtype)};
  parallel_for(0, l.numel, kGrain, [&](int64_t first, int64_t last) {
    for_rows(l, first, last, [&](const int64_t(&at)[2], int64_t n) {
      const Place row{to.at + at[0] * int64_t(to.size), to.stride, to.size};
      const Place source{from.at + at[1] * int64_t(from.size), from.stride, from.size};
      if (span)
        convert_row(span, row, source, n);
      else
        copy_elements(row, source, n);
    });
  });
}

void fill(const FillArgs& args) {
  const Layout<1>& l = args.layout;
  dispatch_word(args.element_size, [&]<class T>() {
    T* to = static_cast<T*>(args.to);
    const T v = T(args.pattern);
    parallel_for(0, l.numel, kGrain, [&](int64_t first, int64_t last) {
      for_rows(l, first, last, [&](const int64_t(&at)[1], int64_t n) {
        T* row = to + at[0];
        if (l.strides[0][0] == 1)
          for (int64_t i = 0; i < n; ++i) row[i] = v;
        else
          for (int64_t i = 0; i < n; ++i) row[i * l.strides[0][0]] = v;
      });
    });
  });
}

}  // namespace ordo::kernels::cpu

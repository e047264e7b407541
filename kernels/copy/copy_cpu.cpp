#include <ordo/engine/dispatch.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/copy/strided.h>
#include <ordo/kernels/elementwise/convert.h>

#include <cstring>

namespace ordo::kernels::cpu {
namespace {

constexpr int64_t kGrain = 32768;
constexpr int64_t kTile = 32;

template <class To, class From>
void copy_row(To* to, int64_t to_stride, const From* from, int64_t from_stride, int64_t n) {
  if (to_stride == 1 && from_stride == 1) {
    for (int64_t i = 0; i < n; ++i) to[i] = convert<To>(from[i]);
  } else if (to_stride == 1 && from_stride == 0) {
    const To v = convert<To>(*from);
    for (int64_t i = 0; i < n; ++i) to[i] = v;
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * to_stride] = convert<To>(from[i * from_stride]);
  }
}

/// Operand 0 is contiguous along dimension 0, operand 1 along dimension d.
template <class To, class From>
void copy_tiled(const CopyArgs& args, int d) {
  const Layout<2>& l = args.layout;
  const int64_t columns = l.sizes[0], rows = l.sizes[d];
  const int64_t row_tiles = (rows + kTile - 1) / kTile, column_tiles = (columns + kTile - 1) / kTile;
  const Layout<2> outer = without_tile(l, d);
  const int64_t work = row_tiles * outer.numel;
  parallel_for(0, work, std::max<int64_t>(1, kGrain / (kTile * columns)), [&](int64_t first, int64_t last) {
    for (int64_t w = first; w < last; ++w) {
      int64_t offsets[2] = {0, 0};
      if (outer.rank > 0) offsets_at(outer, w / row_tiles, offsets);
      const int64_t row0 = w % row_tiles * kTile, row_count = std::min(kTile, rows - row0);
      To* to = static_cast<To*>(args.to) + offsets[0] + row0 * l.strides[0][d];
      const From* from = static_cast<const From*>(args.from) + offsets[1] + row0;
      for (int64_t tile = 0; tile < column_tiles; ++tile) {
        const int64_t column0 = tile * kTile, column_count = std::min(kTile, columns - column0);
        for (int64_t r = 0; r < row_count; ++r)
          for (int64_t c = column0; c < column0 + column_count; ++c)
            to[r * l.strides[0][d] + c] = convert<To>(from[c * l.strides[1][0] + r]);
      }
    }
  });
}

template <class To, class From>
void copy_typed(const CopyArgs& args) {
  if (const int d = tiled_dimension(args.layout)) return copy_tiled<To, From>(args, d);
  To* to = static_cast<To*>(args.to);
  const From* from = static_cast<const From*>(args.from);
  const Layout<2>& l = args.layout;
  parallel_for(0, l.numel, kGrain, [&](int64_t first, int64_t last) {
    for_rows(l, first, last, [&](const int64_t(&at)[2], int64_t n) {
      if (std::is_same_v<To, From> && l.strides[0][0] == 1 && l.strides[1][0] == 1) {
        std::memcpy(static_cast<void*>(to + at[0]), from + at[1], size_t(n) * sizeof(To));
      } else {
        copy_row(to + at[0], l.strides[0][0], from + at[1], l.strides[1][0], n);
      }
    });
  });
}

template <class F>
void with_width(size_t element_size, F&& f) {
  switch (element_size) {
    case 1:
      return f.template operator()<uint8_t>();
    case 2:
      return f.template operator()<uint16_t>();
    case 4:
      return f.template operator()<uint32_t>();
    default:
      return f.template operator()<uint64_t>();
  }
}

}  // namespace

void copy(const CopyArgs& args) {
  if (args.to_dtype == args.from_dtype)
    return with_width(size_of(args.to_dtype), [&]<class T>() {
      // uint16_t and the like convert to themselves.
      copy_typed<T, T>(args);
    });
  dispatch_all("copy_", args.to_dtype, [&]<class To>() {
    dispatch_all("copy_", args.from_dtype, [&]<class From>() {
      if constexpr (!std::is_same_v<To, From>) copy_typed<To, From>(args);
    });
  });
}

void fill(const FillArgs& args) {
  const Layout<1>& l = args.layout;
  with_width(args.element_size, [&]<class T>() {
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

#include <algorithm>
#include <optional>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/dispatch_word.h>
#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/accumulate/accumulate_cpu.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/scatter/scatter.h>

namespace ordo::kernels::cpu {

namespace {

/// A part of the output: of the lines outer, of the columns, and of the destinations.
struct Part {
  int64_t outer_begin, outer_end, inner_begin, inner_end, begin, end;
};

/// Calls f(place, source, n, stride) for the items of a part, those of a destination in item order: n neighbouring
/// places, and where their values stand.
template <class I, class F>
void visit(const ScatterShape& s, const I* index, const Part& part, const F& f) {
  const uint64_t width = uint64_t(part.end - part.begin);
  const int64_t columns = part.inner_end - part.inner_begin;
  for (int64_t o = part.outer_begin; o < part.outer_end; ++o) {
    const int64_t line = o * s.destinations * s.inner + part.inner_begin;
    const int64_t from = o * s.outer_stride + part.inner_begin * s.inner_stride;
    if (s.rows) {
      for (int64_t i = 0; i < s.items; ++i)
        if (const int64_t d = int64_t(index[i]); uint64_t(d - part.begin) < width)
          f(line + d * s.inner, from + i * s.item_stride, columns, s.inner_stride);
      continue;
    }
    const I* const row = index + o * s.items * s.inner + part.inner_begin;
    if (columns == 1) {
      for (int64_t i = 0; i < s.items; ++i)
        if (const int64_t d = int64_t(row[i * s.inner]); uint64_t(d - part.begin) < width)
          f(line + d * s.inner, from + i * s.item_stride, 1, 0);
      continue;
    }
    constexpr int64_t kPlaces = 32 * 1024, kLine = 16;  // places that stay in the cache; columns of a line of it
    const int64_t block = F::kReads ? std::max(kLine, kPlaces / std::max<int64_t>(1, s.destinations)) : columns;
    for (int64_t j0 = 0; j0 < columns; j0 += block)
      for (int64_t i = 0; i < s.items; ++i)
        for (int64_t j = j0; j < std::min(columns, j0 + block); ++j)
          if (const int64_t d = int64_t(row[i * s.inner + j]); uint64_t(d - part.begin) < width)
            f(line + d * s.inner + j, from + i * s.item_stride + j * s.inner_stride, 1, 0);
  }
}

constexpr int64_t kGrain = 16 * 1024, kColumns = 64;  // so many columns of an item are worth a visit

/// The same for all items, in threads that have parts of their own.
template <class F>
void for_items(const ScatterShape& s, const IndexView& index, const F& f) {
  constexpr int kFewest = 4, kMost = 16;  // threads that look at all items to pick their own
  const int threads = pieces_for(s.elements(), kGrain);
  const auto run = [&](const Part& part) {
    if (index.wide)
      visit(s, static_cast<const int64_t*>(index.data), part, f);
    else
      visit(s, static_cast<const int32_t*>(index.data), part, f);
  };
  const auto over = [&](int64_t n, int most, const auto& part_of) {
    parallel_for(0, n, std::max<int64_t>(1, n / std::min(threads, most)),
                 [&](int64_t first, int64_t last) { run(part_of(first, last)); });
  };
  if (s.outer >= threads)
    over(s.outer, threads,
         [&](int64_t first, int64_t last) { return Part{first, last, 0, s.inner, 0, s.destinations}; });
  else if (s.inner >= threads * kColumns)
    over(s.inner, threads,
         [&](int64_t first, int64_t last) { return Part{0, s.outer, first, last, 0, s.destinations}; });
  else
    over(s.destinations, threads < kFewest ? 1 : kMost,
         [&](int64_t first, int64_t last) { return Part{0, s.outer, 0, s.inner, first, last}; });
}

template <class Word>
struct Write {
  static constexpr bool kReads = false;  // the old content
  Word* output;
  const Word* source;
  void operator()(int64_t place, int64_t from, int64_t n, int64_t stride) const {
    if (n == 1)
      output[place] = source[from];
    else if (stride == 1)
      std::copy_n(source + from, n, output + place);
    else
      for (int64_t j = 0; j < n; ++j) output[place + j] = source[from + j * stride];
  }
};

/// The old value or the new one, as OrderedKey orders them. Without branches, so that loops vectorise.
template <bool kMax, class T>
T extreme(T old, T v) {
  if constexpr (std::is_integral_v<T>) {
    return kMax ? std::max(old, v) : std::min(old, v);
  } else if constexpr (std::is_floating_point_v<T>) {
    const auto a = value_bits(old), b = value_bits(v);
    T out = (kMax ? v > old : v < old) ? v : old;
    out = v == old ? value_of_bits<T>(kMax ? a & b : a | b) : out;  // of two zeros the one of that sign
    out = v != v ? value_of_bits<T>(OrderedKey<T>::kQuietNan) : out;
    return old != old ? old : out;
  } else {
    const auto key = OrderedKey<T>::of(v, kMax);
    return key > OrderedKey<T>::of(old, kMax) ? OrderedKey<T>::value(key, kMax) : old;
  }
}

template <class T, bool kMax>
struct Extremum {
  static constexpr bool kReads = true;
  T* output;
  const T* source;
  void operator()(int64_t place, int64_t from, int64_t n, int64_t stride) const {
    T* const to = output + place;
    const T* const values = source + from;
    if (n == 1)
      *to = one(*to, *values);
    else if (stride == 1)
      for (int64_t j = 0; j < n; ++j) to[j] = extreme<kMax>(to[j], values[j]);
    else
      for (int64_t j = 0; j < n; ++j) to[j] = extreme<kMax>(to[j], values[j * stride]);
  }
  /// The same, quicker where numbers differ.
  static T one(T old, T v) {
    if constexpr (std::is_floating_point_v<T>) {
      const bool special = !(v < old) & !(v > old) & (value_bits(v) != value_bits(old));  // a NaN, or two zeros
      if (!special) [[likely]]
        return (kMax ? v > old : v < old) ? v : old;
    }
    return extreme<kMax>(old, v);
  }
};

template <class T>
struct Sum {
  static constexpr bool kReads = true;
  T* output;
  const T* source;
  void operator()(int64_t place, int64_t from, int64_t n, int64_t stride) const {
    using Acc = accumulate_t<T>;
    T* const to = output + place;
    const T* const values = source + from;
    if (n == 1)
      *to = T(wrapping_add(Acc(*to), Acc(*values)));
    else
      for (int64_t j = 0; j < n; ++j) to[j] = T(wrapping_add(Acc(to[j]), Acc(values[j * stride])));
  }
};

struct Count {
  static constexpr bool kReads = true;
  int64_t* counts;
  void operator()(int64_t place, int64_t, int64_t n, int64_t) const {
    for (int64_t j = 0; j < n; ++j) ++counts[place + j];
  }
};

/// Products are found for so many columns at a time, whose places lie together then.
constexpr int kTileBits = 4;
constexpr int64_t kTile = 1 << kTileBits;

/// The items of a line, or of `width` neighbouring columns of one.
template <class T>
struct ProductTile {
  using value_type = Factor<T>;
  static constexpr bool kSingleColumn = true;
  int64_t count;
  int bits;  // of a column's number: 0 for a line
  int64_t width, inner, item_stride, inner_stride;
  const void* index;
  bool wide;
  const Factor<T>* source;
  int64_t destination(int64_t element) const {
    const int64_t i = element >> bits, j = element & ((int64_t(1) << bits) - 1), at = i * inner + j;
    if (j >= width) return -1;
    const int64_t d = wide ? static_cast<const int64_t*>(index)[at] : int64_t(static_cast<const int32_t*>(index)[at]);
    return (d << bits) + j;
  }
  Factor<T> value(int64_t element, int64_t) const {
    return source[(element >> bits) * item_stride + (element & ((int64_t(1) << bits) - 1)) * inner_stride];
  }
};

/// Of the cells of a tile, as long as none gets more than a group of ordering rule 1: the product of a run.
template <class T>
class RunProducts {
 public:
  RunProducts(int64_t cells) : products_(cells, Device()), counts_(cells, Device()) {}

  /// Multiplies the items into the output, or does nothing and returns false where there is a longer run.
  bool multiply(const ProductTile<T>& items, int64_t destinations, Factor<T>* output) {
    const int64_t cells = destinations << items.bits;
    T* const products = products_;
    uint8_t* const counts = counts_;
    std::fill_n(products, cells, T(1));
    std::fill_n(counts, cells, uint8_t(0));
    const bool longer = items.wide ? collect(items, static_cast<const int64_t*>(items.index))
                                   : collect(items, static_cast<const int32_t*>(items.index));
    if (longer) return false;
    const int64_t rows = items.bits == 0 ? 1 : destinations, width = items.bits == 0 ? destinations : items.width;
    for (int64_t d = 0; d < rows; ++d) {
      Factor<T>* const out = output + d * items.inner;
      for (int64_t j = 0; j < width; ++j) {
        const T product = wrapping_mul(out[j].value, products[(d << items.bits) + j]);
        out[j].value = counts[(d << items.bits) + j] ? product : out[j].value;
      }
    }
    return true;
  }

 private:
  template <class I>
  bool collect(const ProductTile<T>& items, const I* index) {
    T* const products = products_;
    uint8_t* const counts = counts_;
    bool longer = false;
    const auto multiply = [&](int64_t cell, T value) {
      products[cell] = wrapping_mul(products[cell], value);
      longer |= ++counts[cell] > kOrderedGroup;
    };
    if (items.bits == 0)
      for (int64_t i = 0; i < items.count; ++i) multiply(int64_t(index[i]), items.source[i * items.item_stride].value);
    else
      for (int64_t i = 0; i < items.count >> items.bits; ++i)
        for (int64_t j = 0; j < items.width; ++j)
          multiply((int64_t(index[i * items.inner + j]) << items.bits) + j,
                   items.source[i * items.item_stride + j * items.inner_stride].value);
    return longer;
  }

  Scratch<T> products_;
  Scratch<uint8_t> counts_;
};

/// `products`: null where runs are long, or most cells get nothing.
template <class T>
void multiply_tile(const ScatterArgs& a, int64_t outer, int64_t column, Factor<T>* output, RunProducts<T>* products) {
  const ScatterShape& s = a.shape;
  const int bits = s.inner == 1 ? 0 : kTileBits;
  const int64_t stride = int64_t(1) << bits, width = std::min(stride, s.inner - column);
  const int64_t at = outer * s.items * s.inner + column;
  const void* const index = a.index.wide ? static_cast<const void*>(static_cast<const int64_t*>(a.index.data) + at)
                                         : static_cast<const int32_t*>(a.index.data) + at;
  const Factor<T>* const source =
      static_cast<const Factor<T>*>(a.source) + outer * s.outer_stride + column * s.inner_stride;
  const ProductTile<T> items{s.items << bits, bits,  width,        s.inner, s.item_stride,
                             s.inner_stride,  index, a.index.wide, source};
  Factor<T>* const to = output + outer * s.destinations * s.inner + column;
  if (products && products->multiply(items, s.destinations, to)) return;
  if (bits == 0) return accumulate_sorted(items, to, {s.destinations, 1, 1});
  const Scratch<Factor<T>> tile(s.destinations << bits, Device());
  for (int64_t d = 0; d < s.destinations; ++d)
    for (int64_t j = 0; j < width; ++j) tile[(d << bits) + j] = to[d * s.inner + j];
  accumulate_sorted(items, tile.data(), {s.destinations << bits, 1, 1});
  for (int64_t d = 0; d < s.destinations; ++d)
    for (int64_t j = 0; j < width; ++j) to[d * s.inner + j] = tile[(d << bits) + j];
}

}  // namespace

void scatter_write(const ScatterArgs& a) {
  dispatch_word(size_of(a.dtype), [&]<class Word>() {
    for_items(a.shape, a.index, Write<Word>{static_cast<Word*>(a.output), static_cast<const Word*>(a.source)});
  });
}

void scatter_extremum(const ScatterArgs& a, bool max) {
  dispatch_numeric("scatter_reduce", a.dtype, [&]<class T>() {
    T* const output = static_cast<T*>(a.output);
    const T* const source = static_cast<const T*>(a.source);
    if (max)
      for_items(a.shape, a.index, Extremum<T, true>{output, source});
    else
      for_items(a.shape, a.index, Extremum<T, false>{output, source});
  });
}

bool scatter_sum(const ScatterArgs& a) {
  const ScatterShape& s = a.shape;
  const int threads = pieces_for(s.elements(), kGrain);
  if (s.outer < threads && s.inner < threads * kColumns) return false;
  dispatch_numeric("scatter_add", a.dtype, [&]<class T>() {
    for_items(s, a.index, Sum<T>{static_cast<T*>(a.output), static_cast<const T*>(a.source)});
  });
  return true;
}

void scatter_count(const ScatterArgs& a, int64_t* counts) {
  ScatterShape s = a.shape;
  if (s.rows) s.outer = s.inner = 1;
  for_items(s, a.index, Count{counts});
}

void scatter_product(const ScatterArgs& a) {
  const ScatterShape& s = a.shape;
  dispatch_product(a.dtype, [&]<class T>() {
    Factor<T>* const output = static_cast<Factor<T>*>(a.output);
    if (s.rows) return accumulate_sorted(product_rows<T>(a), output, {s.destinations, s.outer, s.inner});
    const int64_t tiles = (s.inner + kTile - 1) / kTile, count = s.outer * tiles;
    constexpr int64_t kMostCells = 256 * 1024, kShortRuns = 16, kFilled = 4;
    const int64_t cells = s.destinations * (s.inner == 1 ? 1 : kTile);
    const bool short_runs = cells <= kMostCells && s.items <= kShortRuns * s.destinations;
    const bool filled = s.destinations <= kFilled * s.items;
    const auto run = [&](int64_t first, int64_t last) {
      std::optional<RunProducts<T>> products;
      if (short_runs && filled) products.emplace(cells);
      for (int64_t t = first; t < last; ++t)
        multiply_tile(a, t / tiles, t % tiles * kTile, output, products ? &*products : nullptr);
    };
    // Where there are few, the threads share each.
    if (const int threads = pieces_for(s.elements(), kGrain); threads > 1 && count >= threads)
      parallel_for(0, count, std::max<int64_t>(1, count / threads), run);
    else
      run(0, count);
  });
}

void scatter_mean(const ScatterArgs& a, const void* sums, const int64_t* counts, bool include_self) {
  dispatch_numeric("scatter_reduce", a.dtype, [&]<class T>() {
    each(a.shape.places(), MeanOfPlace<T>{a.shape, static_cast<T*>(a.output), static_cast<const mean_sum_t<T>*>(sums),
                                          counts, include_self});
  });
}

}  // namespace ordo::kernels::cpu

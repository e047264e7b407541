#include <algorithm>
#include <optional>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/dispatch_word.h>
#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/accumulate/factor.h>
#include <ordo/kernels/ordering/dense_sums_cpu.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/scatter/scatter.h>
#include <ordo/kernels/scatter/scatter_functors.h>

namespace ordo::kernels::cpu {

namespace {

/// A part of the output: of the lines outer, of the columns, and of the destinations.
struct Part {
  int64_t outer_begin, outer_end, inner_begin, inner_end, begin, end;
};

/// Of elements, which have int64 keys.
const int64_t* keys(const IndexView& index) { return static_cast<const int64_t*>(index.data); }

/// Calls f(place, source, n, stride) for the items of a part, those of a destination in item order: n neighbouring
/// places, and where their values stand.
template <class F>
void visit(const KeyedShape& s, const IndexView& index, const Part& part, const F& f) {
  const uint64_t width = uint64_t(part.end - part.begin);
  const int64_t columns = part.inner_end - part.inner_begin;
  for (int64_t o = part.outer_begin; o < part.outer_end; ++o) {
    const int64_t line = o * s.destinations * s.inner + part.inner_begin;
    const int64_t from = o * s.outer_stride + part.inner_begin * s.inner_stride;
    if (s.rows) {
      for (int64_t i = 0; i < s.items; ++i)
        if (const int64_t d = index.raw(i); uint64_t(d - part.begin) < width)
          f(line + d * s.inner, from + i * s.item_stride, columns, s.inner_stride);
      continue;
    }
    const int64_t* const row = keys(index) + o * s.items * s.inner + part.inner_begin;
    if (columns == 1) {
      for (int64_t i = 0; i < s.items; ++i)
        if (const int64_t d = row[i * s.inner]; uint64_t(d - part.begin) < width)
          f(line + d * s.inner, from + i * s.item_stride, 1, 0);
      continue;
    }
    constexpr int64_t kPlaces = 32 * 1024, kLine = 16;  // places that stay in the cache; columns of a line of it
    const int64_t block = F::kReads ? std::max(kLine, kPlaces / std::max<int64_t>(1, s.destinations)) : columns;
    for (int64_t j0 = 0; j0 < columns; j0 += block)
      for (int64_t i = 0; i < s.items; ++i)
        for (int64_t j = j0; j < std::min(columns, j0 + block); ++j)
          if (const int64_t d = row[i * s.inner + j]; uint64_t(d - part.begin) < width)
            f(line + d * s.inner + j, from + i * s.item_stride + j * s.inner_stride, 1, 0);
  }
}

constexpr int64_t kGrain = 16 * 1024, kColumns = 64;  // so many columns of an item are worth a visit

/// The same for all items, in threads that have parts of their own.
template <class F>
void for_items(const KeyedShape& s, const IndexView& index, const F& f) {
  constexpr int kFewest = 4, kMost = 16;  // threads that look at all items to pick their own
  const int threads = pieces_for(s.elements(), kGrain);
  const auto over = [&](int64_t n, int most, const auto& part_of) {
    parallel_for(0, n, std::max<int64_t>(1, n / std::min(threads, most)),
                 [&](int64_t first, int64_t last) { visit(s, index, part_of(first, last), f); });
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
  using value_type = T;
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
  using value_type = T;
  static constexpr bool kReads = true;
  T* output;
  const T* source;
  void operator()(int64_t place, int64_t from, int64_t n, int64_t stride) const {
    T* const to = output + place;
    const T* const values = source + from;
    for (int64_t j = 0; j < n; ++j) to[j] = one(to[j], values[j * stride]);
  }
  static T one(T old, T v) { return T(wrapping_add(accumulate_t<T>(old), accumulate_t<T>(v))); }
};

struct Count {
  static constexpr bool kReads = true;
  int64_t* counts;
  void operator()(int64_t place, int64_t, int64_t n, int64_t) const {
    for (int64_t j = 0; j < n; ++j) ++counts[place + j];
  }
};

/// The items of one line, or of some neighbouring columns of one. Their places are together in a tile: that of column j
/// and destination d is cell d * width + j.
struct Tile {
  int64_t place, width, inner, destinations;  // its first place in the output; places of a column are `inner` apart
  int64_t cells() const { return destinations * width; }
  /// Calls f(cell, place, n) for n neighbours.
  template <class F>
  void each_row(const F& f) const {
    if (width == inner) return f(0, place, cells());
    for (int64_t d = 0; d < destinations; ++d) f(d * width, place + d * inner, width);
  }
};

/// How many columns make a tile that stays in the cache; 0 where most of its cells would get nothing, or where there
/// are fewer tiles than threads.
int64_t tile_width(const KeyedShape& s) {
  constexpr int64_t kCells = 8 * 1024, kMostCells = 32 * kCells, kLine = 16, kFilled = 4;
  if (s.rows || s.destinations > kFilled * s.items) return 0;
  const int64_t width = std::min(s.inner, std::max(kLine, kCells / std::max<int64_t>(1, s.destinations)));
  const int threads = pieces_for(s.elements(), kGrain);
  const bool enough = threads == 1 || s.outer * ((s.inner + width - 1) / width) >= threads;
  return enough && s.destinations * width <= kMostCells ? width : 0;
}

/// Items of a line: item i from place from + i * step of the source.
template <class Cells>
[[gnu::noinline]] void add_line(int64_t items, const int64_t* index, int64_t from, int64_t step, Cells& cells) {
  if constexpr (requires { cells.add_line(items, index, from, step); })
    cells.add_line(items, index, from, step);
  else
    for (int64_t i = 0; i < items; ++i) cells.add(index[i], from + i * step);
}

template <class Cells>
[[gnu::noinline]] void add_columns(const KeyedShape& s, const int64_t* index, int64_t from, int64_t width,
                                   Cells& cells) {
  constexpr int64_t kAhead = 8, kBytes = 64;  // rows of a tile lie too far apart to be fetched without being asked for
  const int64_t items = s.items, inner = s.inner, step = s.item_stride, stride = s.inner_stride;
  for (int64_t i = 0; i < items; ++i) {
    const int64_t* const row = index + i * inner;
    const int64_t at = from + i * step;
    if (i + kAhead < items) {
      for (int64_t j = 0; j < width; j += kBytes / 8) __builtin_prefetch(row + kAhead * inner + j);
      for (int64_t j = 0; j < width; j += kBytes / 4) cells.prefetch(at + kAhead * step + j * stride);
    }
    for (int64_t j = 0; j < width; ++j) cells.add(row[j] * width + j, at + j * stride);
  }
}

/// Lets copies of `model` begin(tile), add(cell, from) the items, and end(tile), for all tiles. All destinations have
/// been checked.
template <class Cells>
void for_tiles(const KeyedShape& s, const IndexView& index, int64_t width, const Cells& model) {
  const int64_t tiles = (s.inner + width - 1) / width, count = s.outer * tiles;
  parallel_for(0, count, std::max<int64_t>(1, count / pieces_for(s.elements(), kGrain)),
               [&](int64_t first, int64_t last) {
                 Cells cells(model, s, width);
                 for (int64_t t = first; t < last; ++t) {
                   const int64_t o = t / tiles, column = t % tiles * width;
                   const Tile tile{o * s.destinations * s.inner + column, std::min(width, s.inner - column), s.inner,
                                   s.destinations};
                   const int64_t at = o * s.items * s.inner + column;
                   const int64_t from = o * s.outer_stride + column * s.inner_stride;
                   cells.begin(tile);
                   if (s.inner == 1)
                     add_line(s.items, keys(index) + at, from, s.item_stride, cells);
                   else
                     add_columns(s, keys(index) + at, from, tile.width, cells);
                   cells.end(tile);
                 }
               });
}

/// What `F` does to places: of whole lines, done in place, else to copies.
template <class F>
class PlaceCells {
  using T = typename F::value_type;

 public:
  explicit PlaceCells(const F& f) : output_(f.output), source_(f.source) {}
  PlaceCells(const PlaceCells& model, const KeyedShape& s, int64_t width)
      : output_(model.output_), source_(model.source_) {
    if (s.inner > 1) cells_ = copies_.emplace(s.destinations * width, Device());
  }
  void begin(const Tile& tile) {
    if (!copies_) cells_ = output_ + tile.place;
    if (copies_)
      tile.each_row([&](int64_t cell, int64_t place, int64_t n) { std::copy_n(output_ + place, n, cells_ + cell); });
  }
  void prefetch(int64_t from) const { __builtin_prefetch(source_ + from); }
  void add(int64_t cell, int64_t from) { cells_[cell] = F::one(cells_[cell], source_[from]); }
  void end(const Tile& tile) {
    if (copies_)
      tile.each_row([&](int64_t cell, int64_t place, int64_t n) { std::copy_n(cells_ + cell, n, output_ + place); });
  }

 private:
  T *output_, *cells_ = nullptr;
  const T* source_;
  std::optional<Scratch<T>> copies_;
};

/// Does what `f` does for all items, by tiles of such a width; 0: without.
template <class F>
void for_cells(const KeyedShape& s, const IndexView& index, int64_t width, const F& f) {
  if (width == 0)
    for_items(s, index, f);
  else
    for_tiles(s, index, width, PlaceCells<F>(f));
}

/// What becomes of the sums.
enum class Finish { add, mean, mean_with_old };

/// Adds by ordering rule 1.
template <class T>
class OrderedCells {
 public:
  using Acc = accumulate_t<T>;
  OrderedCells(T* output, const T* source, Finish finish) : output_(output), source_(source), finish_(finish) {}
  OrderedCells(const OrderedCells& model, const KeyedShape& s, int64_t width)
      : output_(model.output_),
        source_(model.source_),
        finish_(model.finish_),
        sums_(std::in_place, s.destinations * width, s.items) {}
  void begin(const Tile& tile) { sums_->begin(tile.cells()); }
  void prefetch(int64_t from) const { __builtin_prefetch(source_ + from); }
  void add(int64_t cell, int64_t from) { sums_->add(cell, Acc(source_[from])); }
  void add_line(int64_t items, const int64_t* index, int64_t from, int64_t step) {
    const T* const source = source_ + from;
    sums_->add_all(
        items, [=](int64_t i) { return index[i]; }, [=](int64_t i) { return Acc(source[i * step]); });
  }
  void end(const Tile& tile) {
    tile.each_row([&](int64_t cell, int64_t place, int64_t n) {
      if constexpr (std::is_floating_point_v<Acc>)
        if (finish_ != Finish::add) return write_means(cell, n, output_ + place);
      sums_->finish(cell, n, output_ + place);
    });
  }

 private:
  /// Of the places that get something.
  void write_means(int64_t cell, int64_t n, T* out) const {
    const bool with_old = finish_ == Finish::mean_with_old;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t count = sums_->count(cell + k);
      if (count == 0) continue;
      Acc sum = with_old ? Acc(out[k]) : Acc(0);
      sums_->finish(cell + k, sum);
      out[k] = T(divided(sum, count + with_old));
    }
  }

  T* output_;
  const T* source_;
  Finish finish_;
  std::optional<DenseSums<Acc>> sums_;
};

/// All items by tiles of such a width.
template <class T>
void sum_tiles(const KeyedItems& a, int64_t width, Finish finish = Finish::add) {
  for_tiles(a.shape, a.index, width,
            OrderedCells<T>(static_cast<T*>(a.output), static_cast<const T*>(a.source), finish));
}

}  // namespace

void scatter_write(const KeyedItems& a) {
  dispatch_word(size_of(a.dtype), [&]<class Word>() {
    for_items(a.shape, a.index, Write<Word>{static_cast<Word*>(a.output), static_cast<const Word*>(a.source)});
  });
}

void scatter_extremum(const KeyedItems& a, bool max) {
  const int64_t width = tile_width(a.shape);
  dispatch_numeric("scatter_reduce", a.dtype, [&]<class T>() {
    T* const output = static_cast<T*>(a.output);
    const T* const source = static_cast<const T*>(a.source);
    if (max)
      for_cells(a.shape, a.index, width, Extremum<T, true>{output, source});
    else
      for_cells(a.shape, a.index, width, Extremum<T, false>{output, source});
  });
}

bool scatter_sum(const KeyedItems& a, Algorithm algorithm) {
  const KeyedShape& s = a.shape;
  const int64_t width = tile_width(s);
  const int threads = pieces_for(s.elements(), kGrain);
  const bool ordered = algorithm == Algorithm::sorted;
  if (algorithm == Algorithm::exact || (ordered && width == 0)) return false;
  if (width == 0 && s.outer < threads && s.inner < threads * kColumns) return false;
  dispatch_numeric("scatter_add", a.dtype, [&]<class T>() {
    T* const output = static_cast<T*>(a.output);
    const T* const source = static_cast<const T*>(a.source);
    if constexpr (!std::is_integral_v<T>) {
      if (ordered) return sum_tiles<T>(a, width);
    }
    for_cells(s, a.index, width, Sum<T>{output, source});
  });
  return true;
}

void scatter_count(const KeyedItems& a, int64_t* counts) {
  KeyedShape s = a.shape;
  if (s.rows) s.outer = s.inner = 1;
  for_items(s, a.index, Count{counts});
}

bool scatter_product(const KeyedItems& a) {
  const int64_t width = tile_width(a.shape);
  if (width > 0) dispatch_product(a.dtype, [&]<class T>() { sum_tiles<Factor<T>>(a, width); });
  return width > 0;
}

bool scatter_means(const KeyedItems& a, bool include_self) {
  const int64_t width = tile_width(a.shape);
  if (width == 0 || !is_floating(a.dtype)) return false;
  dispatch_floating("scatter_reduce", a.dtype,
                    [&]<class T>() { sum_tiles<T>(a, width, include_self ? Finish::mean_with_old : Finish::mean); });
  return true;
}

void scatter_mean(const KeyedItems& a, const void* sums, const int64_t* counts, bool include_self) {
  const KeyedShape& s = a.shape;
  dispatch_numeric("scatter_reduce", a.dtype, [&]<class T>() {
    const MeanOfPlace<T> mean{s, static_cast<T*>(a.output), static_cast<const mean_sum_t<T>*>(sums), counts,
                              include_self};
    if (!s.rows) return each(s.places(), mean);
    // Row by row, whose places have one slot.
    parallel_for(0, s.outer * s.destinations, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, s.inner)),
                 [&](int64_t first, int64_t last) {
                   for (int64_t row = first; row < last; ++row) {
                     const int64_t count = counts[row % s.destinations];
                     for (int64_t j = 0; count > 0 && j < s.inner; ++j) mean.write(row * s.inner + j, count);
                   }
                 });
  });
}

}  // namespace ordo::kernels::cpu

#include <algorithm>
#include <utility>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/scatter/scatter.h>
#include <ordo/kernels/scatter/scatter_functors.h>

namespace ordo::kernels::cpu {

namespace {

/// A range of the output: of the lines outer, of the columns, and of the destinations.
struct OutputRange {
  int64_t outer_begin, outer_end, inner_begin, inner_end, begin, end;
};

/// Of elements, which have int64 keys.
const int64_t* keys(const IndexView& index) { return static_cast<const int64_t*>(index.data); }

/// In which order items are visited. `by_block`: some neighbouring columns at a time, where what is at their places is
/// read, too.
enum class Visit { forward, by_block, backward };

/// g(i) for the items in their order.
template <Visit kVisit, class G>
[[gnu::always_inline]] inline void each_item(int64_t items, const G& g) {
  if constexpr (kVisit == Visit::backward)
    for (int64_t i = items - 1; i >= 0; --i) g(i);
  else
    for (int64_t i = 0; i < items; ++i) g(i);
}

/// Calls f(place, source) for the items of a part, those of a destination in order: where each of their values goes,
/// and where it stands. No store can change a copy.
template <Visit kVisit, class F>
void visit(const KeyedShape s, const IndexView& index, const OutputRange& part, const F f) {
  const uint64_t width = uint64_t(part.end - part.begin);
  const int64_t columns = part.inner_end - part.inner_begin, stride = s.inner_stride;
  for (int64_t o = part.outer_begin; o < part.outer_end; ++o) {
    const int64_t line = o * s.destinations * s.inner + part.inner_begin;
    const int64_t from = o * s.outer_stride + part.inner_begin * stride;
    if (s.rows && columns == 1 && s.inner == 1) {
      const auto one = [&](int64_t i, int64_t d) {
        if (uint64_t(d - part.begin) < width) f(line + d, from + i * s.item_stride);
      };
      if (index.wide)
        each_item<kVisit>(s.items, [&](int64_t i) { one(i, static_cast<const int64_t*>(index.data)[i]); });
      else
        each_item<kVisit>(s.items, [&](int64_t i) { one(i, static_cast<const int32_t*>(index.data)[i]); });
      continue;
    }
    if (s.rows) {
      each_item<kVisit>(s.items, [&](int64_t i) {
        const int64_t d = index.raw(i), place = line + d * s.inner, source = from + i * s.item_stride;
        if (uint64_t(d - part.begin) >= width) return;
        if (stride == 1)  // vectorises
          for (int64_t j = 0; j < columns; ++j) f(place + j, source + j);
        else
          for (int64_t j = 0; j < columns; ++j) f(place + j, source + j * stride);
      });
      continue;
    }
    const int64_t* const row = keys(index) + o * s.items * s.inner + part.inner_begin;
    if (columns == 1) {
      each_item<kVisit>(s.items, [&](int64_t i) {
        if (const int64_t d = row[i * s.inner]; uint64_t(d - part.begin) < width)
          f(line + d * s.inner, from + i * s.item_stride);
      });
      continue;
    }
    constexpr int64_t kPlaces = 32 * 1024, kLine = 16;  // places that stay in the cache; columns of a line of it
    const int64_t block =
        kVisit == Visit::by_block ? std::max(kLine, kPlaces / std::max<int64_t>(1, s.destinations)) : columns;
    for (int64_t j0 = 0; j0 < columns; j0 += block)
      each_item<kVisit>(s.items, [&](int64_t i) {
        for (int64_t j = j0; j < std::min(columns, j0 + block); ++j)
          if (const int64_t d = row[i * s.inner + j]; uint64_t(d - part.begin) < width)
            f(line + d * s.inner + j, from + i * s.item_stride + j * stride);
      });
  }
}

constexpr int64_t kGrain = 16 * 1024, kColumns = 64;  // so many columns of an item are worth a visit

/// f for all items, in threads with destinations of their own.
template <Visit kVisit, class F>
void for_items(const KeyedShape& s, const IndexView& index, const F& f) {
  constexpr int kFewest = 4, kMost = 16;  // threads that look at all items to pick their own
  const int threads = pieces_for(s.elements(), kGrain);
  const auto over = [&](int64_t n, int most, const auto& part_of) {
    parallel_for(0, n, std::max<int64_t>(1, n / std::min(threads, most)),
                 [&](int64_t first, int64_t last) { visit<kVisit>(s, index, part_of(first, last), f); });
  };
  if (s.outer >= threads)
    over(s.outer, threads,
         [&](int64_t first, int64_t last) { return OutputRange{first, last, 0, s.inner, 0, s.destinations}; });
  else if (s.inner >= threads * kColumns)
    over(s.inner, threads,
         [&](int64_t first, int64_t last) { return OutputRange{0, s.outer, first, last, 0, s.destinations}; });
  else
    over(s.destinations, threads < kFewest ? 1 : kMost,
         [&](int64_t first, int64_t last) { return OutputRange{0, s.outer, 0, s.inner, first, last}; });
}

}  // namespace

void scatter_write(const KeyedItems& a) {
  dispatch_word(size_of(a.dtype), [&]<class Word>() {
    Word* const output = static_cast<Word*>(a.output);
    const Word* const source = static_cast<const Word*>(a.source);
    for_items<Visit::forward>(a.shape, a.index, [=](int64_t place, int64_t from) { output[place] = source[from]; });
  });
}

void scatter_take_out(const KeyedItems& a, void* taken) {
  dispatch_word(size_of(a.dtype), [&]<class Word>() {
    Word *const output = static_cast<Word*>(a.output), *const to = static_cast<Word*>(taken);
    // From the last item to the first: who comes first takes what is there.
    for_items<Visit::backward>(a.shape, a.index,
                               [=](int64_t place, int64_t at) { to[at] = std::exchange(output[place], Word(0)); });
  });
}

void scatter_extremum(const KeyedItems& a, bool max) {
  dispatch_numeric("scatter_reduce", a.dtype, [&]<class T>() {
    T* const output = static_cast<T*>(a.output);
    const T* const source = static_cast<const T*>(a.source);
    const auto run = [&]<bool kMax>() {
      for_items<Visit::by_block>(a.shape, a.index, [=](int64_t place, int64_t from) {
        // Without a branch: of random values, none could be predicted.
        const T old = output[place];
        const auto key = OrderedKey<T>::of(source[from], kMax);
        const T greater = OrderedKey<T>::value(key, kMax);
        output[place] = key > OrderedKey<T>::of(old, kMax) ? greater : old;
      });
    };
    max ? run.template operator()<true>() : run.template operator()<false>();
  });
}

void scatter_count(const KeyedItems& a, int64_t* counts) {
  KeyedShape s = a.shape;
  if (s.rows) s.outer = s.inner = 1;
  for_items<Visit::by_block>(s, a.index, [=](int64_t place, int64_t) { ++counts[place]; });
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

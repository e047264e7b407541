#include <algorithm>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/dispatch_word.h>
#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/accumulate/radix_sort_cpu.h>
#include <ordo/kernels/indexing/rows_cpu.h>
#include <ordo/kernels/sort/sort_keys.h>

namespace ordo::kernels::cpu {
namespace {

constexpr int64_t kComparison = 192;  // lines that a comparison sort is faster for than counting digits
constexpr int64_t kLineGrain = 8192;  // elements

// A key is an entry's destination. Narrow entries differ, and so sort as numbers.
bool before(NarrowEntry a, NarrowEntry b) { return a < b; }
bool before(const WideEntry& a, const WideEntry& b) {
  const uint64_t x = uint64_t(a.destination), y = uint64_t(b.destination);
  return x != y ? x < y : a.item < b.item;
}
struct Before {
  template <class Entry>
  bool operator()(const Entry& a, const Entry& b) const {
    return before(a, b);
  }
};

template <class Entry>
class LineSort {
 public:
  explicit LineSort(const SortArgs& a) : a_(a), bits_(key_bits(a.dtype)) {}

  void run() const {
    const auto lines = [&](int64_t first, int64_t last) {
      const Scratch<Entry> entries(2 * a_.length, ordo::cpu);
      for (int64_t line = first; line < last; ++line) sort(line, entries);
    };
    // A few long lines are sorted by all threads together.
    if (a_.lines < num_threads() && a_.length > 4 * kLineGrain) return lines(0, a_.lines);
    parallel_for(0, a_.lines, std::max<int64_t>(1, kLineGrain / a_.length), lines);
  }

 private:
  void sort(int64_t line, Entry* entries) const {
    const int64_t length = a_.length, wanted = a_.selection.count();
    const bool from_first = a_.selection.kind == Selection::Kind::range && a_.selection.from == 0;
    if (from_first && wanted > 0 && wanted <= 64 && wanted * 64 <= length) {
      first_places(line, wanted, entries);
      for (int64_t i = 0; i < wanted; ++i) a_.indices[line * wanted + i] = entry_item(entries[i]);
      return;
    }
    const int64_t nans = load(line, entries);
    int64_t from = a_.selection.from, to = a_.selection.to;
    if (a_.selection.kind != Selection::Kind::range) {
      from = median_place(length, nans, a_.selection.kind == Selection::Kind::nanmedian);
      to = from + 1;
    }
    const Entry* sorted = to - from < length / 4 ? select(entries, from, to) : sort_all(entries);
    int64_t* out = a_.indices + line * (to - from);
    for (int64_t i = from; i < to; ++i) out[i - from] = entry_item(sorted[i]);
  }
  /// How many NaNs there are, too.
  int64_t load(int64_t line, Entry* entries) const {
    const uint64_t flip = a_.descending ? greatest_key(bits_) : 0, nan = greatest_key(bits_);
    return dispatch_all("sort", a_.dtype, [&]<class T>() {
      const T* x = static_cast<const T*>(a_.x) + line * a_.length;
      int64_t nans = 0;
      for (int64_t i = 0; i < a_.length; ++i) {
        const uint64_t key = element_key(x[i]);
        nans += !std::is_integral_v<T> && key == nan;
        entries[i] = make_entry<Entry>(int64_t(key ^ flip), i);
      }
      return nans;
    });
  }
  /// The first `wanted` places, a few of many, without entries of the others: each thread keeps those of its part.
  void first_places(int64_t line, int64_t wanted, Entry* entries) const {
    const int pieces = pieces_for(a_.length, 4 * kLineGrain);
    for_pieces(pieces, [&](int piece) {
      const int64_t begin = a_.length * piece / pieces, end = a_.length * (piece + 1) / pieces;
      keep_first(line, begin, end, wanted, entries + piece * wanted);
    });
    std::sort(entries, entries + pieces * wanted, Before());
  }
  void keep_first(int64_t line, int64_t begin, int64_t end, int64_t wanted, Entry* heap) const {
    const uint64_t flip = a_.descending ? greatest_key(bits_) : 0;
    dispatch_all("sort", a_.dtype, [&]<class T>() {
      const T* x = static_cast<const T*>(a_.x) + line * a_.length;
      for (int64_t i = 0; i < wanted; ++i)
        heap[i] = make_entry<Entry>(int64_t(element_key(x[begin + i]) ^ flip), begin + i);
      std::make_heap(heap, heap + wanted, Before());
      uint64_t last = uint64_t(entry_destination(heap[0]));
      for (int64_t i = begin + wanted; i < end; ++i) {
        const uint64_t key = element_key(x[i]) ^ flip;
        if (key >= last) continue;  // of equal elements the first ones stay
        std::pop_heap(heap, heap + wanted, Before());
        heap[wanted - 1] = make_entry<Entry>(int64_t(key), i);
        std::push_heap(heap, heap + wanted, Before());
        last = uint64_t(entry_destination(heap[0]));
      }
    });
  }
  const Entry* sort_all(Entry* entries) const {
    if (a_.length > kComparison) return sort_by_destination(entries, entries + a_.length, a_.length, bits_);
    std::sort(entries, entries + a_.length, Before());
    return entries;
  }
  /// Only places [from, to) are in order.
  const Entry* select(Entry* entries, int64_t from, int64_t to) const {
    Entry* const end = entries + a_.length;
    if (from > 0) std::nth_element(entries, entries + from, end, Before());
    if (to - from > 1 || from == 0) {
      if (to < a_.length) std::nth_element(entries + from, entries + to, end, Before());
      std::sort(entries + from, entries + to, Before());
    }
    return entries;
  }

  const SortArgs& a_;
  int bits_;
};

}  // namespace

void sort_lines(const SortArgs& a) {
  if (size_of(a.dtype) <= 4 && a.length <= int64_t(UINT32_MAX))
    LineSort<NarrowEntry>(a).run();
  else
    LineSort<WideEntry>(a).run();
}

void mode_lines(const ModeArgs& a) {
  const SortArgs& s = a.lines;
  const ModeOfLine f{{s.x, s.dtype, false}, s.indices, s.length, a.last_places};
  parallel_for(0, s.lines, std::max<int64_t>(1, kLineGrain / s.length), [&](int64_t first, int64_t last) {
    for (int64_t line = first; line < last; ++line) f(line);
  });
}

void put_along(const PutAlongArgs& a) {
  dispatch_word(a.element_size, [&]<class Word>() {
    const Word* const x = static_cast<const Word*>(a.x);
    Word* const out = static_cast<Word*>(a.out);
    each_row(a.shape, a.count, [&](const IndexRow& row) {
      for (int64_t j = 0; j < row.count; ++j)
        out[row.base + j * row.step + a.index[row.first + j] * row.stride] = x[row.first + j];
    });
  });
}

}  // namespace ordo::kernels::cpu

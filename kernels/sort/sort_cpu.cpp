#include <algorithm>
#include <limits>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/accumulate/radix_sort_cpu.h>
#include <ordo/kernels/sort/sort_keys.h>

namespace ordo::kernels::cpu {
namespace {

constexpr int64_t kLineGrain = 8192;  // elements

/// An entry for each element of a line, with its key as the destination; returns how many NaNs there are.
template <class Entry, class T>
int64_t make_entries(const T* line, int64_t length, bool descending, Entry* entries) {
  const uint64_t nan = greatest_key(int(sizeof(T)) * 8), flip = descending ? nan : 0;
  int64_t nans = 0;
  for (int64_t i = 0; i < length; ++i) {
    const uint64_t key = element_key(line[i]);
    nans += !std::is_integral_v<T> && key == nan;
    entries[i] = make_entry<Entry>(int64_t(key ^ flip), i);
  }
  return nans;
}

/// The least `wanted` entries of a line, in order, and room for kRoom times as many. Of the elements that follow only
/// those count that come before all but `wanted` - 1 of the entries so far.
constexpr int64_t kRoom = 4;
template <class Entry, class T>
void least_entries(const T* line, int64_t length, bool descending, int64_t wanted, Entry* entries) {
  constexpr EntryBefore before;
  const uint64_t flip = descending ? greatest_key(int(sizeof(T)) * 8) : 0;
  Entry last = make_entry<Entry>(-1, std::numeric_limits<int64_t>::max());
  int64_t count = 0;
  for (int64_t i = 0; i < length; ++i) {
    entries[count] = make_entry<Entry>(int64_t(element_key(line[i]) ^ flip), i);
    count += before(entries[count], last);  // no branch, which would be mispredicted
    if (count < kRoom * wanted) continue;
    std::nth_element(entries, entries + wanted - 1, entries + count, before);
    last = entries[wanted - 1];
    count = wanted;
  }
  std::partial_sort(entries, entries + wanted, entries + count, before);
}

template <class Entry>
void sort_by_entries(const Tensor& t, bool descending, const Selection& selection, int64_t* indices) {
  const int64_t length = t.size(-1), count = t.numel() / length, wanted = selection.count();
  const bool few =
      selection.kind == Selection::Kind::range && selection.from == 0 && wanted > 0 && 2 * kRoom * wanted <= length;
  const auto sort_lines = [&](int64_t first, int64_t last) {
    const Scratch<Entry> scratch(2 * length, ordo::cpu);
    Entry *const entries = scratch.data(), *const end = entries + length;
    for (int64_t line = first; line < last; ++line) {
      const int64_t nans = dispatch_all("sort", t.dtype(), [&]<class T>() {
        const T* const values = t.data<T>() + line * length;
        if (!few) return make_entries(values, length, descending, entries);
        least_entries(values, length, descending, wanted, entries);
        return int64_t(0);
      });
      const int64_t place = first_place(selection, length, nans);
      const Entry* sorted = entries;
      if (!few && wanted < length / 4) {  // only these come into order
        std::nth_element(entries, entries + place, end, EntryBefore());
        std::nth_element(entries + place, entries + place + wanted, end, EntryBefore());
        std::sort(entries + place, entries + place + wanted, EntryBefore());
      } else if (!few) {
        sorted = sort_by_destination(entries, end, length, key_bits(t.dtype()));
      }
      sorted += place;
      for (int64_t i = 0; i < wanted; ++i) indices[line * wanted + i] = entry_item(sorted[i]);
    }
  };
  // A few long lines are sorted by all threads together.
  if (count < num_threads() && length > 4 * kLineGrain) return sort_lines(0, count);
  parallel_for(0, count, std::max<int64_t>(1, kLineGrain / length), sort_lines);
}

}  // namespace

void sort_lines(const Tensor& lines, bool descending, const Selection& selection, const Tensor& indices) {
  const bool narrow = lines.element_size() <= 4 && lines.size(-1) <= int64_t(UINT32_MAX);
  (narrow ? sort_by_entries<NarrowEntry> : sort_by_entries<WideEntry>)(lines, descending, selection,
                                                                       indices.data<int64_t>());
}

}  // namespace ordo::kernels::cpu

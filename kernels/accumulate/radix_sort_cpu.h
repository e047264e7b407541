// Items in the order of their destinations: a stable radix sort over CPU threads.
#pragma once

#include <cstdint>

namespace ordo::kernels::cpu {

/// An item and its destination. The narrow form holds both in 32 bits each.
struct WideEntry {
  int64_t destination, item;
};
using NarrowEntry = uint64_t;  // destination << 32 | item

inline int64_t entry_destination(NarrowEntry e) { return int64_t(e >> 32); }
inline int64_t entry_item(NarrowEntry e) { return int64_t(uint32_t(e)); }
inline int64_t entry_destination(const WideEntry& e) { return e.destination; }
inline int64_t entry_item(const WideEntry& e) { return e.item; }
/// By destination, then by item.
struct EntryBefore {
  bool operator()(NarrowEntry a, NarrowEntry b) const { return a < b; }
  bool operator()(const WideEntry& a, const WideEntry& b) const {
    const uint64_t x = uint64_t(a.destination), y = uint64_t(b.destination);
    return x != y ? x < y : a.item < b.item;
  }
};
template <class Entry>
Entry make_entry(int64_t destination, int64_t item);
template <>
inline NarrowEntry make_entry(int64_t destination, int64_t item) {
  return uint64_t(destination) << 32 | uint64_t(item);
}
template <>
inline WideEntry make_entry(int64_t destination, int64_t item) {
  return {destination, item};
}

/// Sorts by the low `bits` bits of the destinations (all of which fit in them); equal destinations keep their order.
/// Returns whichever of `entries` and `spare` holds the result.
template <class Entry>
Entry* sort_by_destination(Entry* entries, Entry* spare, int64_t count, int bits);

/// What one thread handles at least; below twice that everything happens on the calling thread.
inline constexpr int64_t kAccumulateGrain = 8 * 1024;

/// Where sums at random places take more bytes than this, a second-level cache, they are fetched a while before they
/// are added to: the processor alone would wait for every few of them.
inline constexpr int64_t kFetchedBytes = 1 << 20;

/// Up to so many threads, plain work by one of them may beat bringing items together for all.
inline constexpr int kFewThreads = 4;

}  // namespace ordo::kernels::cpu

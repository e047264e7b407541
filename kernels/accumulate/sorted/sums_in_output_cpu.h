// Ordering rule 1 for items of a single column and more destinations than stay in the cache, most of which get few.
// Internal to dense_cpu.h.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/sorted/dense_filter_cpu.h>
#include <ordo/kernels/ordering/dense_sums_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// Running sums of destinations, each of at most a group, made in the output itself, whose old content waits in a list:
/// where sums of all would not stay in the cache. All memory is there before the output changes.
template <class T>
class SumsInOutput {
 public:
  using Entry = typename DenseSums<T>::Entry;
  static constexpr int64_t kBlock = 8 * 1024;  // entries at a time
  /// For `destinations` that get `items` values in all.
  SumsInOutput(T* output, int64_t destinations, int64_t items)
      : output_(output),
        destinations_(destinations),
        begun_(destinations / 8 + 1, Device()),
        counts_(destinations, Device()),
        olds_(items + 1, Device()),
        again_(items + 1, Device()),
        block_(kBlock + kAhead, Device()) {
    std::fill_n(begun_.data(), destinations / 8 + 1, uint8_t(0));
    std::fill_n(block_.data(), kBlock + kAhead, Entry{0, {}});
  }
  /// Room for the next entries.
  Entry* block() const { return block_; }
  /// Adds the value of each of the first n entries in the block to the sum of its destination, in this order.
  void add(int64_t n) {
    const Entry* const entries = block_;
    T* const output = output_;
    uint8_t* const begun = begun_;  // a store to it might be one to a member, if members were used
    Entry* old = olds_ + old_count_;
    uint32_t* again = again_ + again_count_;
    for (int64_t i = 0; i < n; ++i) {
      __builtin_prefetch(output + entries[i + kAhead].place, 1);
      const uint32_t d = entries[i].place;
      const uint8_t eight = begun[d / 8], one = uint8_t(1u << d % 8);
      const bool first = (eight & one) == 0;
      begun[d / 8] = eight | one;
      const T before = output[d];
      *old = {d, before};
      old += first;
      *again = d;
      again += !first;
      const T sums[2] = {before, kNoValue<T>};
      output[d] = sums[first] + entries[i].value;  // without a branch, which nobody could foresee
    }
    old_count_ = old - olds_;
    again_count_ = again - again_;
  }
  /// Whether a destination got more than a group: its sum is wrong.
  bool longer() const {
    if (again_count_ < kOrderedGroup) return false;
    std::fill_n(counts_.data(), destinations_, uint8_t(1));
    bool longer = false;
    for (int64_t i = 0; i < again_count_; ++i) longer |= ++counts_[again_[i]] > kOrderedGroup;
    return longer;
  }
  /// Adds the sums to the old content or, if they are `wrong`, puts that back.
  void finish(bool wrong) const {
    for (int64_t i = 0; i < old_count_; ++i) {
      __builtin_prefetch(output_ + olds_[std::min(i + kAhead, old_count_ - 1)].place, 1);
      T& out = output_[olds_[i].place];
      out = wrong ? olds_[i].value : olds_[i].value + out;
    }
  }

 private:
  static constexpr int64_t kAhead = 32;  // entries whose places, which lie anywhere in memory, are fetched before

  T* output_;
  int64_t destinations_;
  Scratch<uint8_t> begun_;   // a bit for each destination
  Scratch<uint8_t> counts_;  // of its values, where that matters
  Scratch<Entry> olds_;
  Scratch<uint32_t> again_;  // destinations that had begun
  Scratch<Entry> block_;
  int64_t old_count_ = 0, again_count_ = 0;
};

/// By few threads, each of which picks the items of its destinations. False, and nothing done, where a
/// destination gets more than a group.
template <class Items>
bool sum_in_output(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                   const FilterPlan& plan, int threads) {
  using Sums = SumsInOutput<typename Items::value_type>;
  std::array<std::optional<Sums>, kMostFilters> sums;
  const auto width = [&](int piece) { return plan.cuts[size_t(piece) + 1] - plan.cuts[size_t(piece)]; };
  for (int piece = 0; piece < threads; ++piece)
    sums[size_t(piece)].emplace(output + plan.cuts[size_t(piece)], width(piece), items.count);
  std::atomic<bool> longer = false;
  for_pieces(threads, [&](int piece) {
    const int64_t first = plan.cuts[size_t(piece)];
    const uint64_t places = uint64_t(width(piece));
    const Items mine = items;  // which no store to an entry can change
    Sums& here = *sums[size_t(piece)];
    auto* const entries = here.block();
    for (int64_t begin = 0; begin < mine.count; begin += Sums::kBlock) {
      int64_t count = 0;
      for (int64_t i = begin; i < std::min(mine.count, begin + Sums::kBlock); ++i) {
        const int64_t place = checked_destination(mine, i) - first;
        entries[count] = {uint32_t(place), item_value(mine, shape, i, 0, 0)};  // kept only when it is counted
        count += uint64_t(place) < places;
      }
      here.add(count);
    }
    if (here.longer()) longer.store(true, std::memory_order_relaxed);
  });
  for_pieces(threads, [&](int piece) { sums[size_t(piece)]->finish(longer); });
  return !longer;
}

}  // namespace ordo::kernels::cpu::accumulate_detail

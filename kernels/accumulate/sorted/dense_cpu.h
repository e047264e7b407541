// Ordering rule 1 for items of a single column, without sorting. Internal to accumulate_cpu.h.
//
// One thread just adds to a running sum per destination; a few do as dense_filter_cpu.h says, or leave it to one. For
// more, or where most destinations get nothing, items are dealt out, in order, to ranges of destinations small enough
// for their sums to stay in the cache; each range then belongs to one thread. A destination sees its items in item
// order, so the sums are those of the contract. Where many threads would wait for one with most of the items, or where
// there are few items, the caller sorts instead.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/shared/deal_cpu.h>
#include <ordo/kernels/accumulate/shared/sort_cpu.h>
#include <ordo/kernels/accumulate/sorted/dense_filter_cpu.h>
#include <ordo/kernels/ordering/dense_sums_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// By one thread. The items are a copy, because what the loop stores might be a part of what they refer to.
template <class Items>
void sum_all(Items items, typename Items::value_type* output, const AccumulateShape& given) {
  using Acc = accumulate_t<typename Items::value_type>;
  const AccumulateShape shape = given;
  const int64_t n = shape.destinations, m = items.count;
  DenseSums<Acc> sums(n, m);
  sums.begin(n);
  for (int64_t i = 0; i < m; ++i) {
    const int64_t d = checked_destination(items, i);
    if (d >= 0) sums.add(d, item_value(items, shape, i, 0, 0));
  }
  sums.finish(0, n, output);
}

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

/// Likewise by few threads, each of which picks the items of its destinations. False, and nothing done, where a
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

/// By ranges of destinations: few enough to write to them all at once, several per thread. False, and nothing done,
/// when they do not balance.
template <class Items>
bool sum_ranges(const Items& items, typename Items::value_type* output, const AccumulateShape& shape, int threads) {
  using Acc = accumulate_t<typename Items::value_type>;
  const int64_t m = items.count, n = shape.destinations;
  const int64_t wanted = std::clamp<int64_t>(n / 2048, 16 * threads, 1024);
  const int shift = std::bit_width(uint64_t(n / wanted));
  Deal<Items> deal(items, n, shift, threads);
  // To add takes a fraction of what it takes to sort: a few threads had better wait for one.
  for (int64_t r = 0; threads > kMostFilters && r < deal.ranges(); ++r)
    if (deal.size(r) > m / threads / 2) return false;

  using Entry = typename DenseSums<Acc>::Entry;
  Scratch<Entry> entries(m, Device());
  deal.deal(entries.data(), [items, shape](int64_t i, uint32_t place) {
    return Entry{place, item_value(items, shape, i, 0, 0)};
  });
  const bool sparse = n > m;
  std::atomic<int64_t> next = 0;
  for_pieces(threads, [&](int) {
    DenseSums<Acc> sums(int64_t(1) << shift, m);
    if (sparse) sums.begin(int64_t(1) << shift);
    for (int64_t r; (r = next.fetch_add(1, std::memory_order_relaxed)) < deal.ranges();) {
      const Entry *const first = entries + deal.start(r), *const last = first + deal.size(r);
      auto* const out = output + deal.base(r);
      if (sparse)  // what is written to lies anywhere in memory
        for (const Entry* entry = first; entry < last; ++entry) __builtin_prefetch(out + entry->place, 1);
      else
        sums.begin(deal.width(r));
      sums.add(first, last - first);
      if (sparse)
        for (const Entry* entry = first; entry < last; ++entry) sums.take(entry->place, out[entry->place]);
      else
        sums.finish(0, deal.width(r), out);
    }
  });
  return true;
}

/// False, and nothing done, when sorting is better.
template <class Items>
bool accumulate_dense(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  constexpr int64_t kLeastSparse = 64 * 1024;  // items: so many are not sorted in the cache
  const int64_t m = items.count, n = shape.destinations;
  if (shape.columns() != 1 || std::max(m, n) >= INT32_MAX) return false;
  const int threads = pieces_for(m, 2 * kAccumulateGrain);
  constexpr int64_t kInCache = 128 * 1024, kFewBytes = 16, kShortRuns = 8;
  std::optional<FilterPlan> plan;
  if (threads <= kMostFilters) plan = plan_filters(items, n, threads);
  if constexpr (std::is_same_v<typename Items::value_type, accumulate_t<typename Items::value_type>> &&
                !std::is_integral_v<typename Items::value_type>) {
    const bool short_runs = plan && plan->hot < 0 && n / kFewBytes <= m && m / kShortRuns <= n;
    if (n > kInCache && short_runs && sum_in_output(items, output, shape, *plan, threads)) return true;
  }
  if (n / 4 > m) return m >= kLeastSparse && n / 128 <= m && sum_ranges(items, output, shape, threads);
  if (!plan) return n >= 2 * threads && sum_ranges(items, output, shape, threads);
  // Picking an item costs about as much as adding it to a sum in the cache, so that threads gain nothing there; but
  // sums to one place wait for each other.
  if (threads > 1 && (n > kInCache || plan->mostly_hot))
    accumulate_filtered(items, output, shape, *plan, threads);
  else
    sum_all(items, output, shape);
  return true;
}

}  // namespace ordo::kernels::cpu::accumulate_detail

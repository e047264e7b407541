// Ordering rule 1 for items of a single column and few threads, without sorting. Internal to accumulate_cpu.h.
//
// Every thread reads all items and picks those of the destinations that it owns; reading is so much cheaper than adding
// to scattered places that this beats dealing the items out. A destination sees its items in item order, so the sums
// are those of the contract, whoever owns what. A look at some items says where to cut the destinations so that the
// threads have as much to do, and whether one of them, the hot one, has so many items that it is better picked apart:
// its sum then waits for no store.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/shared/sort_cpu.h>
#include <ordo/kernels/ordering/dense_sums_cpu.h>
#include <ordo/kernels/ordering/ordered_sum.h>

namespace ordo::kernels::cpu::accumulate_detail {

inline constexpr int kMostFilters = 4;  // threads; each reads everything, so that more gain little

/// Thread p owns the destinations [cuts[p], cuts[p + 1]) but for the hot one, -1 for none, which is thread 0's.
struct FilterPlan {
  std::array<int64_t, kMostFilters + 1> cuts;
  int64_t hot;
  bool mostly_hot;  // most items go there
};

template <class Items>
FilterPlan plan_filters(const Items& items, int64_t destinations, int threads) {
  constexpr int kMostLooks = 256, kHotShare = 8;
  const int64_t looks = std::min<int64_t>(items.count / 64, kMostLooks);
  std::array<int64_t, kMostLooks> seen;
  const auto begin = seen.begin();
  auto end = begin;
  for (int64_t k = 0; k < looks; ++k)
    if (const int64_t d = checked_destination(items, items.count / looks * k); d >= 0) *end++ = d;
  std::sort(begin, end);
  auto hot = begin, hot_end = begin;
  for (auto first = begin, last = begin; first != end; first = last) {
    last = std::upper_bound(first, end, *first);
    if (last - first > hot_end - hot) hot = first, hot_end = last;
  }
  FilterPlan plan = {{}, -1, (hot_end - hot) * 4 > (end - begin) * 3};
  ptrdiff_t hot_seen = 0;
  const ptrdiff_t share = (end - begin) / threads;
  if (hot_end - hot > (end - begin) / kHotShare) {
    plan.hot = *hot;
    hot_seen = hot_end - hot;
    end = std::copy(hot_end, end, hot);
  }
  // Thread 0 takes so much less of the others as the hot one is seen.
  const ptrdiff_t others = end - begin, first = std::clamp<ptrdiff_t>(share - hot_seen, 0, others);
  for (int p = 1; p < threads; ++p) {
    const ptrdiff_t at = first + (others - first) * (p - 1) / (threads - 1);
    plan.cuts[size_t(p)] = at < others ? begin[at] : destinations;
  }
  plan.cuts[size_t(threads)] = destinations;
  return plan;
}

/// The ordered sum of one destination's values, fed in blocks.
template <class Acc>
class HotSum {
 public:
  /// Where the next values belong.
  Acc* room() { return values_.data() + waiting_; }
  HotSum(int64_t block) : values_(block + kOrderedGroup, Device()) {}
  /// After `count` values have been put there.
  void put(int64_t count) {
    waiting_ += count;
    const Acc* group = values_.data();
    // Four groups at a time: each is a chain of additions, the four are independent.
    for (; waiting_ >= 4 * kOrderedGroup; waiting_ -= 4 * kOrderedGroup, group += 4 * kOrderedGroup) {
      Acc a = group[0], b = group[kOrderedGroup], c = group[2 * kOrderedGroup], d = group[3 * kOrderedGroup];
      for (int64_t i = 1; i < kOrderedGroup; ++i) {
        a += group[i];
        b += group[kOrderedGroup + i];
        c += group[2 * kOrderedGroup + i];
        d += group[3 * kOrderedGroup + i];
      }
      for (Acc sum : {a, b, c, d}) sum_.push_group(sum);
    }
    for (; waiting_ >= kOrderedGroup; waiting_ -= kOrderedGroup, group += kOrderedGroup) {
      Acc a = group[0];
      for (int64_t i = 1; i < kOrderedGroup; ++i) a += group[i];
      sum_.push_group(a);
    }
    std::copy_n(group, waiting_, values_.data());
  }
  /// Adds the sum to `out`, if there is one.
  template <class T>
  void finish(T& out) {
    for (int64_t i = 0; i < waiting_; ++i) sum_.push(values_[i]);
    if (sum_.count() > 0) out = T(Acc(out) + sum_.result());
  }

 private:
  Scratch<Acc> values_;
  int64_t waiting_ = 0;  // fewer than a group, between calls
  OrderedSum<Acc> sum_;
};

template <bool kTakesHot, class Items>
void filter_and_sum(Items items, typename Items::value_type* output, const AccumulateShape& shape,
                    const FilterPlan& plan, int64_t first, int64_t last) {
  using Acc = accumulate_t<typename Items::value_type>;
  constexpr int64_t kBlock = 8 * 1024;  // items picked before they are added: long enough for both loops to get going
  using Entry = typename DenseSums<Acc>::Entry;
  const uint64_t width = uint64_t(last - first);
  DenseSums<Acc> sums(last - first, items.count);
  sums.begin(last - first);
  HotSum<Acc> hot(kTakesHot ? kBlock : 0);
  Scratch<Entry> picked(kBlock, Device());
  Entry* const entries = picked;
  const int64_t hot_one = plan.hot;
  for (int64_t begin = 0; begin < items.count; begin += kBlock) {
    const int64_t end = std::min(items.count, begin + kBlock);
    int64_t count = 0, hot_count = 0;
    Acc* const room = hot.room();
    for (int64_t i = begin; i < end; ++i) {
      const int64_t d = checked_destination(items, i);
      if (d < 0) continue;
      const Acc value = item_value(items, shape, i, 0, 0);
      const uint64_t place = uint64_t(d - first);
      entries[count] = {uint32_t(place), value};  // kept only when it is counted
      count += int64_t(place < width) & int64_t(d != hot_one);
      if constexpr (kTakesHot) {
        room[hot_count] = value;
        hot_count += d == hot_one;
      }
    }
    sums.add(entries, count);
    if constexpr (kTakesHot) hot.put(hot_count);
  }
  sums.finish(0, last - first, output + first);
  if constexpr (kTakesHot) hot.finish(output[plan.hot]);
}

template <class Items>
void accumulate_filtered(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                         const FilterPlan& plan, int threads) {
  for_pieces(threads, [&](int piece) {
    const int64_t first = plan.cuts[size_t(piece)], last = plan.cuts[size_t(piece) + 1];
    if (piece == 0 && plan.hot >= 0)
      filter_and_sum<true>(items, output, shape, plan, first, last);
    else
      filter_and_sum<false>(items, output, shape, plan, first, last);
  });
}

}  // namespace ordo::kernels::cpu::accumulate_detail

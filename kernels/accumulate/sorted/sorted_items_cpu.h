// Items sorted by destination, and where threads may cut them. Internal to accumulate_cpu.h.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/index_plan.h>
#include <ordo/kernels/accumulate/radix_sort_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// A view of sorted entries of either form: which one is known at run time, so that what folds them is compiled once.
struct SortedEntries {
  const NarrowEntry* narrow = nullptr;  // null: `wide` holds them
  const WideEntry* wide = nullptr;
  int64_t count = 0;  // without skipped items
  int64_t destination(int64_t i) const { return narrow ? entry_destination(narrow[i]) : entry_destination(wide[i]); }
  int64_t item(int64_t i) const { return narrow ? entry_item(narrow[i]) : entry_item(wide[i]); }
  /// The first of the entries [first, last) whose destination is not less.
  int64_t lower_bound(int64_t first, int64_t last, int64_t destination) const;
};

/// Items in the order of their destinations, and of their numbers where those are equal; without the skipped ones.
class SortedItems : public IndexOrder {
 public:
  template <class Items>
  SortedItems(const Items& items, int64_t destinations) : count_(items.count), destinations_(destinations) {
    allocate();
    // A skipped item gets destination N and so the last place. Often the items come ordered: then there is nothing to
    // sort.
    const int pieces = pieces_for(count_, kAccumulateGrain);
    std::atomic<bool> unordered = false;
    const auto destination = [&](int64_t i) {
      const int64_t d = checked_destination(items, i);
      return d < 0 ? destinations_ : d;
    };
    for_pieces(pieces, [&](int piece) {
      const int64_t first = count_ * piece / pieces, last = count_ * (piece + 1) / pieces;
      int64_t previous = first > 0 ? destination(first - 1) : -1;
      bool descends = false;
      for (int64_t i = first; i < last; ++i) {
        const int64_t d = destination(i);
        descends |= d < previous;
        previous = d;
        if (narrow_)
          (*narrow_)[i] = make_entry<NarrowEntry>(d, i);
        else
          (*wide_)[i] = make_entry<WideEntry>(d, i);
      }
      if (descends) unordered.store(true, std::memory_order_relaxed);
    });
    finish(unordered);
  }
  SortedEntries entries() const {
    return {narrow_ ? narrow_->data() : nullptr, wide_ ? wide_->data() : nullptr, kept_};
  }

 private:
  void allocate();
  /// Sorts the entries where that is needed, and leaves out the skipped ones.
  void finish(bool unordered);

  int64_t count_, destinations_, kept_ = 0;
  std::unique_ptr<Scratch<NarrowEntry>> narrow_;  // one of the two
  std::unique_ptr<Scratch<WideEntry>> wide_;
};

/// A run that a cut divides. The sum of its group g is row partial + g of scratch memory.
struct SplitRun {
  int64_t destination, start, length, partial;
};

/// Pieces of about the same length, cut at group boundaries of ordering rule 1, and the runs cut in the middle.
struct RunCuts {
  std::vector<int64_t> cuts;
  std::vector<SplitRun> split;
  int64_t partial_groups = 0;  // of all split runs

  RunCuts(const SortedEntries& entries, int pieces);
  int64_t pieces() const { return int64_t(cuts.size()) - 1; }
  /// Null: the run of `destination` is whole.
  const SplitRun* find(int64_t destination) const;
};

}  // namespace ordo::kernels::cpu::accumulate_detail

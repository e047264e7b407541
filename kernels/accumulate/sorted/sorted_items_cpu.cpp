#include <ordo/kernels/accumulate/sorted/sorted_items_cpu.h>

#include <bit>
#include <limits>

#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/ordering/partition_point.h>

namespace ordo::kernels::cpu::accumulate_detail {

int64_t SortedEntries::lower_bound(int64_t first, int64_t last, int64_t d) const {
  return partition_point(first, last, [&](int64_t i) { return destination(i) < d; });
}

void SortedItems::allocate() {
  if (std::max(count_, destinations_) < std::numeric_limits<uint32_t>::max())
    narrow_ = std::make_unique<Scratch<NarrowEntry>>(count_, Device());
  else
    wide_ = std::make_unique<Scratch<WideEntry>>(count_, Device());
}

namespace {
template <class Entry>
void sort_entries(std::unique_ptr<Scratch<Entry>>& entries, int64_t count, int64_t destinations) {
  auto spare = std::make_unique<Scratch<Entry>>(count, Device());
  const Entry* sorted =
      sort_by_destination(entries->data(), spare->data(), count, std::bit_width(uint64_t(destinations)));
  if (sorted == spare->data()) entries = std::move(spare);
}
}  // namespace

void SortedItems::finish(bool unordered) {
  if (unordered) {
    if (narrow_)
      sort_entries(narrow_, count_, destinations_);
    else
      sort_entries(wide_, count_, destinations_);
  }
  kept_ = entries().lower_bound(0, count_, destinations_);
}

RunCuts::RunCuts(const SortedEntries& entries, int pieces) {
  const int64_t count = entries.count;
  cuts.push_back(0);
  for (int p = 1; p < pieces; ++p) {
    const int64_t at = count * p / pieces, d = entries.destination(at);
    const int64_t start = entries.lower_bound(0, at, d), end = entries.lower_bound(at, count, d + 1);
    const int64_t boundary = std::min(end, start + (at - start + kOrderedGroup - 1) / kOrderedGroup * kOrderedGroup);
    if (boundary <= cuts.back() || boundary >= count) continue;
    cuts.push_back(boundary);
    if (boundary == start || boundary == end) continue;
    if (!split.empty() && split.back().start == start) continue;
    split.push_back({d, start, end - start, partial_groups});
    partial_groups += (end - start + kOrderedGroup - 1) / kOrderedGroup;
  }
  cuts.push_back(count);
}

const SplitRun* RunCuts::find(int64_t destination) const {
  for (const SplitRun& run : split)
    if (run.destination == destination) return &run;
  return nullptr;
}

}  // namespace ordo::kernels::cpu::accumulate_detail

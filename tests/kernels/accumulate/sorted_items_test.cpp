// Sorted items of both forms. Only numbers of items or destinations that no test can have make the wide one.
#include <ordo/kernels/accumulate/sorted/fold_cpu.h>
#include "tests/kernels/accumulate/table_items.h"
#include "tests/kernels/ordering/rule1.h"

namespace ordo::test::sorted_items_test {
namespace {

using namespace kernels::cpu;
using namespace kernels::cpu::accumulate_detail;

std::vector<float> folded(const TableItems<float>& items, const kernels::AccumulateShape& shape,
                          const SortedEntries& entries) {
  std::vector<float> output(size_t(shape.destinations * shape.columns()), 0.5f);
  RunFold<TableItems<float>>(items, output.data(), shape, entries).run();
  return output;
}

TEST(SortedItems, wide_entries_give_the_same_sums) {
  for (int64_t inner : {1, 7}) {
    const int64_t m = 20000, n = 30;
    const auto to = destinations(m, n, Spread::half_to_one);
    std::vector<float> values(size_t(m * inner));
    for (size_t i = 0; i < values.size(); ++i) values[i] = 1.0f / float(i + 1);
    const TableItems<float> items{m, to.data(), values.data(), inner};
    const kernels::AccumulateShape shape{n, 1, inner};

    const SortedItems sorted(items, n);
    const SortedEntries narrow = sorted.entries();
    ASSERT_NE(narrow.narrow, nullptr);
    std::vector<WideEntry> entries;
    for (int64_t i = 0; i < narrow.count; ++i) entries.push_back({narrow.destination(i), narrow.item(i)});
    const SortedEntries wide{nullptr, entries.data(), narrow.count};

    const auto result = folded(items, shape, narrow);
    EXPECT_EQ(folded(items, shape, wide), result);
    if (inner == 1) {
      std::vector<float> want(size_t(n), 0.5f);
      accumulate_by_rule1<float>(want, to, [&](int64_t i) { return values[size_t(i)]; });
      EXPECT_EQ(result, want);
    }
  }
}

TEST(SortedItems, the_first_entry_of_a_destination_is_found) {
  const NarrowEntry entries[] = {make_entry<NarrowEntry>(2, 0), make_entry<NarrowEntry>(2, 3),
                                 make_entry<NarrowEntry>(5, 1)};
  const SortedEntries sorted{entries, nullptr, 3};
  EXPECT_EQ(sorted.lower_bound(0, 3, 0), 0);
  EXPECT_EQ(sorted.lower_bound(0, 3, 2), 0);
  EXPECT_EQ(sorted.lower_bound(0, 3, 3), 2);
  EXPECT_EQ(sorted.lower_bound(0, 3, 5), 2);
  EXPECT_EQ(sorted.lower_bound(0, 3, 6), 3);
}

}  // namespace
}  // namespace ordo::test::sorted_items_test

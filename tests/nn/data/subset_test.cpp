// Parts of sets, and sets one after another.
#include <algorithm>

#include "tests/support/op_samples.h"

namespace ordo::test::subset_test {
namespace {

using Integers = std::vector<int64_t>;

/// Sample i: begin + i and the epoch.
struct Counting : data::Dataset {
  Counting(int64_t begin, int64_t n) : begin(begin), n(n) {}
  int64_t size() const override { return n; }
  data::Sample get(int64_t i) const override { return get_in_epoch(i, 0); }
  data::Sample get_in_epoch(int64_t i, int64_t epoch) const override {
    return {from_vector<int64_t>({begin + i}, {}), from_vector<int64_t>({epoch}, {})};
  }
  int64_t begin, n;
};

Integers firsts(const data::Dataset& set) {
  Integers all;
  for (int64_t i = 0; i < set.size(); ++i) all.push_back(set.get(i)[0].item<int64_t>());
  return all;
}

TEST(Subsets, chosen_samples) {
  const data::Subset part(Counting(10, 5), {4, 0, 4});
  EXPECT_EQ(firsts(part), (Integers{14, 10, 14}));
  EXPECT_EQ(part.get_in_epoch(1, 7)[1].item<int64_t>(), 7);
  EXPECT_ORDO_ERROR(data::Subset(Counting(0, 5), {5}), IndexError, "sample 5 of a set of 5");
  EXPECT_ORDO_ERROR(part.get(3), IndexError, "sample 3 of a set of 3");
}

TEST(Subsets, one_after_another) {
  const data::ConcatDataset all({Counting(0, 2), Counting(100, 0), Counting(50, 3)});
  EXPECT_EQ(firsts(all), (Integers{0, 1, 50, 51, 52}));
  EXPECT_EQ(all.get_in_epoch(4, 7)[1].item<int64_t>(), 7);
  EXPECT_ORDO_ERROR(all.get(5), IndexError, "sample 5 of a set of 5");
  EXPECT_ORDO_ERROR(data::ConcatDataset({}), ValueError, "at least one");
}

TEST(Subsets, random_parts_are_disjoint_and_repeat) {
  const auto split = [](uint64_t seed) {
    Integers all;
    for (const data::Subset& part : data::random_split(Counting(0, 20), {12, 0, 8}, Generator(seed)))
      for (int64_t i : firsts(part)) all.push_back(i);
    return all;
  };
  EXPECT_EQ(split(1), split(1));
  EXPECT_NE(split(1), split(2));
  Integers sorted = split(1);
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, firsts(Counting(0, 20)));
  EXPECT_EQ(data::random_split(Counting(0, 20), {12, 0, 8})[2].size(), 8);
  EXPECT_ORDO_ERROR(data::random_split(Counting(0, 3), {1, 1}), ValueError, "leave 1 of 3 samples over");
  EXPECT_ORDO_ERROR(data::random_split(Counting(0, 3), {INT64_MAX, 4}), ValueError, "cannot take a part");
  EXPECT_ORDO_ERROR(data::random_split(Counting(0, 3), {4, -1}), ValueError, "cannot take a part of 4 from the 3");
}

}  // namespace
}  // namespace ordo::test::subset_test

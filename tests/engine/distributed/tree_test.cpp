// The tree over shards: whoever adds which of its leaves, the sum is the same.
#include <gtest/gtest.h>

#include <ordo/engine/distributed/reduction_tree.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace ordo::test::tree_test {
namespace {

using distributed::PartRange;
using distributed::TreeFold;
using distributed::TreeNode;

/// As the page says it: neighbours in pairs, until one is left; what has no neighbour passes.
std::string in_pairs(std::vector<std::string> values) {
  while (values.size() > 1) {
    std::vector<std::string> next;
    for (size_t i = 0; i < values.size(); i += 2)
      next.push_back(i + 1 < values.size() ? "(" + values[i] + values[i + 1] + ")" : values[i]);
    values = next;
  }
  return values[0];
}
std::string add(const std::string& a, const std::string& b) { return "(" + a + b + ")"; }

TEST(ReductionTree, has_one_shape_for_any_number_of_ranks) {
  for (int64_t leaves = 1; leaves <= 40; ++leaves) {
    std::vector<std::string> names;
    for (int64_t i = 0; i < leaves; ++i) names.push_back(std::to_string(i) + ".");
    const std::string expected = in_pairs(names);
    for (int64_t ranks = 1; ranks <= leaves; ++ranks) {
      TreeFold<std::string> whole(leaves);
      for (int64_t r = 0; r < ranks; ++r) {
        const PartRange own = distributed::shards_of(leaves, r, ranks);
        TreeFold<std::string> part(leaves, own);
        for (int64_t i = own.first; i < own.last; ++i) part.push({0, i}, names[size_t(i)], add);
        std::vector<TreeNode> nodes;
        for (auto& [node, value] : part.nodes()) {
          nodes.push_back(node);
          whole.push(node, value, add);
        }
        EXPECT_EQ(nodes, distributed::roots_of(leaves, own));
      }
      ASSERT_EQ(whole.nodes().size(), 1u);
      ASSERT_EQ(whole.nodes()[0].second, expected) << leaves << " leaves, " << ranks << " ranks";
    }
  }
}

TEST(ReductionTree, ranks_share_all_leaves) {
  for (int64_t leaves = 1; leaves <= 64; ++leaves)
    for (int64_t ranks = 1; ranks <= leaves; ++ranks) {
      int64_t next = 0;
      for (int64_t r = 0; r < ranks; ++r) {
        const PartRange own = distributed::shards_of(leaves, r, ranks);
        EXPECT_EQ(own.first, next);
        EXPECT_GE(own.count(), 1);
        EXPECT_LE(own.count(), (leaves + ranks - 1) / ranks);
        next = own.last;
      }
      EXPECT_EQ(next, leaves);
    }
}

// So a step of eight shards sends what a ring sends, but for three ranks, which no other shares of three shards at most
// would spare a second node.
TEST(ReductionTree, ranks_that_share_eight_leaves_have_one_node_each) {
  for (const int64_t ranks : {1, 2, 3, 4, 5, 6, 7, 8}) {
    size_t most = 0;
    for (int64_t r = 0; r < ranks; ++r)
      most = std::max(most, distributed::roots_of(8, distributed::shards_of(8, r, ranks)).size());
    EXPECT_EQ(most, ranks == 3 ? 2u : 1u) << ranks << " ranks";
  }
}

TEST(ReductionTree, a_rank_with_a_power_of_two_has_one_node) {
  EXPECT_EQ(distributed::roots_of(8, {0, 8}), (std::vector<TreeNode>{{3, 0}}));
  EXPECT_EQ(distributed::roots_of(8, {4, 8}), (std::vector<TreeNode>{{2, 1}}));
  EXPECT_EQ(distributed::roots_of(8, {3, 6}), (std::vector<TreeNode>{{0, 3}, {1, 2}}));
  EXPECT_EQ(distributed::roots_of(5, {4, 5}), (std::vector<TreeNode>{{2, 1}})) << "it stands for its parents";
}

}  // namespace
}  // namespace ordo::test::tree_test

// The binary tree of sums over shards or ranks, and the part of it that one process adds. Internal.
//
// Node (level, index) covers the leaves [index << level, (index + 1) << level), as far as there are such. It is its
// left child plus its right one, or its left child where there is no right one. Whoever has the leaves [first, last)
// adds the nodes that lie within: the shape depends on the number of leaves only, so it does not matter who has which.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <ordo/engine/distributed/distributed.h>

namespace ordo::distributed {

/// A step costs time and memory for each of its shards, those without rows included.
inline constexpr int64_t kMostShards = 65536;

/// The leaves of `rank` where `ranks` share `leaves` in contiguous ranges of nearly equal size.
inline PartRange leaves_of(int64_t leaves, int64_t rank, int64_t ranks) {
  return {rank * leaves / ranks, (rank + 1) * leaves / ranks};
}

/// The leaves of `rank` where each rank's range covers few nodes of the tree. A range has at most
/// M = ceil(leaves / ranks) leaves. If M is a power of two, ranks get nodes of M leaves, or halves of such nodes: the
/// first ranks, as many as are left over.
inline PartRange shards_of(int64_t leaves, int64_t rank, int64_t ranks) {
  const int64_t most = (leaves + ranks - 1) / ranks;
  if ((most & (most - 1)) != 0) return leaves_of(leaves, rank, ranks);
  const int64_t halved = ranks - (leaves + most - 1) / most, half = most / 2;
  if (rank < 2 * halved) return {rank * half, (rank + 1) * half};
  const int64_t first = (rank - halved) * most;
  return {first, first + most < leaves ? first + most : leaves};
}

struct TreeNode {
  int level = 0;
  int64_t index = 0;
  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

/// Adds nodes that come in ascending order of their leaves. What is left after the last one are the greatest nodes that
/// lie within the range; of all leaves, one.
template <class T>
class TreeFold {
 public:
  explicit TreeFold(int64_t leaves) : TreeFold(leaves, {0, leaves}) {}
  TreeFold(int64_t leaves, PartRange range) : leaves_(leaves), range_(range) {
    while (int64_t(1) << top_ < leaves) ++top_;
  }

  /// `add(left, right)` gives their sum.
  template <class Add>
  void push(TreeNode node, T value, Add&& add) {
    while (node.level < top_ && parent_is_within(node)) {
      if (node.index % 2 == 1) {
        value = add(std::move(nodes_.back().second), std::move(value));
        nodes_.pop_back();
      } else if ((node.index + 1) << node.level < leaves_) {
        break;  // its sibling is to come
      }
      node = {node.level + 1, node.index / 2};
    }
    nodes_.emplace_back(node, std::move(value));
  }

  std::vector<std::pair<TreeNode, T>>& nodes() { return nodes_; }

 private:
  bool parent_is_within(TreeNode node) const {
    const int level = node.level + 1;
    const int64_t first = (node.index / 2) << level, end = (node.index / 2 + 1) << level;
    return first >= range_.first && (end < leaves_ ? end : leaves_) <= range_.last;
  }

  int64_t leaves_;
  PartRange range_;
  int top_ = 0;
  std::vector<std::pair<TreeNode, T>> nodes_;
};

/// The nodes that are left of these leaves.
inline std::vector<TreeNode> roots_of(int64_t leaves, PartRange range) {
  TreeFold<char> fold(leaves, range);
  for (int64_t leaf = range.first; leaf < range.last; ++leaf)
    fold.push({0, leaf}, 0, [](char, char) { return char(); });
  std::vector<TreeNode> roots;
  for (const auto& [node, nothing] : fold.nodes()) roots.push_back(node);
  return roots;
}

}  // namespace ordo::distributed

#include <ordo/nn/audit/sum_tree.h>

#include <fmt/format.h>
#include <ordo/engine/calls/check.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace ordo::audit {
namespace {

struct NoTree {
  std::string why;
};
struct Unrounded {};

class Recovery {
 public:
  Recovery(int count, const Sum& sum, double mass)
      : count_(count), sum_(sum), mass_(mass), values_(size_t(count), 1.0) {}

  SumTree run() {
    std::vector<int> all(static_cast<size_t>(count_));
    std::iota(all.begin(), all.end(), 0);
    const std::vector<int> roots = forest(all, count_ + 1);
    if (roots.size() != 1) throw NoTree{"the values are not all added to one sum"};
    return make_tree(count_, additions_);
  }
  int64_t probes() const { return probes_; }

 private:
  /// How many values the smallest subtree with values i and j has.
  int size_of(int i, int j) {
    values_[size_t(i)] = mass_, values_[size_t(j)] = -mass_;
    const double left = sum_(values_);
    values_[size_t(i)] = values_[size_t(j)] = 1;
    ++probes_;
    if (!(left >= 0 && left <= count_ - 2) || left != std::floor(left))
      throw NoTree{fmt::format("with {} and {} for values {} and {}, and 1 for all others, the sum is {}", mass_,
                               -mass_, i, j, left)};
    return count_ - int(left);
  }

  /// The subtrees of these values, which one addition, of `parent` values, adds up.
  std::vector<int> forest(const std::vector<int>& values, int parent) {
    std::vector<int> roots, rest = values;
    while (!rest.empty()) {
      // One from the middle, so that no common tree takes count^2 probes.
      const int i = rest[rest.size() / 2];
      std::map<int, std::vector<int>> by_size;
      std::vector<int> others;
      for (int j : rest)
        if (j != i) by_size[size_of(i, j)].push_back(j);
      if (parent > count_ && count_ > 2 && by_size.size() == 1 && by_size.begin()->first == 2) throw Unrounded{};
      int node = i, size = 1;
      for (const auto& [with, group] : by_size) {
        if (with > parent) throw NoTree{fmt::format("the sizes of the subtrees of value {} contradict each other", i)};
        if (with == parent) {
          others = group;
          continue;
        }
        size += int(group.size());
        if (size != with)
          throw NoTree{fmt::format("{} values would have to be in the subtree of value {} that has {}", size, i, with)};
        std::vector<int> children = forest(group, with);
        children.push_back(node);
        node = count_ + int(additions_.size());
        additions_.push_back(std::move(children));
      }
      roots.push_back(node);
      rest = std::move(others);
    }
    return roots;
  }

  int count_;
  const Sum& sum_;
  double mass_;
  std::vector<double> values_;
  std::vector<std::vector<int>> additions_;
  int64_t probes_ = 0;
};

}  // namespace

SumTree make_tree(int count, const std::vector<std::vector<int>>& additions) {
  SumTree tree{.count = count, .nodes = std::vector<SumTree::Node>(static_cast<size_t>(count))};
  for (int i = 0; i < count; ++i) tree.nodes[size_t(i)].first = i;
  for (const std::vector<int>& children : additions) {
    SumTree::Node node{.children = children, .first = count, .values = 0};
    for (int c : children) {
      const SumTree::Node& child = tree.nodes[size_t(c)];
      node.values += child.values, node.first = std::min(node.first, child.first);
    }
    tree.nodes.push_back(std::move(node));
  }
  // Of two additions of as many values, neither is part of the other, so that their first values differ.
  std::vector<int> order(tree.nodes.size()), place(tree.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  const auto& nodes = tree.nodes;
  std::sort(order.begin() + count, order.end(), [&](int a, int b) {
    const auto &x = nodes[size_t(a)], &y = nodes[size_t(b)];
    return x.values != y.values ? x.values < y.values : x.first < y.first;
  });
  for (size_t i = 0; i < order.size(); ++i) place[size_t(order[i])] = int(i);
  SumTree sorted{.count = count, .nodes = {}};
  for (int i : order) {
    SumTree::Node node = nodes[size_t(i)];
    std::sort(node.children.begin(), node.children.end(),
              [&](int a, int b) { return nodes[size_t(a)].first < nodes[size_t(b)].first; });
    for (int& c : node.children) c = place[size_t(c)];
    sorted.nodes.push_back(std::move(node));
  }
  return sorted;
}

bool SumTree::binary() const {
  return std::all_of(nodes.begin(), nodes.end(), [](const Node& n) { return n.leaf() || n.children.size() == 2; });
}

std::string SumTree::str() const {
  std::vector<std::string> texts;
  for (size_t i = 0; i < nodes.size(); ++i) {
    std::string text = nodes[i].leaf() ? std::to_string(i) : "";
    for (const int child : nodes[i].children) text += (text.empty() ? "(" : "+") + texts[size_t(child)];
    texts.push_back(nodes[i].leaf() ? text : text + ")");
  }
  return texts.empty() ? "" : texts.back();
}

void detail::expect_binary(const SumTree& tree, size_t values) {
  ORDO_CHECK(tree.binary(), ValueError, "add_by", "an addition of the tree takes more than two values");
  ORDO_CHECK(values == size_t(tree.count) && values > 0, ShapeError, "add_by",
             "the tree adds {} values, but {} are given", tree.count, values);
}

Recovered recover_tree(int count, const Sum& sum, double mass) {
  ORDO_CHECK(count >= 1, ValueError, "recover_tree", "count must be at least 1, but is {}", count);
  Recovery recovery(count, sum, mass);
  Recovered result;
  try {
    result.tree = recovery.run();
    result.kind = Recovered::Kind::tree;
  } catch (const Unrounded&) {
    result.kind = Recovered::Kind::unrounded;
  } catch (const NoTree& found) {
    result.why = found.why;
  }
  result.probes = recovery.probes();
  return result;
}

bool adds_unrounded_products(int count, const SumOfProducts& sum, int digits) {
  ORDO_CHECK(count >= 2, ValueError, "adds_unrounded_products", "count must be at least 2, but is {}", count);
  // (1 + d)^2 = 1 + 2d + d^2 is half a unit in the last place above 1 + 2d, to which it is rounded. The sum with
  // -(1 + 2d) is d^2 or 0. A product that begins a sum may be rounded, so that either of two is tried.
  const double d = std::ldexp(1.0, -((digits + 1) / 2));
  for (const size_t product : {0u, 1u}) {
    std::vector<double> a(size_t(count), 0.0), b(size_t(count), 0.0);
    a[product] = b[product] = 1 + d;
    a[1 - product] = -(1 + 2 * d), b[1 - product] = 1;
    if (sum(a, b) != 0) return true;
  }
  return false;
}

}  // namespace ordo::audit

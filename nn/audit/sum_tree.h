// The order in which any sum adds, found from its results alone: Ordo's, or that of another library.
//
//   auto sum = [](const std::vector<double>& v) { return double(other_library_sum(v)); };   // in float32
//   const auto found = audit::recover_tree(16, sum, 0x1p100);
//   if (found.kind == audit::Recovered::Kind::tree) std::cout << found.tree.str();          // ((0+1)+(2+3))+...
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ordo::audit {

/// The additions of a sum of n values as a tree: nodes 0 to n - 1 are the values, the others additions of what their
/// children hold. Additions stand in order of their number of values, then of their first value, and the children of
/// each in order of their first values, so that two trees are equal exactly when they add the same things.
struct SumTree {
  struct Node {
    std::vector<int> children;  ///< two; more where one addition takes more values
    int first = 0;              ///< the first of its values
    int values = 1;             ///< how many there are
    bool leaf() const { return children.empty(); }
    friend bool operator==(const Node&, const Node&) = default;
  };
  int count = 0;  ///< of values
  std::vector<Node> nodes;

  int root() const { return int(nodes.size()) - 1; }
  bool binary() const;      ///< every addition takes two values
  std::string str() const;  ///< with a pair of parentheses for each addition: "((0+1)+2)"
  friend bool operator==(const SumTree&, const SumTree&) = default;
};

/// A tree of these groups: each is the list of nodes (values below `count`, and then earlier groups) that one addition
/// takes.
SumTree make_tree(int count, const std::vector<std::vector<int>>& additions);

/// What was found of a sum.
struct Recovered {
  enum class Kind : unsigned char {
    tree,
    unrounded,  ///< no addition rounds, so that no order can be seen
    none        ///< no tree of rounded additions gives these results
  };
  Kind kind = Kind::none;
  SumTree tree = {};     ///< of Kind::tree
  std::string why = {};  ///< of Kind::none
  int64_t probes = 0;    ///< sums that were computed
};

/// The sum of these values, by the order in question.
using Sum = std::function<double(const std::vector<double>&)>;

/// Finds the order in which `sum` adds `count` >= 1 values, as FPRev does (Xie, Gao, Wang, Xue: "FPRev: Revealing
/// Floating-Point Summation Order in Software/Hardware Implementations", 2024). Of two values, one is `mass` and one
/// -mass, and all others are 1. A 1 that is added to either is lost. Where the two meet, they vanish, and every 1 that
/// is added later counts. So the sum says how many values the smallest subtree with both has; the sizes of all pairs
/// determine the tree, and count log(count) of them are enough for most trees.
///
/// `mass` must swallow `count`, and not overflow: 2^100 does for float32. `sum` must add in the same order each time;
/// its order must not depend on the values. Throws: ValueError when count < 1.
Recovered recover_tree(int count, const Sum& sum, double mass);

/// The sum of the products a[i] * b[i].
using SumOfProducts = std::function<double(const std::vector<double>&, const std::vector<double>&)>;

/// Whether a sum of `count` >= 2 products, in numbers of `digits` binary digits (24 or 53), adds products that are not
/// rounded before, as fused multiply-adds do.
/// Throws: ValueError when count < 2.
bool adds_unrounded_products(int count, const SumOfProducts& sum, int digits);

namespace detail {
void expect_binary(const SumTree& tree, size_t values);
}

/// The sum of the values in this tree, by additions of T.
/// Throws: ValueError when the tree is not binary; ShapeError when the number of values is not the tree's.
template <class T>
T add_by(const SumTree& tree, const std::vector<T>& values) {
  detail::expect_binary(tree, values.size());
  std::vector<T> sums(values);
  for (size_t i = values.size(); i < tree.nodes.size(); ++i) {
    const auto& children = tree.nodes[i].children;
    sums.push_back(sums[size_t(children[0])] + sums[size_t(children[1])]);
  }
  return sums.back();
}

}  // namespace ordo::audit

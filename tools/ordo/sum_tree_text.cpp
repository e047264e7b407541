#include "tools/ordo/sum_tree_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace {

using Node = SumTree::Node;

/// The values of each node that adds nothing but values, left to right: {a, b, c} for (a + b) + c.
class Runs {
 public:
  explicit Runs(const SumTree& tree) : tree_(tree), run_(tree.nodes.size(), false) {
    for (size_t i = 0; i < tree.nodes.size(); ++i) {
      const Node& n = tree.nodes[i];
      run_[i] = n.leaf() || (n.children.size() == 2 && run_[size_t(n.children[0])] && leaf(n.children[1])) ||
                (n.children.size() == 2 && leaf(n.children[0]) && run_[size_t(n.children[1])]);
    }
  }
  bool is_run(int node) const { return run_[size_t(node)]; }

  std::vector<int> values(int node) const {
    std::vector<int> values;
    while (!leaf(node)) {
      const auto& c = tree_.nodes[size_t(node)].children;
      const bool last_is_leaf = leaf(c[1]);
      values.push_back(last_is_leaf ? c[1] : c[0]);
      node = last_is_leaf ? c[0] : c[1];
    }
    values.push_back(node);
    std::reverse(values.begin(), values.end());
    // The first two are added to each other: they go the way of the third.
    if (values.size() > 2 && (values[0] < values[1]) != (values[1] < values[2])) std::swap(values[0], values[1]);
    return values;
  }

 private:
  bool leaf(int node) const { return tree_.nodes[size_t(node)].leaf(); }
  const SumTree& tree_;
  std::vector<bool> run_;
};

/// The difference of neighbours where it is one number, else 0.
int distance_of(const std::vector<int>& values) {
  const int step = values.size() > 1 ? values[1] - values[0] : 0;
  for (size_t i = 2; i < values.size(); ++i)
    if (values[i] - values[i - 1] != step) return 0;
  return step;
}

std::string list(const std::vector<int>& values, const ValueName& name) {
  const size_t n = values.size();
  if (n < 4) {
    std::vector<std::string> names;
    for (int v : values) names.push_back(name(v));
    return fmt::format("[{}]", fmt::join(names, ", "));
  }
  const int step = distance_of(values);
  if (step == 1 || step == -1) return fmt::format("[{} .. {}]", name(values.front()), name(values.back()));
  // The first or the last may be of another kind, such as what was there before.
  if (step == 0 && distance_of({values.begin(), values.end() - 1}) == 1)
    return fmt::format("[{} .. {}, {}]", name(values[0]), name(values[n - 2]), name(values[n - 1]));
  return fmt::format("[{}, {} .. {}]", name(values[0]), name(values[1]), name(values[n - 1]));
}

class Description {
 public:
  Description(const SumTree& tree, const ValueName& name)
      : tree_(tree), name_(name), runs_(tree), shape_(tree.nodes.size()), balanced_(tree.nodes.size(), 1) {
    // Runs are of one shape, whatever their length; a node of any other has the shapes of its children.
    std::map<std::vector<int>, int> shapes;
    for (size_t i = 0; i < tree.nodes.size(); ++i) {
      const Node& n = tree.nodes[i];
      if (runs_.is_run(int(i))) continue;
      std::vector<int> key;
      for (int c : n.children) key.push_back(shape_[size_t(c)]);
      shape_[i] = shapes.emplace(key, int(shapes.size()) + 1).first->second;
      const size_t a = size_t(n.children[0]), b = size_t(n.children[1]);
      if (n.children.size() == 2 && shape_[a] == shape_[b] && balanced_[a] == balanced_[b])
        balanced_[i] = 2 * balanced_[a];
    }
  }

  std::vector<std::string> lines() {
    part(tree_.root(), 0, "");
    return lines_;
  }

 private:
  const Node& node(int i) const { return tree_.nodes[size_t(i)]; }

  void add(int depth, const std::string& text) { lines_.push_back(std::string(size_t(2 * depth), ' ') + text); }

  void part(int i, int depth, const std::string& before) {
    if (runs_.is_run(i)) return run(i, depth, before);
    const int parts = balanced_[size_t(i)];
    if (parts >= 4) return balanced(i, parts, depth, before);
    if (node(i).children.size() > 2) {
      add(depth, fmt::format("{}one addition of {} parts", before, node(i).children.size()));
      return groups(node(i).children, depth + 1);
    }
    // Left to right: what was added first has the first value.
    std::vector<int> parts_in_order;
    int first = i;
    while (!runs_.is_run(first) && node(first).children.size() == 2 && balanced_[size_t(first)] < 4) {
      parts_in_order.push_back(node(first).children[1]);
      first = node(first).children[0];
    }
    parts_in_order.push_back(first);
    std::reverse(parts_in_order.begin(), parts_in_order.end());
    add(depth, fmt::format("{}left to right over {} parts", before, parts_in_order.size()));
    groups(parts_in_order, depth + 1);
  }

  void run(int i, int depth, const std::string& before) {
    const std::vector<int> values = runs_.values(i);
    if (values.size() == 1) return add(depth, fmt::format("{}value {}", before, name_(values[0])));
    add(depth,
        fmt::format("{}{} over {} values {}", before, distance_of(values) < 0 ? "right to left" : "left to right",
                    values.size(), list(values, name_)));
  }

  /// Halves of halves, down to `parts` runs or other parts.
  void balanced(int i, int parts, int depth, const std::string& before) {
    std::vector<int> leaves{i};
    for (int k = 1; k < parts; k *= 2) {
      std::vector<int> next;
      for (int n : leaves) next.insert(next.end(), node(n).children.begin(), node(n).children.end());
      leaves = std::move(next);
    }
    std::sort(leaves.begin(), leaves.end(), [&](int a, int b) { return node(a).first < node(b).first; });
    const bool pairs = std::all_of(leaves.begin(), leaves.end(), [&](int n) { return node(n).values <= 2; }) &&
                       node(leaves.front()).values == node(leaves.back()).values;
    if (pairs && runs_.is_run(leaves[0])) {
      const std::vector<int> first = runs_.values(leaves[0]);
      return add(depth, fmt::format("{}a balanced tree over {} values{}", before, node(i).values,
                                    first.size() == 2
                                        ? fmt::format(", which adds {} and {} first", name_(first[0]), name_(first[1]))
                                        : ""));
    }
    add(depth, fmt::format("{}a balanced tree over {} parts", before, parts));
    groups(leaves, depth + 1);
  }

  /// Neighbours of one shape take one line and the description of the first.
  void groups(const std::vector<int>& parts, int depth) {
    for (size_t from = 0, to; from < parts.size(); from = to) {
      const auto alike = [&](int p) {
        return shape_[size_t(p)] == shape_[size_t(parts[from])] && node(p).values == node(parts[from]).values;
      };
      for (to = from; to < parts.size() && alike(parts[to]);) ++to;
      const size_t n = to - from;
      part(parts[from], depth, n == 1 ? "" : n == 2 ? "2 times: " : fmt::format("{} times, the first ", n));
    }
  }

  const SumTree& tree_;
  const ValueName& name_;
  Runs runs_;
  std::vector<int> shape_;
  std::vector<int> balanced_;  ///< how many parts of one shape are halves of halves of a node
  std::vector<std::string> lines_;
};

void write_brackets(const SumTree& tree, const Runs& runs, const ValueName& name, int node, size_t most,
                    std::string& out) {
  if (out.size() > most) return;
  const Node& n = tree.nodes[size_t(node)];
  if (n.leaf()) {
    out += name(node);
  } else if (n.values > 2 && runs.is_run(node)) {
    out += list(runs.values(node), name);
  } else {
    out += '(';
    for (size_t i = 0; i < n.children.size(); ++i) {
      if (i) out += " + ";
      write_brackets(tree, runs, name, n.children[i], most, out);
    }
    out += ')';
  }
}

}  // namespace

std::vector<std::string> describe(const SumTree& tree, const ValueName& name) {
  return Description(tree, name).lines();
}

std::string brackets(const SumTree& tree, const ValueName& name, size_t most) {
  std::string text;
  write_brackets(tree, Runs(tree), name, tree.root(), most, text);
  return text.size() > most ? text.substr(0, most) + " ..." : text;
}

std::string depths_text(const SumTree& tree) {
  std::map<int, int> counts;  // of values, by additions
  for (int d : tree.depths()) ++counts[d];
  std::vector<std::string> parts;
  for (auto from = counts.begin(); from != counts.end();) {
    auto to = from, last = from;
    while (to != counts.end() && to->second == from->second && to->first - last->first <= 1) last = to++;
    const int n = from->second;
    if (last == from)
      parts.push_back(fmt::format("{} at {}", n, from->first));
    else
      parts.push_back(fmt::format("{} at each of {} to {}", n, from->first, last->first));
    from = to;
  }
  if (parts.size() > 8) parts = {fmt::format("between {} and {}", counts.begin()->first, counts.rbegin()->first)};
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<int> drawing_order(const SumTree& tree) {
  std::vector<int> order, open{tree.root()};
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    const Node& n = tree.nodes[size_t(node)];
    if (n.leaf()) order.push_back(node);
    open.insert(open.end(), n.children.rbegin(), n.children.rend());
  }
  return order;
}

std::string draw_text(const SumTree& tree, const ValueName& name) {
  size_t width = 3;
  for (int i = 0; i < tree.count; ++i) width = std::max(width, name(i).size() + 1);
  std::vector<size_t> column(tree.nodes.size());
  std::vector<int> parent(tree.nodes.size(), tree.root());
  const std::vector<int> order = drawing_order(tree), heights = tree.heights();
  std::string text;
  for (size_t i = 0; i < order.size(); ++i) {
    column[size_t(order[i])] = i * width + width / 2;
    text += fmt::format("{:^{}}", name(order[i]), width);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
  for (size_t i = size_t(tree.count); i < tree.nodes.size(); ++i) {
    const auto& c = tree.nodes[i].children;
    column[i] = (column[size_t(c.front())] + column[size_t(c.back())]) / 2;
    for (int child : c) parent[size_t(child)] = int(i);
  }
  for (int height = 1; height <= heights.back(); ++height) {
    std::vector<std::string> row(order.size() * width, " ");
    for (size_t i = 0; i < tree.nodes.size(); ++i) {
      const auto& c = tree.nodes[i].children;
      if (heights[i] < height && heights[size_t(parent[i])] > height) row[column[i]] = "\u2502";
      if (heights[i] != height) continue;
      const size_t first = column[size_t(c.front())], last = column[size_t(c.back())];
      for (size_t x = first; x <= last; ++x) row[x] = "\u2500";
      for (int child : c) row[column[size_t(child)]] = "\u2534";
      row[first] = "\u2514", row[last] = "\u2518";
      row[column[i]] = row[column[i]] == "\u2534" ? "\u253c" : "\u252c";
    }
    std::string line;
    for (const std::string& cell : row) line += cell;
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

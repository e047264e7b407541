// What views and in-place changes mean, written down for single numbers: memory is a list of cells, a tensor a list of
// places in it, and every value knows by which factors it depends on others. Nothing here is shared with the library.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ordo::test {

/// Numbers and their derivatives with respect to the numbers they were computed from.
class Graph {
 public:
  static constexpr int kConstant = -1;
  int leaf() { return add({}); }
  int add(std::vector<std::pair<int, double>> from) {
    from_.push_back(std::move(from));
    return int(from_.size()) - 1;
  }
  /// d(sum of seeds)/d(every number).
  std::vector<double> gradients(const std::vector<std::pair<int, double>>& seeds) const {
    std::vector<double> g(from_.size(), 0);
    for (auto [node, factor] : seeds)
      if (node != kConstant) g[size_t(node)] += factor;
    for (size_t i = from_.size(); i-- > 0;)
      for (auto [node, factor] : from_[i])
        if (node != kConstant) g[size_t(node)] += factor * g[i];
    return g;
  }

 private:
  std::vector<std::vector<std::pair<int, double>>> from_;
};

struct Number {
  double value = 0;
  int node = Graph::kConstant;
};

/// All memory of a program. What was computed from what is known per history: a tensor that was detached shares the
/// cells' values and has a history of its own.
class Cells {
 public:
  Graph graph;

  int new_cell(double value) {
    values_.push_back(value);
    return int(values_.size()) - 1;
  }
  int new_history() {
    histories_.emplace_back();
    return int(histories_.size()) - 1;
  }
  Number read(int cell, int history) const {
    const auto& nodes = histories_[size_t(history)];
    return {values_[size_t(cell)], size_t(cell) < nodes.size() ? nodes[size_t(cell)] : Graph::kConstant};
  }
  void write(int cell, double value) { values_[size_t(cell)] = value; }
  void write(int cell, int history, Number number) {
    write(cell, number.value);
    auto& nodes = histories_[size_t(history)];
    if (nodes.size() <= size_t(cell)) nodes.resize(size_t(cell) + 1, Graph::kConstant);
    nodes[size_t(cell)] = number.node;
  }

 private:
  std::vector<double> values_;
  std::vector<std::vector<int>> histories_;
};

}  // namespace ordo::test

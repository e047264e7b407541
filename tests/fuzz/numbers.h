// What views and in-place changes mean, written down for single numbers: memory is a list of cells, a tensor a list of
// places in it, and every value knows by which factors it depends on others. Nothing here is shared with the library.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace ordo::test {

// All numbers are small integers, so that float64 holds every sum and product exactly, in any order.
constexpr double kTooLarge = 0x1p50;

struct Number {
  static constexpr int kConstant = -1;
  double value = 0;
  int node = kConstant;  ///< of the graph
};

/// How numbers were computed from each other: a derivative is computed in it too, and so has derivatives.
class Graph {
 public:
  bool large = false;  ///< a number was too large to be exact

  int leaf() { return add({}); }
  /// The sum of numbers times constants.
  Number linear(const std::vector<std::pair<Number, double>>& from, double plus = 0) {
    std::vector<Input> inputs;
    for (const auto& [n, factor] : from) {
      plus += n.value * factor;
      if (n.node != Number::kConstant) inputs.push_back({n.node, {factor}});
    }
    return made(plus, std::move(inputs));
  }
  Number product(Number a, Number b) {
    std::vector<Input> inputs;
    if (a.node != Number::kConstant) inputs.push_back({a.node, b});
    if (b.node != Number::kConstant) inputs.push_back({b.node, a});
    return made(a.value * b.value, std::move(inputs));
  }
  /// d(sum of factor times node)/d(every number).
  std::vector<Number> gradients(const std::vector<std::pair<int, double>>& of) {
    std::vector<Number> g(inputs_.size());
    for (auto [node, factor] : of)
      if (node != Number::kConstant) g[size_t(node)].value += factor;
    for (size_t i = g.size(); i-- > 0;) {
      if (g[i].value == 0 && g[i].node == Number::kConstant) continue;
      const std::vector<Input> inputs = inputs_[i];  // a copy: the graph grows
      for (const Input& from : inputs)
        g[size_t(from.node)] = linear({{g[size_t(from.node)], 1.0}, {product(from.factor, g[i]), 1.0}});
    }
    return g;
  }

 private:
  struct Input {
    int node;
    Number factor;  // the derivative
  };
  int add(std::vector<Input> inputs) {
    inputs_.push_back(std::move(inputs));
    return int(inputs_.size()) - 1;
  }
  Number made(double value, std::vector<Input> inputs) {
    large = large || std::abs(value) > kTooLarge;
    return {value, inputs.empty() ? Number::kConstant : add(std::move(inputs))};
  }
  std::vector<std::vector<Input>> inputs_;
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
    return {values_[size_t(cell)], size_t(cell) < nodes.size() ? nodes[size_t(cell)] : Number::kConstant};
  }
  void write(int cell, double value) { values_[size_t(cell)] = value; }
  void write(int cell, int history, Number number) {
    write(cell, number.value);
    auto& nodes = histories_[size_t(history)];
    if (nodes.size() <= size_t(cell)) nodes.resize(size_t(cell) + 1, Number::kConstant);
    nodes[size_t(cell)] = number.node;
  }

 private:
  std::vector<double> values_;
  std::vector<std::vector<int>> histories_;
};

}  // namespace ordo::test

// The sums that `ordo show` looks at.
#pragma once

#include <ordo/ordo.h>

#include <string>
#include <vector>

#include "tools/ordo/spread_values.h"

/// A sum of `count` values by an operation, in one of its ways.
struct ShownSum {
  /// "sum", "mean" (times `size`), "cumsum" (its last element), "index_add" (to one destination) or "matmul" (one
  /// element)
  std::string op;
  int size = 0;                       ///< of the operation
  ordo::DType dtype = ordo::float32;  ///< float32, float64 or int64
  ordo::Device device = ordo::cpu;
  ordo::Determinism level = ordo::Determinism::not_guaranteed;
  ordo::Algorithm algorithm = ordo::Algorithm::automatic;  ///< of index_add

  /// `size`; of index_add one more: the last is what the destination holds before.
  int count() const { return size + (op == "index_add"); }
  std::string value_name(int i) const { return i == size ? "old" : std::to_string(i); }
  /// A value that swallows all 1s that are added to it.
  double mass() const;
  /// The sum of count() values, which are of the dtype. Those of products are first factors; the second ones are 1.
  double operator()(const std::vector<double>& values) const;
  /// Of matmul: whether a product is added without being rounded first, by a fused multiply-add. Takes two values at
  /// least.
  bool fused() const;
  /// The algorithm that the operation chooses; automatic where there is no choice.
  ordo::Algorithm chosen() const;

 private:
  double sum_of_products(const std::vector<double>& a, const std::vector<double>& b) const;
};

/// The names of the operations.
const std::vector<std::string>& shown_operations();
/// The ways of the operation that these settings have. Without a level, of all: each algorithm by name where there are
/// several, else each level. Of another dtype, ValueError.
std::vector<ShownSum> ways_of(const ShownSum& settings, bool one_level);

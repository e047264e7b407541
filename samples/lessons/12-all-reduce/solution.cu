#include "exercise.h"

Gradient add(Gradient a, const Gradient& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

// A binary tree: neighbours meet, then neighbouring pairs, and so on. A rank's shards are a whole subtree of it.
Gradient add_by_tree(std::vector<Gradient> parts) {
  while (parts.size() > 1) {
    for (size_t i = 0; i < parts.size() / 2; ++i) parts[i] = add(parts[2 * i], parts[2 * i + 1]);
    parts.resize(parts.size() / 2);
  }
  return parts[0];
}

Gradient add_own_shards(const std::vector<Gradient>& shards) { return add_by_tree(shards); }

Gradient add_ranks(const std::vector<Gradient>& ranks) { return add_by_tree(ranks); }

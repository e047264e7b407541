// Trees of additions in words and pictures.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/ordo/sum_tree.h"

/// The name of a value: "0", "1", ...
using ValueName = std::function<std::string(int)>;

/// What the tree is made of, a line for each part, parts of parts further to the right: runs that are added left to
/// right, balanced trees of as many parts, and rows of parts that are added left to right.
std::vector<std::string> describe(const SumTree& tree, const ValueName& name);
/// "((0 + 1) + (2 + 3))", with [0 .. 63] for three or more values that are added left to right, [0, 32 .. 96] where
/// their distance is not 1. No longer than about `most`: the rest is "...".
std::string brackets(const SumTree& tree, const ValueName& name, size_t most);
/// How many values pass how many additions: "1 at each of 1 to 14, 2 at 15".
std::string depths_text(const SumTree& tree);
/// Values side by side, and below them what is added to what. In UTF-8, three columns a value.
std::string draw_text(const SumTree& tree, const ValueName& name);
/// The values from left to right, so that no two lines of a drawing cross.
std::vector<int> drawing_order(const SumTree& tree);

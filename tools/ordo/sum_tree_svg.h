// Trees of additions as a picture.
#pragma once

#include <string>
#include <vector>

#include "tools/ordo/sum_tree_text.h"

/// A tree, or the reason why there is none, under a heading.
struct TreePanel {
  std::string heading;
  std::vector<std::string> lines;  ///< below the heading
  SumTree tree = {};               ///< of no values: nothing is drawn
};

/// An SVG file that needs no other, 1280 wide, for light and dark pages: values on top, each addition below what it
/// adds. Values are named where there is room.
std::string tree_picture(const std::string& title, const std::vector<TreePanel>& panels, const ValueName& name);

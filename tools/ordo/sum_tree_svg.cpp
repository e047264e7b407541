#include "tools/ordo/sum_tree_svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/ordo/escaped.h"

namespace {

constexpr double kWidth = 1280, kMargin = 40, kTrees = kWidth - 2 * kMargin;

constexpr const char* kStyle = R"(
  .page { fill: #ffffff; } text { fill: #1b1f24; font-family: system-ui, sans-serif; }
  .title { font-size: 30px; font-weight: 600; } .heading { font-size: 23px; font-weight: 600; } .line { font-size: 17px; }
  .wire { fill: none; stroke: #4a6785; stroke-linejoin: round; } .plus { fill: #1f6feb; } .sign { fill: #ffffff; }
  .value { fill: #e8eef5; stroke: #4a6785; } .name, .sign { text-anchor: middle; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #14181d; } text { fill: #e6edf3; } .wire { stroke: #8fa9c4; } .plus { fill: #4d94ff; }
    .sign { fill: #0b1220; } .value { fill: #26303b; stroke: #8fa9c4; }
  }
)";

std::string text(double x, double y, const char* style, const std::string& words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, style, escaped(words));
}

/// Lines of up to about 110 characters.
std::vector<std::string> wrapped(const std::string& line) {
  std::vector<std::string> lines;
  size_t from = 0;
  while (line.size() - from > 110) {
    const size_t space = line.find(' ', from + 90);
    if (space == std::string::npos) break;
    lines.push_back(line.substr(from, space - from));
    from = space + 1;
  }
  lines.push_back(line.substr(from));
  return lines;
}

/// Draws the tree with its values at height `top`; moves `top` below it.
std::string drawing(const SumTree& tree, const ValueName& name, double& top) {
  const std::vector<int> order = drawing_order(tree), heights = tree.heights();
  const double step = std::min(64.0, kTrees / double(order.size()));
  const double rise = std::min(44.0, 420.0 / std::max(1, heights.back()));
  const double left = (kWidth - step * double(order.size())) / 2;
  size_t longest = 1;
  for (int i = 0; i < tree.count; ++i) longest = std::max(longest, name(i).size());
  const double size = std::min(17.0, (step - 4) / (0.62 * double(longest)));  // of names
  const bool named = size >= 8;
  const double box = named ? 28 : 8, radius = std::min({11.0, rise * 0.4, step * 0.4});
  std::vector<double> x(tree.nodes.size()), y(tree.nodes.size());
  std::string wires, values, signs;
  const bool apart = step >= 3;
  if (!apart)
    values = fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" class=\"value\"/>\n", left,
                         top, step * double(order.size()), box);
  for (size_t i = 0; i < order.size(); ++i) {
    const auto value = size_t(order[i]);
    x[value] = left + step * (double(i) + 0.5), y[value] = top + box;
    if (!apart) continue;
    const double width = step < 10 ? step * 0.7 : step - 4;
    values +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"{:.1f}\" class=\"value\"/>\n",
                    x[value] - width / 2, top, width, box, std::min(5.0, width / 4));
    if (named)
      values += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"name\" style=\"font-size:{:.1f}px\">{}</text>\n",
                            x[value], top + box / 2 + size * 0.35, size, escaped(name(order[i])));
  }
  for (size_t i = size_t(tree.count); i < tree.nodes.size(); ++i) {
    const auto& children = tree.nodes[i].children;
    x[i] = (x[size_t(children.front())] + x[size_t(children.back())]) / 2;
    y[i] = top + box + 10 + rise * heights[i];
    for (int c : children) wires += fmt::format("M{:.1f} {:.1f}V{:.1f}H{:.1f}", x[size_t(c)], y[size_t(c)], y[i], x[i]);
    if (radius < 1.5) continue;
    signs += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" class=\"plus\"/>\n", x[i], y[i], radius);
    if (radius >= 6)
      signs += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"sign\" style=\"font-size:{:.1f}px\">+</text>\n",
                           x[i], y[i] + radius * 0.58, radius * 1.7);
  }
  const double end = y.back() + 34;
  wires += fmt::format("M{:.1f} {:.1f}V{:.1f}", x.back(), y.back(), end);
  std::string picture =
      fmt::format("<path d=\"{}\" class=\"wire\" stroke-width=\"{:.1f}\"/>\n", wires, std::clamp(step / 12, 0.4, 2.0));
  picture += values + signs;
  picture += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"line name\">result</text>\n", x.back(), end + 18);
  if (!named) {
    picture +=
        text(kMargin, top - 6, "line",
             fmt::format("{} values; leftmost {}, rightmost {}", tree.count, name(order.front()), name(order.back())));
  }
  top = end + 18;
  return picture;
}

}  // namespace

std::string tree_picture(const std::string& title, const std::vector<TreePanel>& panels, const ValueName& name) {
  double y = 60;
  std::string body = text(kMargin, y, "title", title);
  for (const TreePanel& panel : panels) {
    y += 56;
    body += text(kMargin, y, "heading", panel.heading);
    for (const std::string& line : panel.lines)
      for (const std::string& part : wrapped(line)) body += text(kMargin, y += 26, "line", part);
    y += 44;
    if (panel.tree.count > 0) body += drawing(panel.tree, name, y);
  }
  y += kMargin;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" height=\"{1:.0f}\" "
             "role=\"img\" aria-label=\"{2}\">\n<title>{2}</title>\n<style>{3}</style>\n"
             "<rect width=\"100%\" height=\"100%\" class=\"page\"/>\n",
             kWidth, y, escaped(title), kStyle) +
         body + "</svg>\n";
}

// Pooling by plain loops in double, written from the definition: a list of the cells of every window.
#pragma once

#include <optional>

#include <ordo/kernels/pooling/pool.h>
#include "tests/kernels/samples.h"

namespace ordo::test {

/// The cells of one output along one axis, and how many cells average pooling counts with padding.
struct WindowCells {
  std::vector<int64_t> cells;
  int64_t padded = 0;
};

inline std::vector<WindowCells> sliding_cells(int64_t size, int64_t kernel, int64_t stride, int64_t padding,
                                              int64_t dilation = 1, bool ceil_mode = false) {
  std::vector<WindowCells> windows;
  for (int64_t start = -padding;; start += stride) {
    const int64_t end = start + dilation * (kernel - 1) + 1;
    const bool fits = end <= size + padding;
    // With ceil_mode, one window may run over the end when it begins in the input or its left padding.
    const bool kept = ceil_mode && start < size && (windows.empty() || start - stride + (end - start) < size + padding);
    if (!fits && !kept) return windows;
    WindowCells window;
    for (int64_t k = 0; k < kernel; ++k) {
      const int64_t cell = start + k * dilation;
      if (cell >= 0 && cell < size) window.cells.push_back(cell);
      if (cell < size + padding) ++window.padded;
    }
    windows.push_back(window);
    if (!fits) return windows;
  }
}

inline std::vector<WindowCells> adaptive_cells(int64_t size, int64_t output) {
  std::vector<WindowCells> windows;
  for (int64_t o = 0; o < output; ++o) {
    WindowCells window;
    const int64_t begin = int64_t(std::floor(double(o) * double(size) / double(output)));
    const int64_t end = int64_t(std::ceil(double(o + 1) * double(size) / double(output)));
    for (int64_t cell = begin; cell < end; ++cell) window.cells.push_back(cell);
    window.padded = end - begin;
    windows.push_back(window);
  }
  return windows;
}

/// The cells of the windows along each spatial dimension, outermost first; `axis(i)` makes those of the i-th.
struct WindowAxes {
  std::vector<std::vector<WindowCells>> axes;
  int rank;

  template <class F>
  WindowAxes(int dimensions, F axis) : rank(dimensions) {
    for (int i = 0; i < dimensions; ++i) axes.push_back(axis(i));
    while (axes.size() < 3) axes.insert(axes.begin(), {WindowCells{{0}, 1}});  // one cell, one window
  }
};

/// What adaptive pooling of either kind is tried on.
template <int N>
struct AdaptiveCase {
  const char* label;
  Dims sizes;
  Size<N> output;
  bool small = true;

  kernels::PoolArguments arguments() const { return kernels::adaptive_pool_arguments<N>(output); }
  WindowAxes windows(const Tensor& x) const {
    return WindowAxes(N, [&](int i) { return adaptive_cells(x.size(i - N), output[i]); });
  }
  bool order_sensitive() const { return std::string_view(label) == "many_windows"; }
};
template <int N>
std::vector<AdaptiveCase<N>> adaptive_cases(std::vector<AdaptiveCase<N>> more) {
  std::vector<AdaptiveCase<N>> cases;
  if constexpr (N == 1)
    cases = {{"divides", {1, 2, 6}, 3}, {"overlapping", {2, 7}, 4}, {"global", {1, 2, 5}, 1},
             {"larger", {1, 1, 4}, 7},  {"no_lines", {0, 1, 3}, 2}, {"many_windows", {1, 1, 6}, 700, false}};
  if constexpr (N == 2)
    cases = {{"divides", {1, 2, 4, 6}, {2, 3}}, {"overlapping", {2, 5, 7}, {3, 4}},
             {"global", {1, 2, 3, 5}, 1},       {"larger", {1, 1, 3, 4}, {5, 7}},
             {"no_planes", {0, 1, 3, 4}, 2},    {"many_windows", {1, 1, 2, 3}, {20, 30}, false}};
  if constexpr (N == 3)
    cases = {{"divides", {1, 1, 2, 4, 6}, {1, 2, 3}}, {"overlapping", {2, 3, 4, 3}, {2, 3, 2}},
             {"global", {1, 2, 2, 3, 2}, 1},          {"larger", {1, 1, 2, 3, 2}, {3, 5, 4}},
             {"no_volumes", {0, 1, 3, 4, 2}, 2},      {"many_windows", {1, 1, 2, 1, 3}, {9, 8, 10}, false}};
  cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

/// f(values of the window, padded count) for every output of every volume.
inline void for_windows(const Tensor& input, const WindowAxes& windows,
                        const std::function<void(const std::vector<double>&, int64_t)>& f) {
  const std::vector<double> x = input.to_vector<double>();
  int64_t size[3] = {1, 1, 1};
  for (int i = 1; i <= windows.rank; ++i) size[3 - i] = input.size(-i);
  const int64_t cells = size[0] * size[1] * size[2], volumes = input.numel() / cells;
  for (int64_t p = 0; p < volumes; ++p)
    for (const WindowCells& layer : windows.axes[0])
      for (const WindowCells& row : windows.axes[1])
        for (const WindowCells& column : windows.axes[2]) {
          std::vector<double> values;
          for (int64_t d : layer.cells)
            for (int64_t h : row.cells)
              for (int64_t w : column.cells) values.push_back(x[size_t(p * cells + (d * size[1] + h) * size[2] + w)]);
          f(values, layer.padded * row.padded * column.padded);
        }
}

inline std::vector<double> max_reference(const Tensor& input, const WindowAxes& windows) {
  std::vector<double> out;
  for_windows(input, windows, [&](const auto& values, int64_t) {
    double best = -std::numeric_limits<double>::infinity();
    for (double v : values) best = std::isnan(v) || v > best ? v : best;
    out.push_back(best);
  });
  return out;
}

inline std::vector<double> average_reference(const Tensor& input, const WindowAxes& windows,
                                             bool count_include_pad = false,
                                             std::optional<int64_t> divisor = std::nullopt) {
  std::vector<double> out;
  for_windows(input, windows, [&](const auto& values, int64_t padded) {
    double sum = 0;
    for (double v : values) sum += v;
    out.push_back(sum / double(divisor.value_or(count_include_pad ? padded : int64_t(values.size()))));
  });
  return out;
}

}  // namespace ordo::test

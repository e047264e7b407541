// A plain reference for reductions: the values of every output, in row-major order of the reduced dimensions.
#pragma once

#include <numeric>

#include "tests/kernels/samples.h"

namespace ordo::test {

using Values = std::vector<double>;

inline double total(const Values& v) { return std::accumulate(v.begin(), v.end(), 0.0); }
inline double average(const Values& v) { return total(v) / double(v.size()); }

/// f of the values of every output. `dims` are not negative; none means all.
inline std::vector<double> reference_reduce(const Tensor& t, const Dims& dims,
                                            const std::function<double(const Values&)>& f) {
  const Values x = t.to_vector<double>();
  std::vector<bool> reduced(size_t(t.dim()), dims.empty());
  for (int64_t d : dims) reduced[size_t(d)] = true;
  int64_t outputs = 1;
  for (int d = 0; d < t.dim(); ++d)
    if (!reduced[size_t(d)]) outputs *= t.sizes()[d];
  std::vector<Values> rows(static_cast<size_t>(outputs));
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t rest = int64_t(i), output = 0, step = 1;
    for (int d = t.dim() - 1; d >= 0; --d) {
      const int64_t at = rest % t.sizes()[d];
      rest /= t.sizes()[d];
      if (reduced[size_t(d)]) continue;
      output += at * step;
      step *= t.sizes()[d];
    }
    rows[size_t(output)].push_back(x[i]);
  }
  std::vector<double> out;
  for (const Values& row : rows) out.push_back(f(row));
  return out;
}

/// A sample of one reduction over `dims`.
inline Sample reduce_sample(const char* label, const Tensor& input, const Dims& dims,
                            std::function<double(const Values&)> f, std::function<Tensor(const Tensor&)> run) {
  return {.label = label,
          .inputs = {input},
          .run = [run](const TensorList& in) { return run(in[0]); },
          .reference = [dims, f](const TensorList& in) { return reference_reduce(in[0], dims, f); },
          .gradient = input.numel() <= 100,
          // The reference adds in another order, in double: some units for every doubling of the length.
          .tolerance = input.numel() <= 100 ? 16.0 : 256.0};
}

/// The shapes every reduction is tried on, with `op(input, dims, keepdim)`: small ones, and ones just above the sizes
/// of lanes, tiles and blocks, along and across memory.
template <class Op>
std::vector<Sample> reduce_samples(const Op& op, std::function<double(const Values&)> f, bool of_nothing = true) {
  const auto sample = [&](const char* label, const Dims& sizes, const Dims& dims, bool keepdim = false) {
    return reduce_sample(label, test_values(sizes), dims, f, [=](const Tensor& t) { return op(t, dims, keepdim); });
  };
  std::vector<Sample> out{
      sample("0-d", {}, {}),
      sample("one", {1}, {}),
      sample("all", {3, 4}, {}),
      sample("first", {5, 3}, {0}),
      sample("last, keepdim", {3, 5}, {1}, true),
      sample("middle", {2, 3, 4}, {1}),
      sample("outer and inner", {3, 4, 5}, {0, 2}),
      sample("no outputs", {0, 3}, {1}),
      sample("33 along", {2, 33}, {1}),
      sample("33 across", {33, 67}, {0}),
      sample("channels", {3, 5, 7, 9}, {0, 2, 3}),
      sample("a block and one", {3, 4097}, {1}),
      sample("a block and one across", {4097, 3}, {0}),
      sample("blocks across a tile", {4097, 8}, {0}),
  };
  if (of_nothing) out.push_back(sample("of nothing", {0, 3}, {0}));
  return out;
}

/// One reduction along memory, across it, in both ways at once, over n elements or with n outputs.
template <class Op>
std::vector<Sample> reduce_sizes(int64_t n, const Op& op, std::function<double(const Values&)> f) {
  const auto sample = [&](const char* label, const Dims& sizes, const Dims& dims) {
    return reduce_sample(label, test_values(sizes), dims, f, [=](const Tensor& t) { return op(t, dims, false); });
  };
  return {sample("all", {n}, {}),          sample("along", {2, n}, {1}),   sample("across", {n, 3}, {0}),
          sample("rows", {n, 5}, {1}),     sample("columns", {3, n}, {0}), sample("around", {2, n, 3}, {0, 2}),
          sample("middle", {2, n, 3}, {1})};
}

}  // namespace ordo::test

// A plain reference for what works on lines: the values along `dim`, one line after another.
#pragma once

#include "tests/kernels/samples.h"

namespace ordo::test {

using Line = std::vector<double>;

/// Every line of `t` replaced by f of it, which may be of another length, in row-major order.
inline std::vector<double> reference_lines(const Tensor& t, int dim, const std::function<Line(const Line&)>& f) {
  const Line x = t.to_vector<double>();
  int64_t outer = 1, length = 1, inner = 1;
  for (int d = 0; d < t.dim(); ++d) (d < dim ? outer : d == dim ? length : inner) *= t.sizes()[d];
  std::vector<Line> lines;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      Line line;
      for (int64_t k = 0; k < length; ++k) line.push_back(x[size_t((o * length + k) * inner + i)]);
      lines.push_back(f(line));
    }
  Line out;
  for (int64_t o = 0; o < outer; ++o)
    for (size_t k = 0; inner > 0 && k < lines[size_t(o * inner)].size(); ++k)
      for (int64_t i = 0; i < inner; ++i) out.push_back(lines[size_t(o * inner + i)][k]);
  return out;
}

/// A sample of what replaces lines along `dim`.
inline Sample line_sample(const char* label, const Tensor& input, int dim,
                          std::function<Tensor(const Tensor&, int64_t dim)> run, std::function<Line(const Line&)> f,
                          double tolerance = 0) {
  return {.label = label,
          .inputs = {input},
          .run = [run, dim](const TensorList& in) { return run(in[0], dim); },
          .reference = [dim, f](const TensorList& in) { return reference_lines(in[0], dim, f); },
          .gradient = input.numel() <= 100,
          .tolerance = tolerance};
}

}  // namespace ordo::test

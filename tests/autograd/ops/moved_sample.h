// A sample of what only moves elements. The reference walks the result's indices and asks where each element comes
// from.
#pragma once

#include "tests/support/op_samples.h"

namespace ordo::test {

using Index = std::vector<int64_t>;
using Source = std::function<int64_t(const Index&)>;

/// The result has `sizes`; element i is the input's flat element source(i), or 0 where that is -1.
inline Sample moved(const std::string& label, const Tensor& input, const Dims& sizes,
                    std::function<Tensor(const Tensor&)> run, Source source) {
  return {.label = label,
          .inputs = {input},
          .run = [run](const TensorList& in) { return run(in[0]); },
          .reference =
              [=](const TensorList& in) {
                const auto from = in[0].to_vector<double>();
                std::vector<double> out;
                Index at(size_t(sizes.size()), 0);
                for (int64_t n = 0; n < sizes.product(); ++n) {
                  const int64_t s = source(at);
                  out.push_back(s < 0 ? 0 : from[size_t(s)]);
                  for (int d = sizes.size() - 1; d >= 0 && ++at[size_t(d)] == sizes[d]; --d) at[size_t(d)] = 0;
                }
                return out;
              },
          .gradient = sizes.product() < 100 && input.numel() < 100,
          .tolerance = 0};
}

}  // namespace ordo::test

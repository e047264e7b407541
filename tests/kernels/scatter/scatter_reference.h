// Plain loops over what scatter and index_copy and their reductions do to an element.
#pragma once

#include "tests/kernels/samples.h"

namespace ordo::test {

/// Calls f(place of the output, element of src) for all items in row-major order of the index.
template <class F>
void for_scattered(const Dims& input, const Tensor& index, const Dims& src, int dim, const F& f) {
  const auto indices = index.to_vector<int64_t>();
  const Dims sizes = index.dim() == 0 && input.size() == 1 ? Dims{1} : index.sizes();
  const Dims to = contiguous_strides(input), from = contiguous_strides(src);
  for (size_t k = 0; k < indices.size(); ++k) {
    int64_t rest = int64_t(k), read = 0, write = 0;
    for (int d = sizes.size() - 1; d >= 0; --d) {
      const int64_t at = rest % sizes[d];
      rest /= sizes[d];
      read += at * from[d];
      write += (d == dim ? indices[k] : at) * to[d];
    }
    f(size_t(write), size_t(read));
  }
}

/// Calls f as for an index that is expanded: here a 1-d index names slices.
template <class F>
void for_sliced(const Dims& input, const Tensor& index, int dim, const F& f) {
  Dims line = Dims::filled(input.size(), 1), all = input;
  line[dim] = all[dim] = index.numel();
  for_scattered(input, index.reshape(line).expand(all).contiguous(), all, dim, f);
}

/// A reduction of many values at each place, in double.
class Reduced {
 public:
  Reduced(std::vector<double> old, Reduce reduce, bool include_self)
      : out_(std::move(old)), reduce_(reduce), include_self_(include_self), counts_(out_.size(), 0) {}
  void add(size_t place, double v) {
    double& out = out_[place];
    const bool first = counts_[place]++ == 0 && !include_self_;
    if (first)
      out = v;
    else if (reduce_ == Reduce::sum || reduce_ == Reduce::mean)
      out += v;
    else if (reduce_ == Reduce::prod)
      out *= v;
    else
      out = reduce_ == Reduce::amax ? std::max(out, v) : std::min(out, v);
  }
  std::vector<double> done() {
    if (reduce_ == Reduce::mean)
      for (size_t i = 0; i < out_.size(); ++i)
        if (counts_[i] > 0) out_[i] /= counts_[i] + include_self_;
    return out_;
  }

 private:
  std::vector<double> out_;
  Reduce reduce_;
  bool include_self_;
  std::vector<int> counts_;
};

}  // namespace ordo::test

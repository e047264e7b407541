// What the samples of losses share.
#pragma once

#include "tests/kernels/samples.h"

namespace ordo::test {

/// Element losses as the operation returns them; `batchmean` divides by `batch`.
inline std::vector<double> reduced(const std::vector<double>& losses, Reduction reduction, double batch = 1) {
  if (reduction == Reduction::none) return losses;
  double sum = 0;
  for (double loss : losses) sum += loss;
  const double divisor[] = {1, double(losses.size()), 1, batch};
  return {sum / divisor[size_t(reduction)]};
}

inline std::vector<double> doubles(const Tensor& t) { return t.to(float64).to_vector<double>(); }

/// 1 and -1, int64.
inline Tensor test_signs(const Dims& sizes, uint64_t stream = 0) { return test_indices(sizes, 2, stream) * 2 - 1; }

/// A sample of any loss; `losses` gives those of the elements or rows.
inline Sample loss_sample(std::string label, TensorList inputs, std::function<Tensor(const TensorList&)> run,
                          std::function<std::vector<double>(const TensorList&)> losses, Reduction reduction) {
  Sample s;
  s.label = std::move(label);
  s.gradient = inputs[0].numel() <= 100;
  const double batch = inputs[0].dim() ? double(inputs[0].size(0)) : 1;
  s.inputs = std::move(inputs);
  s.run = std::move(run);
  s.reference = [losses = std::move(losses), reduction, batch](const TensorList& in) {
    return reduced(losses(in), reduction, batch);
  };
  s.tolerance = 64;
  return s;
}

/// A sample whose losses are of one element each; the inputs have one shape, or repeat over the first one's elements.
inline Sample element_loss(std::string label, TensorList inputs, std::function<Tensor(const TensorList&)> run,
                           std::function<double(const std::vector<double>&)> element, Reduction reduction) {
  return loss_sample(
      std::move(label), std::move(inputs), std::move(run),
      [element = std::move(element)](const TensorList& in) {
        std::vector<std::vector<double>> values;
        for (const Tensor& t : in) values.push_back(doubles(t));
        std::vector<double> losses;
        for (size_t i = 0; i < values[0].size(); ++i) {
          std::vector<double> of_one;
          for (const auto& v : values) of_one.push_back(v[i % v.size()]);
          losses.push_back(element(of_one));
        }
        return losses;
      },
      reduction);
}

/// What losses of elements are tried on: make(label, sizes, reduction, number), with a number for a margin or the like.
template <class Make>
std::vector<Sample> element_losses(const Make& make) {
  return {make("mean", Dims{3, 4}, Reduction::mean, 1.0),
          make("sum", Dims{5}, Reduction::sum, 0.5),
          make("none", Dims{2, 3}, Reduction::none, 1.5),
          make("0-d", Dims{}, Reduction::mean, 1.0),
          make("sum of nothing", Dims{0}, Reduction::sum, 1.0),
          make("a block and one", Dims{17, 241}, Reduction::mean, 2.0)};
}

}  // namespace ordo::test

// What a model is worth on data that it was not trained on.
//
//   for (const auto& [name, value] : evaluate(model, test_loader, {{"loss", nn::CrossEntropyLoss()},
//                                                                  {"accuracy", metrics::accuracy}}))
//     std::printf("%s %g\n", name.c_str(), value);
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ordo/autograd/grad_mode.h>
#include <ordo/nn/module.h>

namespace ordo {

/// The value of a metric and its name, such as "accuracy".
struct NamedNumber {
  std::string name;
  double value = 0;
};
using NamedNumbers = std::vector<NamedNumber>;

/// A number of the model's outputs for a batch and of its targets, a mean over the batch's rows.
class Metric {
 public:
  /// `f(outputs, targets)` gives a number, or a tensor of one element, as losses do.
  template <class F>
  Metric(std::string name, F f) : name_(std::move(name)) {
    if constexpr (std::is_same_v<std::decay_t<std::invoke_result_t<F&, const Tensor&, const Tensor&>>, Tensor>)
      value_ = [f = std::move(f)](const Tensor& outputs, const Tensor& targets) mutable {
        return f(outputs, targets).template item<double>();
      };
    else
      value_ = std::move(f);
  }
  const std::string& name() const { return name_; }
  double operator()(const Tensor& outputs, const Tensor& targets) const { return value_(outputs, targets); }

 private:
  std::string name_;
  std::function<double(const Tensor&, const Tensor&)> value_;
};
using Metrics = std::vector<Metric>;

namespace metrics {
/// The part of the rows whose greatest logit is that of the target; of equal ones the first.
///
/// Shapes: logits [N, C, ...], targets [N, ...], integers.
/// Throws: ShapeError for other sizes; ValueError when there are no rows.
double accuracy(const Tensor& logits, const Tensor& targets);
}  // namespace metrics

namespace detail {

/// Evaluation mode, without recording; afterwards each module is as it was.
class Evaluating {
 public:
  explicit Evaluating(nn::ModuleBase& model);
  ~Evaluating();
  Evaluating(Evaluating&&) = delete;

 private:
  NoGrad guard_;
  std::vector<std::pair<nn::ModuleBase*, bool>> before_;
};

/// Means over rows, formed in the order of the batches.
class MetricMeans {
 public:
  explicit MetricMeans(const Metrics& metrics) : metrics_(metrics) {}
  void add(const Tensor& outputs, const Tensor& targets);
  /// A batch of another process.
  void skip() { values_.resize(values_.size() + metrics_.size() + 1); }
  /// Batch i is of process i mod their number, which skipped the others; all have seen as many.
  void exchange();
  /// ValueError when there were no rows.
  NamedNumbers means() const;

 private:
  const Metrics& metrics_;
  std::vector<double> values_;  // of each batch: the metrics, the rows
};

/// This process and the number of all.
std::pair<int64_t, int64_t> rank_and_size();

}  // namespace detail

namespace detail {

/// The processes, `rank` of `size`, all of which call it, compute a part of the batches each. The numbers are the same.
template <class Model, class Loader>
NamedNumbers evaluate_in_parts(Model& model, Loader& loader, const Metrics& metrics, int64_t rank, int64_t size) {
  const Evaluating guard(model);
  MetricMeans means(metrics);
  int64_t i = 0;
  for (auto [inputs, targets] : loader)
    if (i++ % size == rank)
      means.add(model(inputs), targets);
    else
      means.skip();
  if (size > 1) means.exchange();
  return means.means();
}

}  // namespace detail

/// The mean of each metric over the rows of all batches, in double. The model is in evaluation mode meanwhile.
///
/// Throws: ValueError when there are no rows.
/// Determinism: the metric's values, weighted by the batches' rows, are added in the order of the batches. A loader
/// that shuffles would change the order and so the last bits.
template <class Model, class Loader>
NamedNumbers evaluate(Model& model, Loader& loader, const Metrics& metrics) {
  return detail::evaluate_in_parts(model, loader, metrics, 0, 1);
}

}  // namespace ordo

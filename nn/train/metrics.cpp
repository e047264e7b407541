#include <ordo/nn/train/metrics.h>

#include <ordo/autograd/ops/comparison.h>
#include <ordo/autograd/ops/max.h>
#include <ordo/autograd/ops/sum.h>
#include <ordo/engine/check.h>
#include <ordo/engine/tensor_impl.h>

namespace ordo {

double metrics::accuracy(const Tensor& logits, const Tensor& targets) {
  detail::expect_defined("accuracy", logits, "logits");
  detail::expect_defined("accuracy", targets, "targets");
  Dims rows;
  for (int d = 0; d < logits.dim(); ++d)
    if (d != 1) rows.push_back(logits.size(d));
  ORDO_CHECK(logits.dim() > 1 && rows == targets.sizes(), ShapeError, "accuracy",
             "needs logits [N, C, ...] and targets [N, ...], given {} and {}", logits.sizes(), targets.sizes());
  ORDO_CHECK(targets.numel() > 0, ValueError, "accuracy", "of no rows is not defined");
  NoGrad guard;
  return double((argmax(logits, 1) == targets).sum().item<int64_t>()) / double(targets.numel());
}

namespace detail {

Evaluating::Evaluating(nn::ModuleBase& model) {
  for (auto& [name, module] : model.named_modules()) before_.emplace_back(module, module->is_training());
  model.eval();
}

Evaluating::~Evaluating() {
  // train() of a module is also that of those in it, which come after it.
  for (const auto& [module, training] : before_) module->train(training);
}

void MetricMeans::add(const Tensor& outputs, const Tensor& targets) {
  const int64_t rows = targets.size(0);
  for (size_t i = 0; i < metrics_.size(); ++i) sums_[i] += metrics_[i](outputs, targets) * double(rows);
  rows_ += rows;
}

NamedNumbers MetricMeans::means() const {
  ORDO_CHECK(rows_ > 0, ValueError, "evaluate", "the loader has no rows");
  NamedNumbers all;
  for (size_t i = 0; i < metrics_.size(); ++i) all.push_back({metrics_[i].name(), sums_[i] / double(rows_)});
  return all;
}

}  // namespace detail
}  // namespace ordo

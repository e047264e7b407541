#include <ordo/nn/train/metrics.h>

#include <cstring>

#include <ordo/autograd/ops/math/comparison.h>
#include <ordo/autograd/ops/reduce/reductions.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/distributed/collectives.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo {

double metrics::accuracy(const Tensor& logits, const Tensor& targets) {
  const ordo::detail::LibraryCall library;
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
  const ordo::detail::LibraryCall library;
  for (auto& [name, module] : model.named_modules()) before_.emplace_back(module, module->is_training());
  model.eval();
}

Evaluating::~Evaluating() {
  // train() of a module is also that of those in it, which come after it.
  for (const auto& [module, training] : before_) module->train(training);
}

void MetricMeans::add(const Tensor& outputs, const Tensor& targets) {
  const ordo::detail::LibraryCall library;
  for (const Metric& metric : metrics_) values_.push_back(metric(outputs, targets));
  values_.push_back(double(targets.size(0)));
}

void MetricMeans::exchange() {
  distributed::GroupState& all = *distributed::World::current().all();
  const size_t bytes = values_.size() * sizeof(double), own = metrics_.size() + 1;
  const auto texts = distributed::gather_text(all, "metrics", {reinterpret_cast<const char*>(values_.data()), bytes});
  for (size_t r = 0; r < texts.size(); ++r) {
    ORDO_CHECK(texts[r].size() == bytes, ValueError, "evaluate", "rank {} has seen another number of batches", r);
    for (size_t at = r * own; at < values_.size(); at += own * texts.size())
      std::memcpy(values_.data() + at, texts[r].data() + at * sizeof(double), own * sizeof(double));
  }
}

NamedNumbers MetricMeans::means() const {
  const ordo::detail::LibraryCall library;
  const size_t own = metrics_.size() + 1;
  std::vector<double> sums(metrics_.size());
  double rows = 0;
  for (size_t at = 0; at < values_.size(); at += own) {
    const double count = values_[at + metrics_.size()];
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += values_[at + i] * count;
    rows += count;
  }
  ORDO_CHECK(rows > 0, ValueError, "evaluate", "the loader has no rows");
  NamedNumbers all;
  for (size_t i = 0; i < sums.size(); ++i) all.push_back({metrics_[i].name(), sums[i] / rows});
  return all;
}

std::pair<int64_t, int64_t> rank_and_size() { return {distributed::rank(), distributed::world_size()}; }

}  // namespace detail
}  // namespace ordo

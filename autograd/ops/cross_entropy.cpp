#include <ordo/autograd/ops/cross_entropy.h>

#include <algorithm>

#include <ordo/autograd/ops/loss_call.h>
#include <ordo/autograd/ops/nll_loss.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/softmax.h>
#include <ordo/kernels/loss/nll_loss.h>

namespace ordo {
namespace {

/// A weight for each class, of shape [1, C, 1, ...].
Tensor along_classes(const Tensor& weight, const Tensor& logits, int class_dim) {
  Dims sizes = Dims::filled(logits.dim(), 1);
  sizes[class_dim] = weight.numel();
  return weight.reshape(sizes);
}

/// The sum of -weight target log(p) over the classes.
Tensor of_probabilities(const Tensor& logits, const Tensor& target, const Tensor& weight, int64_t ignore_index,
                        Reduction reduction, double label_smoothing, int class_dim) {
  constexpr const char* kOp = "cross_entropy";
  const int64_t classes = logits.size(class_dim);
  detail::expect_like(kOp, logits, "logits", target, "target of probabilities");
  if (weight.defined()) {
    detail::expect_same_device(kOp, logits, weight);
    ORDO_CHECK(weight.sizes() == Dims({classes}), ShapeError, kOp,
               "weight must have shape [{}], one per class, but has {}", classes, weight.sizes());
    ORDO_CHECK(weight.dtype() == logits.dtype(), DTypeError, kOp, "weight is {} but the logits are {}", weight.dtype(),
               logits.dtype());
  }
  ORDO_CHECK(ignore_index < 0, ValueError, kOp,
             "ignore_index = {} names a class, but the target holds probabilities of all of them", ignore_index);
  detail::expect_reduction(kOp, reduction);
  Tensor t = detail::computed(target, logits);
  if (label_smoothing > 0) t = t * (1 - label_smoothing) + label_smoothing / double(std::max<int64_t>(1, classes));
  if (weight.defined()) t = t * along_classes(detail::computed(weight, logits), logits, class_dim);
  Tensor terms = log_softmax(detail::computed(logits, logits), class_dim);
  if (detail::recorded(terms, t))
    terms = terms * t;
  else
    terms.mul_(t);
  return detail::reduced(neg(sum(terms, {class_dim})), reduction, logits);
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& weight, int64_t ignore_index,
                     Reduction reduction, double label_smoothing) {
  if (detail::raises(logits, target, weight))
    return cross_entropy(detail::raise(logits), detail::raise(target), detail::raise(weight), ignore_index, reduction,
                         label_smoothing);
  const OpCall call("cross_entropy", logits, target, weight, ignore_index, reduction, label_smoothing);
  detail::expect_defined("cross_entropy", logits, "logits");
  detail::expect_defined("cross_entropy", target, "target");
  detail::expect_floating("cross_entropy", logits);
  const bool probabilities = is_floating(target.dtype());
  if (!probabilities) detail::expect_index_dtype("cross_entropy", target);
  detail::expect_same_device("cross_entropy", logits, target);
  ORDO_CHECK(logits.dim() > 0, ShapeError, "cross_entropy", "logits must have a class dimension, but are 0-d");
  ORDO_CHECK(label_smoothing >= 0 && label_smoothing <= 1, ValueError, "cross_entropy",
             "label_smoothing must be in [0, 1], but is {}", label_smoothing);
  const int class_dim = logits.dim() == 1 ? 0 : 1;
  if (probabilities)
    return call.done(of_probabilities(logits, target, weight, ignore_index, reduction, label_smoothing, class_dim));
  const Tensor log_p = log_softmax(logits, class_dim);
  const Tensor loss = nll_loss(log_p, target, weight, ignore_index, reduction);
  if (label_smoothing == 0) return call.done(std::move(loss));

  // The other part: the mean of -weight log p over all classes.
  const Tensor weighted = weight.defined() ? log_p * along_classes(weight, logits, class_dim) : log_p;
  Tensor smooth = neg(mean(weighted, {class_dim}));
  smooth = masked_fill(smooth, eq(target, Scalar(ignore_index)), 0);
  if (reduction != Reduction::none) smooth = sum(smooth);
  if (reduction == Reduction::mean)
    smooth = smooth / kernels::nll_loss(log_p.detach(), target, weight, ignore_index, kernels::LossReduction::sum)
                          .second.to(smooth.dtype());
  return call.done(loss * (1 - label_smoothing) + smooth * label_smoothing);
}

}  // namespace ordo

#include <ordo/autograd/ops/cross_entropy.h>

#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/comparison.h>
#include <ordo/autograd/ops/nll_loss.h>
#include <ordo/autograd/ops/softmax.h>
#include <ordo/autograd/ops/sum.h>
#include <ordo/autograd/ops/unary.h>
#include <ordo/autograd/ops/where.h>
#include <ordo/autograd/tape.h>
#include <ordo/engine/check.h>
#include <ordo/kernels/loss/nll_loss.h>

namespace ordo {

Tensor cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& weight, int64_t ignore_index,
                     Reduction reduction, double label_smoothing) {
  const OpCall call("cross_entropy", logits, target, weight, ignore_index, reduction, label_smoothing);
  detail::expect_defined("cross_entropy", logits, "logits");
  detail::expect_defined("cross_entropy", target, "target");
  detail::expect_floating("cross_entropy", logits);
  detail::expect_index_dtype("cross_entropy", target);
  detail::expect_same_device("cross_entropy", logits, target);
  ORDO_CHECK(logits.dim() > 0, ShapeError, "cross_entropy", "logits must have a class dimension, but are 0-d");
  ORDO_CHECK(label_smoothing >= 0 && label_smoothing <= 1, ValueError, "cross_entropy",
             "label_smoothing must be in [0, 1], but is {}", label_smoothing);
  const int class_dim = logits.dim() == 1 ? 0 : 1;
  const Tensor log_p = log_softmax(logits, class_dim);
  const Tensor loss = nll_loss(log_p, target, weight, ignore_index, reduction);
  if (label_smoothing == 0) return call.done(std::move(loss));

  // The other part: the mean of -weight log p over all classes.
  Tensor weighted = log_p;
  if (weight.defined()) {
    Dims sizes = Dims::filled(logits.dim(), 1);
    sizes[class_dim] = weight.numel();
    weighted = log_p * weight.reshape(sizes);
  }
  Tensor smooth = -sum(weighted, {class_dim});
  smooth = masked_fill(smooth, eq(target, Scalar(ignore_index)), 0);
  if (reduction != Reduction::none) smooth = sum(smooth);
  if (reduction == Reduction::mean)
    smooth = smooth / kernels::nll_loss(log_p.detach(), target, weight, ignore_index, kernels::LossReduction::sum)
                          .second.to(smooth.dtype());
  return call.done(loss * (1 - label_smoothing) + smooth * (label_smoothing / double(logits.size(class_dim))));
}

}  // namespace ordo

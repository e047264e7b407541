#include <ordo/autograd/ops/functional/loss_call.h>
#include <ordo/autograd/ops/functional/losses.h>
#include <ordo/autograd/ops/linalg/distance.h>
#include <ordo/autograd/ops/operation.h>

namespace ordo {

ORDO_REGISTER_OPS({"hinge_embedding_loss", "cosine_embedding_loss", "margin_ranking_loss", "soft_margin_loss",
                   "triplet_margin_loss"},
                  {.family = "loss", .dtypes = kFloatingTypes});

Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, const HingeEmbeddingLossOptions& o) {
  ORDO_AUTOCAST(raise, hinge_embedding_loss, input, target, o);
  const OpCall call("hinge_embedding_loss", input, target, o.margin, o.reduction);
  detail::expect_label_loss("hinge_embedding_loss", input, target, o.reduction);
  const Tensor x = detail::computed(input, input);
  const Tensor losses = where(ne(target, 1), clamp(o.margin - x, 0), 0) + where(ne(target, -1), x, 0);
  return call.done(detail::reduced(losses, o.reduction, input));
}

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             const MarginLossOptions& o) {
  ORDO_AUTOCAST(raise, cosine_embedding_loss, input1, input2, target, o);
  const OpCall call("cosine_embedding_loss", input1, input2, target, o.margin, o.reduction);
  const char* const op = call.name();
  detail::expect_like(op, input1, "input1", input2, "input2");
  detail::expect_label_dtype(op, input1, target);
  ORDO_CHECK((target.dim() == 0 && input1.dim() == 1) ||
                 (target.dim() == 1 && input1.dim() == 2 && target.size(0) == input1.size(0)),
             ShapeError, op, "takes inputs [N, D] with target [N], or [D] with a 0-d target, not {} with {}",
             input1.sizes(), target.sizes());
  detail::expect_reduction(op, o.reduction);
  const Tensor a = detail::computed(input1, input1), b = detail::computed(input2, input1);
  const Tensor lengths = sqrt(square_sum(a, {-1}) + 1e-12) * sqrt(square_sum(b, {-1}) + 1e-12);
  const Tensor cosine = sum(a * b, {-1}) / lengths;
  const Tensor apart = where(eq(target, -1), clamp(cosine - o.margin, 0), 0);
  return call.done(detail::reduced(where(eq(target, 1), 1 - cosine, apart), o.reduction, input1));
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           const MarginLossOptions& o) {
  ORDO_AUTOCAST(raise, margin_ranking_loss, input1, input2, target, o);
  const OpCall call("margin_ranking_loss", input1, input2, target, o.margin, o.reduction);
  const char* const op = call.name();
  detail::expect_like(op, input1, "input1", input2, "input2");
  detail::expect_labels(op, input1, target);
  detail::expect_reduction(op, o.reduction);
  const Tensor difference = detail::computed(input1, input1) - detail::computed(input2, input1);
  const Tensor losses = clamp(o.margin - detail::computed(target, input1) * difference, 0);
  return call.done(detail::reduced(losses, o.reduction, input1));
}

Tensor soft_margin_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  ORDO_AUTOCAST_CALL(raise, soft_margin_loss, input, target, reduction);
  detail::expect_label_loss("soft_margin_loss", input, target, reduction);
  const Tensor losses = neg(logsigmoid(detail::computed(target, input) * detail::computed(input, input)));
  return call.done(detail::reduced(losses, reduction, input));
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           const TripletMarginLossOptions& o) {
  ORDO_AUTOCAST(raise, triplet_margin_loss, anchor, positive, negative, o);
  const OpCall call("triplet_margin_loss", anchor, positive, negative, o.margin, o.p, o.eps, o.swap, o.reduction);
  const char* const op = call.name();
  detail::expect_floating(op, anchor, "anchor");
  detail::expect_defined(op, positive, "positive", negative, "negative");
  detail::expect_alike(op, anchor, positive, "positive");
  detail::expect_alike(op, anchor, negative, "negative");
  ORDO_CHECK(anchor.dim() > 0 && anchor.dim() == positive.dim() && anchor.dim() == negative.dim(), ShapeError, op,
             "anchor, positive and negative must have as many dimensions, one or more, but have shapes {}, {} and {}",
             anchor.sizes(), positive.sizes(), negative.sizes());
  ORDO_CHECK(o.margin > 0, ValueError, op, "margin must be positive, but is {}", o.margin);
  detail::expect_reduction(op, o.reduction);
  const Tensor a = detail::computed(anchor, anchor), near = detail::computed(positive, anchor);
  const Tensor far = detail::computed(negative, anchor);
  Tensor distance = pairwise_distance(a, far, o.p, o.eps);
  if (o.swap) distance = minimum(distance, pairwise_distance(near, far, o.p, o.eps));
  const Tensor losses = clamp(pairwise_distance(a, near, o.p, o.eps) + o.margin - distance, 0);
  return call.done(detail::reduced(losses, o.reduction, anchor));
}

}  // namespace ordo

#include <ordo/autograd/ops/multi_margin_loss.h>

#include <ordo/autograd/ops/arange.h>
#include <ordo/autograd/ops/cumsum.h>
#include <ordo/autograd/ops/gather.h>
#include <ordo/autograd/ops/index_select.h>
#include <ordo/autograd/ops/loss_call.h>
#include <ordo/autograd/ops/one_hot.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/scatter.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "multi_margin_loss", .family = "loss", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "multilabel_margin_loss", .family = "loss", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "multilabel_soft_margin_loss", .family = "loss", .dtypes = kFloatingTypes});

/// Scores, and class indices beside them.
static void expect_scores(const char* op, const Tensor& input, const Tensor& target) {
  detail::expect_loss_input(op, input, "input");
  detail::expect_defined(op, target, "target");
  detail::expect_same_device(op, input, target);
  detail::expect_index_dtype(op, target);
  ORDO_CHECK((input.dim() == 1 || input.dim() == 2) && input.size(-1) > 0, ShapeError, op,
             "input must have shape [N, C] or [C] with a class at least, but has {}", input.sizes());
}

/// Of each class whether it is the target's.
static Tensor own_class(const char* op, const Tensor& target, int64_t classes) {
  if (!target.is_cpu() || target.numel() == 0) return ne(one_hot(target, classes), 0);
  const int64_t least = amin(target).item<int64_t>(), greatest = amax(target).item<int64_t>();
  ORDO_CHECK(least >= 0 && greatest < classes, IndexError, op,
             "target must lie in [0, {}), but its elements reach from {} to {}", classes, least, greatest);
  return eq(target.unsqueeze(-1), arange(0, classes, 1, TensorOptions{target.dtype(), target.device()}));
}

Tensor multi_margin_loss(const Tensor& input, const Tensor& target, int64_t p, double margin, const Tensor& weight,
                         Reduction reduction) {
  if (detail::raises(input, weight))
    return multi_margin_loss(detail::raise(input), target, p, margin, detail::raise(weight), reduction);
  constexpr const char* op = "multi_margin_loss";
  const OpCall call("multi_margin_loss", input, target, p, margin, weight, reduction);
  expect_scores(op, input, target);
  detail::expect_same_device(op, input, weight);
  const int64_t classes = input.size(-1);
  const bool one = input.dim() == 1;
  ORDO_CHECK(one ? target.dim() == 0 : target.sizes() == Dims({input.size(0)}), ShapeError, op,
             "target must have shape {} for an input of shape {}, but has {}", one ? Dims() : Dims({input.size(0)}),
             input.sizes(), target.sizes());
  if (weight.defined()) {
    ORDO_CHECK(weight.dtype() == input.dtype(), DTypeError, op, "weight is {} but the input is {}", weight.dtype(),
               input.dtype());
    ORDO_CHECK(weight.sizes() == Dims({classes}), ShapeError, op,
               "weight must have shape [{}], one per class, but has {}", classes, weight.sizes());
  }
  ORDO_CHECK(p == 1 || p == 2, ValueError, op, "p must be 1 or 2, but is {}", p);
  detail::expect_reduction(op, reduction);
  const Tensor x = detail::computed(input, input), own = own_class(op, target, classes);
  // A sum of one element has its bits; its gradient adds nothing into shared places.
  const Tensor score = sum(where(own, x, 0), {-1}, true);
  Tensor over = masked_fill(relu(x - score + margin), own, 0);
  if (p == 2) over = square(over);
  Tensor losses = mean(over, {-1});
  if (weight.defined())
    losses = losses *
             index_select(detail::computed(weight.detach(), input), 0, target.reshape({-1})).reshape(target.sizes());
  return call.done(detail::reduced(losses, reduction, input));
}

Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  if (detail::raises(input)) return multilabel_margin_loss(detail::raise(input), target, reduction);
  constexpr const char* op = "multilabel_margin_loss";
  const OpCall call("multilabel_margin_loss", input, target, reduction);
  expect_scores(op, input, target);
  ORDO_CHECK(input.sizes() == target.sizes(), ShapeError, op,
             "input and target must have one shape, but have {} and {}", input.sizes(), target.sizes());
  detail::expect_reduction(op, reduction);
  const int64_t classes = input.size(-1);
  const Tensor x = detail::computed(input, input);
  const Tensor counts = eq(cumsum(lt(target, 0), -1), 0);  // those before the first negative one
  const Tensor at = where(counts, target, 0);
  const Tensor scores = gather(x, -1, at);
  // What does not count is written to a column of its own.
  Dims sizes = x.sizes();
  sizes[x.dim() - 1] = classes + 1;
  const Tensor named = scatter(zeros(sizes, {boolean, x.device()}), -1, where(counts, target, classes), true);
  const Tensor pairs = counts.unsqueeze(-1) & ~named.narrow(-1, 0, classes).unsqueeze(-2);
  const Tensor over = where(pairs, relu(1 - scores.unsqueeze(-1) + x.unsqueeze(-2)), 0);
  return call.done(detail::reduced(sum(over, {-2, -1}) / double(classes), reduction, input));
}

Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                                   Reduction reduction) {
  if (detail::raises(input, target, weight))
    return multilabel_soft_margin_loss(detail::raise(input), detail::raise(target), detail::raise(weight), reduction);
  constexpr const char* op = "multilabel_soft_margin_loss";
  const OpCall call("multilabel_soft_margin_loss", input, target, weight, reduction);
  detail::expect_loss_input(op, input, "input");
  detail::expect_labels(op, input, target);
  detail::expect_weight(op, input, weight, "weight");
  ORDO_CHECK(input.dim() > 0, ShapeError, op, "input must have a class dimension, but is 0-d");
  detail::expect_reduction(op, reduction);
  const Tensor x = detail::computed(input, input), t = detail::computed(target, input);
  const Tensor log_no = logsigmoid(neg(x)), no = (1 - t) * log_no;
  Tensor losses = neg(t * logsigmoid(x) + no);
  if (weight.defined()) losses = losses * detail::computed(weight, input);
  return call.done(detail::reduced(mean(losses, {-1}), reduction, input));
}

}  // namespace ordo

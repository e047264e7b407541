#include <algorithm>

#include <ordo/autograd/ops/functional/loss_call.h>
#include <ordo/autograd/ops/functional/losses.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/loss/ctc_loss.h>
#include <ordo/kernels/loss/losses.h>
#include <ordo/kernels/reduce/reduce.h>

namespace ordo {
namespace {

struct NllContext {
  Dims sizes;
  Saved target, weight;
  Tensor total_weight;
  int64_t ignore_index;
  Reduction reduction;
};

// The loss is linear in its input, so the gradient of its gradient is the loss again.
Tensor nll_loss_backward(const Tensor& grad, const NllContext& c) {
  const OpCall call("nll_loss_backward", grad, c.target.get(), c.weight.get(), c.ignore_index, c.reduction);
  return record(call,
                kernels::nll_loss_backward(grad, c.sizes, c.target.get(), c.weight.get(), c.ignore_index,
                                           kernels::LossReduction(c.reduction), c.total_weight),
                {grad}, [c](const Tensor& second) {
                  return nll_loss(second, c.target.get(), {c.weight.get(), c.ignore_index, c.reduction});
                });
}

}  // namespace

Tensor nll_loss(const Tensor& input, const Tensor& target, const ClassLossOptions& o) {
  ORDO_AUTOCAST(raise, nll_loss, input, target, o);
  const OpCall call("nll_loss", input, target, o.weight, o.ignore_index, o.reduction);
  auto [loss, total_weight] =
      kernels::nll_loss(input, target, o.weight, o.ignore_index, kernels::LossReduction(o.reduction));
  if (!recorded(input)) return call.done(std::move(loss));
  const NllContext context{input.sizes(), Saved(target), Saved(o.weight), total_weight, o.ignore_index, o.reduction};
  return record(call, loss, {input}, [context](const Tensor& grad) { return nll_loss_backward(grad, context); });
}

/// A weight for each class, of shape [1, C, 1, ...].
static Tensor along_classes(const Tensor& weight, const Tensor& logits, int class_dim) {
  Dims sizes = Dims::filled(logits.dim(), 1);
  sizes[class_dim] = weight.numel();
  return weight.reshape(sizes);
}

/// Undefined, or a weight for each class.
static void expect_class_weight(const char* op, const Tensor& weight, int64_t classes, DType dtype, const char* whose) {
  if (!weight.defined()) return;
  ORDO_CHECK(weight.dtype() == dtype, DTypeError, op, "weight is {} but the {} {}", weight.dtype(), whose, dtype);
  ORDO_CHECK(weight.sizes() == Dims({classes}), ShapeError, op,
             "weight must have shape [{}], one per class, but has {}", classes, weight.sizes());
}

/// The sum of -weight target log(p) over the classes.
static Tensor of_probabilities(const Tensor& logits, const Tensor& target, const CrossEntropyLossOptions& o,
                               int class_dim) {
  constexpr const char* kOp = "cross_entropy";
  const int64_t classes = logits.size(class_dim);
  detail::expect_like(kOp, logits, "logits", target, "target of probabilities");
  detail::expect_same_device(kOp, logits, o.weight);
  expect_class_weight(kOp, o.weight, classes, logits.dtype(), "logits are");
  ORDO_CHECK(o.ignore_index < 0, ValueError, kOp,
             "ignore_index = {} names a class, but the target holds probabilities of all of them", o.ignore_index);
  detail::expect_reduction(kOp, o.reduction);
  Tensor t = detail::computed(target, logits);
  if (o.label_smoothing > 0)
    t = t * (1 - o.label_smoothing) + o.label_smoothing / double(std::max<int64_t>(1, classes));
  if (o.weight.defined()) t = t * along_classes(detail::computed(o.weight, logits), logits, class_dim);
  const Tensor terms = log_softmax(detail::computed(logits, logits), class_dim) * t;
  return detail::reduced(neg(sum(terms, {class_dim})), o.reduction, logits);
}

Tensor cross_entropy(const Tensor& logits, const Tensor& target, const CrossEntropyLossOptions& o) {
  ORDO_AUTOCAST(raise, cross_entropy, logits, target, o);
  const OpCall call("cross_entropy", logits, target, o.weight, o.ignore_index, o.reduction, o.label_smoothing);
  detail::expect_defined("cross_entropy", logits, "logits", target, "target");
  detail::expect_floating("cross_entropy", logits);
  const bool probabilities = is_floating(target.dtype());
  if (!probabilities) detail::expect_index_dtype("cross_entropy", target);
  detail::expect_same_device("cross_entropy", logits, target);
  ORDO_CHECK(logits.dim() > 0, ShapeError, "cross_entropy", "logits must have a class dimension, but are 0-d");
  ORDO_CHECK(o.label_smoothing >= 0 && o.label_smoothing <= 1, ValueError, "cross_entropy",
             "label_smoothing must be in [0, 1], but is {}", o.label_smoothing);
  const int class_dim = logits.dim() == 1 ? 0 : 1;
  if (probabilities) return call.done(of_probabilities(logits, target, o, class_dim));
  const Tensor log_p = log_softmax(logits, class_dim);
  const Tensor loss = nll_loss(log_p, target, {o.weight, o.ignore_index, o.reduction});
  if (o.label_smoothing == 0) return call.done(std::move(loss));

  // The other part: the mean of -weight log p over all classes.
  const Tensor weighted = o.weight.defined() ? log_p * along_classes(o.weight, logits, class_dim) : log_p;
  Tensor smooth = neg(mean(weighted, {class_dim}));
  smooth = masked_fill(smooth, eq(target, Scalar(o.ignore_index)), 0);
  if (o.reduction != Reduction::none) smooth = sum(smooth);
  if (o.reduction == Reduction::mean)
    smooth = smooth / kernels::nll_loss(log_p.detach(), target, o.weight, o.ignore_index, kernels::LossReduction::sum)
                          .second.to(smooth.dtype());
  return call.done(loss * (1 - o.label_smoothing) + smooth * o.label_smoothing);
}

ORDO_REGISTER_OPS({"multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss"},
                  {.family = "loss", .dtypes = kFloatingTypes});

/// Scores, and class indices beside them.
static void expect_scores(const char* op, const Tensor& input, const Tensor& target) {
  detail::expect_floating(op, input, "input");
  detail::expect_defined(op, target, "target");
  detail::expect_same_device(op, input, target);
  detail::expect_index_dtype(op, target);
  ORDO_CHECK((input.dim() == 1 || input.dim() == 2) && input.size(-1) > 0, ShapeError, op,
             "input must have shape [N, C] or [C] with a class at least, but has {}", input.sizes());
}

/// Of each class whether it is the target's.
static Tensor own_class(const char* op, const Tensor& target, int64_t classes) {
  const auto range = kernels::known_range(target);
  ORDO_CHECK(!range || (range->first >= 0 && range->second < double(classes)), IndexError, op,
             "target must lie in [0, {}), but its elements reach from {} to {}", classes,
             Scalar(range->first).to_int64(), Scalar(range->second).to_int64());
  return ne(one_hot(target, classes), 0);
}

Tensor multi_margin_loss(const Tensor& input, const Tensor& target, const MultiMarginLossOptions& o) {
  ORDO_AUTOCAST(raise, multi_margin_loss, input, target, o);
  const OpCall call("multi_margin_loss", input, target, o.p, o.margin, o.weight, o.reduction);
  const char* const op = call.name();
  expect_scores(op, input, target);
  detail::expect_same_device(op, input, o.weight);
  const int64_t classes = input.size(-1);
  const bool one = input.dim() == 1;
  ORDO_CHECK(one ? target.dim() == 0 : target.sizes() == Dims({input.size(0)}), ShapeError, op,
             "target must have shape {} for an input of shape {}, but has {}", one ? Dims() : Dims({input.size(0)}),
             input.sizes(), target.sizes());
  expect_class_weight(op, o.weight, classes, input.dtype(), "input is");
  ORDO_CHECK(o.p == 1 || o.p == 2, ValueError, op, "p must be 1 or 2, but is {}", o.p);
  detail::expect_reduction(op, o.reduction);
  const Tensor x = detail::computed(input, input), own = own_class(op, target, classes);
  // A sum of one element has its bits; its gradient adds nothing into shared places.
  const Tensor score = sum(where(own, x, 0), {-1}, true);
  Tensor over = masked_fill(relu(x - score + o.margin), own, 0);
  if (o.p == 2) over = square(over);
  Tensor losses = mean(over, {-1});
  if (o.weight.defined())
    losses = losses *
             index_select(detail::computed(o.weight.detach(), input), 0, target.reshape({-1})).reshape(target.sizes());
  return call.done(detail::reduced(losses, o.reduction, input));
}

Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  ORDO_AUTOCAST_CALL(raise, multilabel_margin_loss, input, target, reduction);
  const char* const op = call.name();
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

Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target, const BCELossOptions& o) {
  ORDO_AUTOCAST(raise, multilabel_soft_margin_loss, input, target, o);
  const OpCall call("multilabel_soft_margin_loss", input, target, o.weight, o.reduction);
  const char* const op = call.name();
  detail::expect_floating(op, input, "input");
  detail::expect_labels(op, input, target);
  detail::expect_weight(op, input, o.weight, "weight");
  ORDO_CHECK(input.dim() > 0, ShapeError, op, "input must have a class dimension, but is 0-d");
  detail::expect_reduction(op, o.reduction);
  const Tensor x = detail::computed(input, input), t = detail::computed(target, input);
  const Tensor log_no = logsigmoid(neg(x)), no = (1 - t) * log_no;
  Tensor losses = neg(t * logsigmoid(x) + no);
  if (o.weight.defined()) losses = losses * detail::computed(o.weight, input);
  return call.done(detail::reduced(mean(losses, {-1}), o.reduction, input));
}

using Lengths = std::vector<int64_t>;

static Tensor gradient_of(const Tensor& grad, const Tensor& log_probs, const kernels::CtcPlan& plan,
                          bool zero_infinity) {
  const OpCall call("ctc_loss_backward", grad, log_probs, plan.states, zero_infinity);
  return record(call, kernels::ctc_loss_backward(grad, log_probs, plan, zero_infinity), {grad, log_probs},
                [](const Tensor&) -> TensorList {
                  detail::fail<AutogradError>("ctc_loss", "the gradient cannot be differentiated again");
                });
}

/// Of log_probs [T, N, C], in the dtype that they are computed in.
static Tensor item_losses(const Tensor& log_probs, const Tensor& targets, const Lengths& input_lengths,
                          const Lengths& target_lengths, int64_t blank, bool zero_infinity) {
  const OpCall call("ctc_loss", log_probs, targets, input_lengths, target_lengths, blank, int64_t(Reduction::none),
                    zero_infinity);
  const bool keep = recorded(log_probs);
  auto [losses, plan] =
      kernels::ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity, keep);
  if (!keep) return call.done(std::move(losses));
  return record(call, std::move(losses), {log_probs},
                [x = Saved(log_probs), plan = plan, zero_infinity](const Tensor& grad) {
                  return gradient_of(grad, x.get(), plan, zero_infinity);
                });
}

static Tensor reduced(const Tensor& log_probs, const Tensor& targets, const Lengths& input_lengths,
                      const Lengths& target_lengths, const CTCLossOptions& o) {
  detail::expect_reduction("ctc_loss", o.reduction);
  const bool one = log_probs.defined() && log_probs.dim() == 2;
  Tensor losses = item_losses(one ? log_probs.unsqueeze(1) : log_probs, targets, input_lengths, target_lengths, o.blank,
                              o.zero_infinity);
  if (o.reduction == Reduction::mean) {
    std::vector<double> divisors;
    for (const int64_t length : target_lengths) divisors.push_back(double(std::max<int64_t>(length, 1)));
    losses = mean(losses / from_vector(divisors, losses.sizes()).to(losses.device(), losses.dtype()));
  } else if (o.reduction == Reduction::sum) {
    losses = sum(losses);
  } else if (one) {
    losses = losses.view(Dims());
  }
  return losses.to(log_probs.dtype());
}

static Lengths numbers(const Tensor& lengths, const char* argument) {
  detail::expect_defined("ctc_loss", lengths, argument);
  detail::expect_index_dtype("ctc_loss", lengths);
  ORDO_CHECK(lengths.dim() <= 1, ShapeError, "ctc_loss", "{} must have one dimension, but have shape {}", argument,
             lengths.sizes());
  return lengths.to_vector<int64_t>();
}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Lengths& input_lengths,
                const Lengths& target_lengths, const CTCLossOptions& o) {
  ORDO_AUTOCAST(raise, ctc_loss, log_probs, targets, input_lengths, target_lengths, o);
  const OpCall call("ctc_loss", log_probs, targets, input_lengths, target_lengths, o.blank, o.reduction,
                    o.zero_infinity);
  return call.done(reduced(log_probs, targets, input_lengths, target_lengths, o));
}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, const CTCLossOptions& o) {
  ORDO_AUTOCAST(raise, ctc_loss, log_probs, targets, input_lengths, target_lengths, o);
  const OpCall call("ctc_loss", log_probs, targets, input_lengths, target_lengths, o.blank, o.reduction,
                    o.zero_infinity);
  return call.done(reduced(log_probs, targets, numbers(input_lengths, "input_lengths"),
                           numbers(target_lengths, "target_lengths"), o));
}

}  // namespace ordo

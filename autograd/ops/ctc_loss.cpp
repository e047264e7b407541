#include <ordo/autograd/ops/ctc_loss.h>

#include <algorithm>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/loss/ctc_loss.h>

namespace ordo {
namespace {

constexpr const char* kOp = "ctc_loss";
using Lengths = std::vector<int64_t>;

Tensor gradient_of(const Tensor& grad, const Tensor& log_probs, const kernels::CtcPlan& plan, bool zero_infinity) {
  const OpCall call("ctc_loss_backward", grad, log_probs, plan.states, zero_infinity);
  return record(call, kernels::ctc_loss_backward(grad, log_probs, plan, zero_infinity), {grad, log_probs},
                [](const Tensor&) -> TensorList {
                  detail::fail<AutogradError>(kOp, "the gradient cannot be differentiated again");
                });
}

/// Of log_probs [T, N, C], in the dtype that they are computed in.
Tensor item_losses(const Tensor& log_probs, const Tensor& targets, const Lengths& input_lengths,
                   const Lengths& target_lengths, int64_t blank, bool zero_infinity) {
  const OpCall call(kOp, log_probs, targets, input_lengths, target_lengths, blank, int64_t(Reduction::none),
                    zero_infinity);
  const bool keep = grad_enabled() && log_probs.defined() && log_probs.requires_grad();
  auto [losses, plan] =
      kernels::ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity, keep);
  if (!keep) return call.done(std::move(losses));
  return record(call, std::move(losses), {log_probs},
                [x = Saved(log_probs), plan = plan, zero_infinity](const Tensor& grad) -> TensorList {
                  return {gradient_of(grad, x.get(), plan, zero_infinity)};
                });
}

Tensor reduced(const Tensor& log_probs, const Tensor& targets, const Lengths& input_lengths,
               const Lengths& target_lengths, int64_t blank, Reduction reduction, bool zero_infinity) {
  ORDO_CHECK(reduction <= Reduction::sum, ValueError, kOp, "number {} is not a reduction: there are none, mean and sum",
             int(reduction));
  const bool one = log_probs.defined() && log_probs.dim() == 2;
  Tensor losses = item_losses(one ? log_probs.unsqueeze(1) : log_probs, targets, input_lengths, target_lengths, blank,
                              zero_infinity);
  if (reduction == Reduction::mean) {
    std::vector<double> divisors;
    for (const int64_t length : target_lengths) divisors.push_back(double(std::max<int64_t>(length, 1)));
    losses = mean(losses / from_vector(divisors, losses.sizes()).to(losses.device(), losses.dtype()));
  } else if (reduction == Reduction::sum) {
    losses = sum(losses);
  } else if (one) {
    losses = losses.view(Dims());
  }
  return losses.to(log_probs.dtype());
}

Lengths numbers(const Tensor& lengths, const char* argument) {
  detail::expect_defined(kOp, lengths, argument);
  detail::expect_index_dtype(kOp, lengths);
  ORDO_CHECK(lengths.dim() <= 1, ShapeError, kOp, "{} must have one dimension, but have shape {}", argument,
             lengths.sizes());
  return lengths.to_vector<int64_t>();
}

}  // namespace

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Lengths& input_lengths,
                const Lengths& target_lengths, int64_t blank, Reduction reduction, bool zero_infinity) {
  if (detail::raises(log_probs))
    return ctc_loss(detail::raise(log_probs), targets, input_lengths, target_lengths, blank, reduction, zero_infinity);
  const OpCall call(kOp, log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity);
  return call.done(reduced(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity));
}

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank, Reduction reduction, bool zero_infinity) {
  if (detail::raises(log_probs))
    return ctc_loss(detail::raise(log_probs), targets, input_lengths, target_lengths, blank, reduction, zero_infinity);
  const OpCall call(kOp, log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity);
  return call.done(reduced(log_probs, targets, numbers(input_lengths, "input_lengths"),
                           numbers(target_lengths, "target_lengths"), blank, reduction, zero_infinity));
}

}  // namespace ordo

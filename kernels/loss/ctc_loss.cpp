#include <ordo/kernels/loss/ctc_loss.h>

#include <algorithm>
#include <limits>

#include <ordo/engine/calls/checked.h>
#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OP({.name = "ctc_loss", .family = "loss", .dtypes = kFloatingTypes});

constexpr const char* kOp = "ctc_loss";

void check_arguments(const Tensor& log_probs, const Tensor& targets, const std::vector<int64_t>& input_lengths,
                     const std::vector<int64_t>& target_lengths, int64_t blank) {
  ordo::detail::expect_defined(kOp, log_probs, "log_probs");
  ordo::detail::expect_defined(kOp, targets, "targets");
  ordo::detail::expect_same_device(kOp, log_probs, targets);
  ordo::detail::expect_floating(kOp, log_probs);
  ordo::detail::expect_index_dtype(kOp, targets);
  ORDO_CHECK(log_probs.dim() == 3, ShapeError, kOp, "log_probs must have shape [T, N, C] or [T, C], but has {}",
             log_probs.sizes());
  ORDO_CHECK(targets.dim() == 1 || targets.dim() == 2, ShapeError, kOp,
             "targets must have shape [N, S], or one dimension with the labels of all items, but have {}",
             targets.sizes());
  const int64_t steps = log_probs.size(0), batch = log_probs.size(1), classes = log_probs.size(2);
  ORDO_CHECK(int64_t(input_lengths.size()) == batch && int64_t(target_lengths.size()) == batch, ShapeError, kOp,
             "there are {} items, but {} input_lengths and {} target_lengths", batch, input_lengths.size(),
             target_lengths.size());
  ORDO_CHECK(targets.dim() == 1 || targets.size(0) == batch, ShapeError, kOp,
             "targets of {} items must have as many rows, but have shape {}", batch, targets.sizes());
  const int64_t most = targets.size(-1);
  int64_t labels = 0;
  for (int64_t n = 0; n < batch; ++n) {
    const int64_t input = input_lengths[size_t(n)], target = target_lengths[size_t(n)];
    ORDO_CHECK(input >= 0 && target >= 0, ValueError, kOp,
               "lengths must not be negative, but those of item {} are {} and {}", n, input, target);
    ORDO_CHECK(input <= steps, ShapeError, kOp, "input_lengths[{}] = {} is more than the {} steps of log_probs", n,
               input, steps);
    ORDO_CHECK(target <= most, ShapeError, kOp, "target_lengths[{}] = {} is more than the {} labels of targets {}", n,
               target, most, targets.sizes());
    labels = checked::add(kOp, labels, target);
  }
  ORDO_CHECK(targets.dim() == 2 || labels == most, ShapeError, kOp,
             "targets have {} labels, but target_lengths add up to {}", most, labels);
  ORDO_CHECK(blank >= 0 && blank < classes, ValueError, kOp, "blank = {} must be one of {} classes", blank, classes);
}

/// In one tensor, which takes one copy to the device.
Tensor lengths_of(const Tensor& targets, const std::vector<int64_t>& input_lengths,
                  const std::vector<int64_t>& target_lengths) {
  const int64_t batch = int64_t(input_lengths.size());
  std::vector<int64_t> all = input_lengths;
  all.insert(all.end(), target_lengths.begin(), target_lengths.end());
  int64_t at = 0;
  for (int64_t n = 0; n < batch; ++n) {
    all.push_back(targets.dim() == 2 ? n * targets.size(1) : at);
    at += target_lengths[size_t(n)];
  }
  const Tensor lengths = ordo::detail::result({3, batch}, DType::int64, targets.device());
  ordo::detail::copy_bytes(lengths.data(), lengths.device(), all.data(), Device(), all.size() * sizeof(int64_t));
  return lengths;
}

}  // namespace

CtcLosses ctc_loss(const Tensor& log_probs, const Tensor& targets, const std::vector<int64_t>& input_lengths,
                   const std::vector<int64_t>& target_lengths, int64_t blank, bool zero_infinity, bool keep) {
  const ordo::detail::OperationName name("ctc_loss");
  check_arguments(log_probs, targets, input_lengths, target_lengths, blank);
  const Device device = log_probs.device();
  const DType dtype = log_probs.dtype() == float64 ? float64 : float32;
  const int64_t steps = log_probs.size(0), batch = log_probs.size(1);
  int64_t most = 0;
  for (int64_t labels : target_lengths) most = std::max(most, labels);
  const int64_t width = checked::add(kOp, checked::mul(kOp, most, 2), 5);  // two places on either side of all states
  CtcLosses out;
  out.losses = ordo::detail::result({batch}, dtype, device);
  out.plan = {lengths_of(targets, input_lengths, target_lengths),
              ordo::detail::result({batch, width}, DType::int64, device),
              full({batch, keep ? steps + 1 : 2, width}, -std::numeric_limits<double>::infinity(), dtype, device),
              ordo::detail::result({batch}, dtype, device)};
  ORDO_ON_DEVICE(device, ctc_loss, contiguous(log_probs), contiguous(targets), blank, out.plan, out.losses,
                 zero_infinity);
  return out;
}

Tensor ctc_loss_backward(const Tensor& grad, const Tensor& log_probs, const CtcPlan& plan, bool zero_infinity) {
  const ordo::detail::OperationName name("ctc_loss");
  const Tensor out = full(log_probs.sizes(), 0, log_probs.dtype(), log_probs.device());
  ORDO_ON_DEVICE(grad.device(), ctc_loss_backward, contiguous(grad), contiguous(log_probs), plan, zero_infinity, out);
  return out;
}

}  // namespace ordo::kernels

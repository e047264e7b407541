// Connectionist temporal classification: kernels without autograd.
#pragma once

#include <vector>

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// What is left of a batch's log-probabilities [steps, batch, classes]. The states of an item are a blank, its first
/// label, a blank, ..., its last label, a blank. `width` is as many as the longest target has, and two more places on
/// either side.
struct CtcPlan {
  Tensor lengths;  ///< int64 [3, batch]: steps, labels, and where in targets these begin
  Tensor states;   ///< int64 [batch, width]: the class of each state, -1 where there is none
  Tensor alpha;    ///< accumulation dtype [batch, kept steps, width]: log-probability of all ways to a state
  Tensor losses;   ///< accumulation dtype [batch]: infinite where a target is impossible
};

struct CtcLosses {
  Tensor losses;  ///< accumulation dtype [batch]: of `plan`, with 0 for infinity where that was asked for
  CtcPlan plan;
};

/// log_probs [T, N, C]; targets [N, S], or those of all items one after the other. `keep`: all of alpha, for the
/// gradient.
CtcLosses ctc_loss(const Tensor& log_probs, const Tensor& targets, const std::vector<int64_t>& input_lengths,
                   const std::vector<int64_t>& target_lengths, int64_t blank, bool zero_infinity, bool keep);
/// The gradient of log_probs; grad: that of the losses.
Tensor ctc_loss_backward(const Tensor& grad, const Tensor& log_probs, const CtcPlan& plan, bool zero_infinity);

// Contiguous tensors.
ORDO_DEVICES(void, ctc_loss, const Tensor& log_probs, const Tensor& targets, int64_t blank, const CtcPlan& plan,
             const Tensor& losses, bool zero_infinity)
ORDO_DEVICES(void, ctc_loss_backward, const Tensor& grad, const Tensor& log_probs, const CtcPlan& plan,
             bool zero_infinity, const Tensor& out)

}  // namespace ordo::kernels

// Connectionist temporal classification.
#pragma once

#include <vector>

#include <ordo/autograd/ops/reduction.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// -log of the probability of a target, over all ways to align it with the steps of a sequence: paths of one class per
/// step that become the target when repetitions are merged and blanks dropped. mean divides each loss by its target's
/// length (1 for an empty target) and averages over the items.
/// log_probs: [T, N, C], or [T, C] of one item; floating: logarithms of probabilities, as log_softmax gives. targets:
/// int64 or int32, [N, S], or the labels of all items one after the other in one dimension. input_lengths and
/// target_lengths: one number for each item, at most T and S; as tensors they are read on the host. What lies past an
/// item's lengths is never looked at. Labels lie in [0, C), else IndexError; they may be `blank`, which is a class too
/// (ValueError). ShapeError, DTypeError, DeviceError for what does not fit; ValueError for negative lengths.
/// A target that no path gives, such as one longer than its input, has an infinite loss, and NaN in its gradient at
/// every step; with zero_infinity both are 0. Half types are computed in float32.
///
/// Gradient: the derivative in log_probs. PyTorch's has exp(log_probs) added to it, the derivative that log_softmax
/// would take off again: in what log_probs are a log_softmax of, both give the same gradient. It cannot be
/// differentiated again (AutogradError).
/// Determinism: the same bits everywhere; rule 11 of docs/ordering.md. As torch.nn.functional.ctc_loss.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const std::vector<int64_t>& input_lengths,
                const std::vector<int64_t>& target_lengths, int64_t blank = 0, Reduction reduction = Reduction::mean,
                bool zero_infinity = false);
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank = 0, Reduction reduction = Reduction::mean,
                bool zero_infinity = false);

}  // namespace ordo

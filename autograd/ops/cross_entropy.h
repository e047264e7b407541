// Cross entropy between logits and classes, or their probabilities.
#pragma once

#include <ordo/autograd/ops/reduction.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// nll_loss(log_softmax(logits)) over the class dimension: the first of [C], the second otherwise. Arguments and errors
/// as nll_loss. label_smoothing e in [0, 1] (ValueError) mixes (1 - e) of that with e of the mean over all classes.
///
/// A floating target of the logits' shape and dtype (ShapeError, DTypeError) holds a probability t for each class: the
/// sum of -weight t log_softmax(logits) over the class dimension, where smoothing mixes (1 - e) t with e / C; mean
/// divides by the number of samples, whatever the weights. ignore_index has no meaning then (ValueError when it is not
/// negative); half types are computed in float, and the target has a gradient, too.
///
/// Sums follow rule 2 of docs/ordering.md: the same bits everywhere. As torch.nn.functional.cross_entropy.
Tensor cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& weight = {}, int64_t ignore_index = -100,
                     Reduction reduction = Reduction::mean, double label_smoothing = 0);

}  // namespace ordo

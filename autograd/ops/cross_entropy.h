// Cross entropy between logits and classes.
#pragma once

#include <ordo/autograd/ops/reduction.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// nll_loss(log_softmax(logits)) over the class dimension: the first of [C], the second otherwise. Arguments and errors
/// as nll_loss. label_smoothing e in [0, 1] (ValueError) mixes (1 - e) of that with e of the mean over all classes.
/// As torch.nn.functional.cross_entropy with class indices.
Tensor cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& weight = {}, int64_t ignore_index = -100,
                     Reduction reduction = Reduction::mean, double label_smoothing = 0);

}  // namespace ordo

// Softmax and its logarithm.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// exp(x - m) / sum(exp(x - m)) along `dim`, m being the maximum there. Floating dtypes (DTypeError); IndexError for a
/// dimension out of range. Sums follow rule 2 of docs/ordering.md and exp is Ordo's own: the same bits everywhere.
/// As torch.softmax.
Tensor softmax(const Tensor& input, int64_t dim);
/// x - m - log(sum(exp(x - m))). As torch.log_softmax.
Tensor log_softmax(const Tensor& input, int64_t dim);

}  // namespace ordo

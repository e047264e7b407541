// Counting values.
#pragma once

#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// out[v] = how many elements of input equal v, or the sum of their weights. As torch.bincount.
///
/// input: 1-d, uint8, int32 or int64, not negative (ValueError). weights: the same sizes (ShapeError), or undefined.
/// The result has max(largest value + 1, minlength) elements, minlength >= 0 (ValueError); int64 without weights,
/// float32 for float32 weights, float64 for all others. An empty input gives minlength zeros. The size of the result
/// depends on the values, so on CUDA the call waits for the device.
///
/// Determinism: with weights as index_add: `atomic` at not_guaranteed; at the other levels `exact` (the true sum,
/// rounded once) for float32 unless the result is longer than input, else `sorted` (ordering rule 1). Counts are the
/// same either way. Gradient: of weights, the gradient at input.
Tensor bincount(const Tensor& input, const Tensor& weights = {}, int64_t minlength = 0,
                Algorithm algorithm = Algorithm::automatic);

}  // namespace ordo

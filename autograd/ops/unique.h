// The different values of a tensor.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

struct UniqueResult {
  Tensor output;   ///< 1-d
  Tensor inverse;  ///< int64, input's sizes: input is output[inverse]; undefined unless asked for
  Tensor counts;   ///< int64, output's sizes: how often each value stands there; undefined unless asked for
};

/// The different values of all elements, ascending. As torch.unique, without `dim`.
///
/// All dtypes. Zeros of both signs are equal, and the first one of input stays; no NaN equals another. The size of the
/// result depends on the values, so on CUDA the call waits for the device. The same everywhere. No gradient.
UniqueResult unique(const Tensor& input, bool return_inverse = false, bool return_counts = false);
/// The first of each run of equal elements, in row-major order. As torch.unique_consecutive, without `dim`.
UniqueResult unique_consecutive(const Tensor& input, bool return_inverse = false, bool return_counts = false);

}  // namespace ordo

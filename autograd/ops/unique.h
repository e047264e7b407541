// The different values of a tensor.
#pragma once

#include <optional>

#include <ordo/engine/tensor.h>

namespace ordo {

struct UniqueResult {
  Tensor output;   ///< 1-d; with `dim`, input with fewer slices along it
  Tensor inverse;  ///< int64: input is output[inverse]; input's sizes, with `dim` 1-d; undefined unless asked for
  Tensor counts;   ///< int64, 1-d: how often each value or slice stands there; undefined unless asked for
};

/// The different values of all elements, ascending; with `dim`, the different slices along it, in the order of their
/// first different elements (ShapeError where slices have no elements). As torch.unique.
///
/// All dtypes. Zeros of both signs are equal, and the first one of input stays; no NaN equals another. The size of the
/// result depends on the values, so on CUDA the call waits for the device. The same everywhere. No gradient.
UniqueResult unique(const Tensor& input, bool return_inverse = false, bool return_counts = false,
                    std::optional<int64_t> dim = {});
/// The first of each run of equal elements, in row-major order; with `dim`, of equal slices along it. As
/// torch.unique_consecutive.
UniqueResult unique_consecutive(const Tensor& input, bool return_inverse = false, bool return_counts = false,
                                std::optional<int64_t> dim = {});

}  // namespace ordo

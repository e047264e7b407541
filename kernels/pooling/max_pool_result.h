#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// Maxima, and where they lie: flat positions w, h W + w or (d H + h) W + w in their line [W], plane [H, W] or volume
/// [D, H, W], int64.
struct MaxPoolResult {
  Tensor values;
  Tensor indices;
};

}  // namespace ordo

// Normalisation across neighbouring channels.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// x / (k + alpha a)^beta, where a is the sum of the squares of `size` neighbouring channels, divided by size: of
/// channel c those from c - size / 2 (rounded down) on, as far as there are. input: [N, C, ...] of three dimensions or
/// more (ShapeError), floating (DTypeError). ValueError for a size below 1. Half types are computed in float32 and
/// rounded once.
///
/// Determinism: as avg_pool2d, of which it is made: the backward pass adds in the order threads arrive at
/// not_guaranteed only. As torch.nn.functional.local_response_norm.
Tensor local_response_norm(const Tensor& input, int64_t size, double alpha = 1e-4, double beta = 0.75, double k = 1);

}  // namespace ordo

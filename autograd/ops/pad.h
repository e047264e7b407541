// Padding of a tensor's last dimensions.
#pragma once

#include <vector>

#include <ordo/engine/tensor.h>
#include <ordo/kernels/resampling/pad_mode.h>

namespace ordo {

/// The input with cells added before and behind its last dimensions: `padding` is {left, right} of the last dimension,
/// or {left, right, top, bottom}, and so on, two numbers for each dimension from the last on. Negative ones take cells
/// away.
/// PadMode::constant: the new cells hold `value`; any number of dimensions.
/// reflect: cell -i is cell i, and cell n - 1 + i is cell n - 1 - i; padding below the size n.
/// replicate: they hold the nearest cell. circular: cell -i is cell n - i; padding up to n.
/// These three pad the last 1, 2 or 3 dimensions of [N, C, spatial...] or [C, spatial...] (ShapeError).
/// Any dtype. Errors: ShapeError, ValueError. Always a copy.
///
/// Determinism: the same bits at every level and on every device. Gradient: that of a cell is the sum of those of the
/// cells that show it, by rule 1 of docs/ordering.md in their row-major order, added to zero. As
/// torch.nn.functional.pad.
Tensor pad(const Tensor& input, const std::vector<int64_t>& padding, PadMode mode = PadMode::constant,
           Scalar value = 0);

}  // namespace ordo

// Tensors side by side with themselves.
#pragma once

#include <optional>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// A copy that holds input repeats[d] times along each dimension d.
///
/// Shapes: repeats may name more dimensions than input has, which come first; sizes are multiplied.
/// Dtypes: any.
/// Throws: ShapeError when there are fewer repeats than dimensions; ValueError when one is negative.
/// Determinism: the same bits on every device at every level.
/// Gradient: those of the repetitions, added as sum adds.
/// PyTorch: Tensor.repeat.
Tensor repeat(const Tensor& input, const Dims& repeats);
/// repeat, whose repeats are those of the last dimensions where they are fewer than input has.
///
/// Shapes: as repeat.
/// Dtypes: any.
/// Throws: ValueError when a repeat is negative.
/// Determinism, Gradient: as repeat.
/// PyTorch: torch.tile.
Tensor tile(const Tensor& input, const Dims& repeats);

/// Every slice along `dim` `repeats` times, one after the other; without `dim`, every element of the flattened input.
///
/// Shapes: input's, repeats times as many along `dim`; 1-d without `dim`.
/// Dtypes: any.
/// Throws: ValueError when repeats is negative; IndexError when there is no dimension `dim`.
/// Determinism: the same bits on every device at every level; with a number for each slice, the gradient as index_add.
/// Gradient: the sum over the repetitions.
/// PyTorch: torch.repeat_interleave.
Tensor repeat_interleave(const Tensor& input, int64_t repeats, std::optional<int64_t> dim = {});
/// A number for each slice: int32 or int64, 1-d of as many as there are slices, or of one for all (ShapeError); none
/// negative (ValueError). It waits for the device.
Tensor repeat_interleave(const Tensor& input, const Tensor& repeats, std::optional<int64_t> dim = {});
/// The index of such a repetition: 0 repeats[0] times, 1 repeats[1] times, ...; int64, 1-d.
Tensor repeat_interleave(const Tensor& repeats);

}  // namespace ordo

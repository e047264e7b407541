// Tensors side by side with themselves.
#pragma once

#include <optional>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// A copy that holds t repeats[d] times along each dimension d; repeats may name more dimensions than t has, which come
/// first. Any dtype; differentiable: gradients of repetitions are added as sum adds them. ShapeError for fewer repeats
/// than dimensions, ValueError for a negative one. As torch.Tensor.repeat.
Tensor repeat(const Tensor& t, const Dims& repeats);
/// The same; where repeats are fewer than dimensions they are those of the last. As torch.tile.
Tensor tile(const Tensor& t, const Dims& repeats);

/// Every slice along `dim` `repeats` times, one after the other; without `dim`, every element of the flattened input.
/// Any dtype. ValueError for a negative number. The gradient is the sum over the repetitions. As
/// torch.repeat_interleave.
Tensor repeat_interleave(const Tensor& input, int64_t repeats, std::optional<int64_t> dim = {});
/// The same with a number for each slice: int32 or int64, 1-d of as many as there are slices, or of one for all
/// (ShapeError); none negative (ValueError). Waits for the device, which sends them to the host. The gradient adds as
/// index_add does.
Tensor repeat_interleave(const Tensor& input, const Tensor& repeats, std::optional<int64_t> dim = {});
/// The index of such a repetition: 0 repeats[0] times, 1 repeats[1] times, ...; int64, 1-d.
Tensor repeat_interleave(const Tensor& repeats);

}  // namespace ordo

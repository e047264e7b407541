// Elements in another order along dimensions. Copies; any dtype; differentiable.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// The elements in reverse order along `dims`. IndexError for a dimension out of range, ValueError for one named twice.
/// As torch.flip.
Tensor flip(const Tensor& t, const Dims& dims);
/// Element i along dims[k] moves to i + shifts[k], and round the end. Without dims: of the flattened tensor, by one
/// shift. ValueError unless there are as many shifts as dims. As torch.roll.
Tensor roll(const Tensor& t, const Dims& shifts, const Dims& dims = {});
/// Matrices turned k times by a right angle, from dims[0] towards dims[1]. ValueError unless dims names two dimensions.
/// As torch.rot90.
Tensor rot90(const Tensor& t, int64_t k = 1, const Dims& dims = {0, 1});

}  // namespace ordo

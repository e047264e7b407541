// Elements by a mask, and the places of those that are not zero.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// The coordinates of the elements that are not zero (a NaN is not), in row-major order: int64, [elements, dimensions].
/// Any dtype. Waits for the device, to know how many there are. As torch.nonzero.
Tensor nonzero(const Tensor& input);

/// The elements of input where the bool mask is true, 1-d, in row-major order. input and mask broadcast together
/// (ShapeError); DTypeError unless the mask is bool. Waits for the device. As torch.masked_select.
Tensor masked_select(const Tensor& input, const Tensor& mask);

/// A copy of input in which the elements where the bool mask is true have become the elements of source, one after the
/// other in row-major order. input and mask broadcast together; source has as many elements or more (ShapeError), in
/// any shape, and input's dtype (DTypeError). Waits for the device. As torch.masked_scatter; in place:
/// Tensor::masked_scatter_, which the mask must fit.
/// Gradients: of input, the gradient with 0 where the mask is true; of source, the gradient there, 0 for elements that
/// were not needed.
Tensor masked_scatter(const Tensor& input, const Tensor& mask, const Tensor& source);

}  // namespace ordo

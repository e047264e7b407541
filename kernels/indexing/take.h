// Elements by their places in the flattened tensor, where index tensors point, and the places of elements that are not
// zero: without autograd.
#pragma once

#include <ordo/engine/calls/index_check.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// The elements of input, flattened, at index, which may count from the end; of index's shape.
Tensor take(const Tensor& input, const Tensor& index);
/// self's elements there become those of source, of several for one place the last one; with `accumulate` they add up.
void put_(const char* op, const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate);
/// The other way round: moves self's elements there, which become 0, to a result of index's shape, as in scatter.h.
/// self is contiguous, and the index has been checked before.
Tensor take_out_(const char* op, const Tensor& self, const Tensor& index);

/// Where the flattened tensor is not zero: int64, ascending. Waits for the device.
Tensor nonzero_places(const char* op, const Tensor& t);
/// The coordinates of nonzero_places(), [places, dimensions].
Tensor nonzero(const Tensor& t);
/// The coordinates of places in a tensor of these sizes, [places, dimensions].
Tensor coordinates(const Tensor& places, const Dims& sizes);
/// The coordinates of the mask's true elements in row-major order, an int64 tensor for each of its dimensions (at least
/// one), where the mask is. Waits for the device.
TensorList mask_coordinates(const Tensor& mask);

/// The dimensions that k index tensors stand for, seen as one. Item i, in row-major order of the shape that the tensors
/// broadcast to, which is the result's, points at place
///   linear[i] = (... (index_0[i] * size_1 + index_1[i]) * size_2 + ...) + index_{k-1}[i].
/// sizes[j] is the size of dimension dims[j], for which index j stands; negative entries count from its end. IndexError
/// names `op`. On CUDA an index out of range, reported at the next synchronising call, points at -1.
Tensor linear_index(const char* op, const TensorList& indices, const Dims& dims, const Dims& sizes);

ORDO_DEVICES(Tensor, true_places, const Tensor& mask)
// Of contiguous tensors.
ORDO_DEVICES(void, coordinates, const Tensor& places, const Dims& sizes, const Tensor& out)
ORDO_DEVICES(void, wrap_index, const Tensor& index, const Tensor& out, int64_t size, const IndexGuard& guard)
ORDO_DEVICES(void, take, const Tensor& input, const Tensor& index, const Tensor& out)
ORDO_DEVICES(void, combine_indices, const Tensor& linear, const Tensor& next, int64_t size)

}  // namespace ordo::kernels

// Whether tensors are equal, or nearly.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// bool, element by element: a == b, or |a - b| is finite and at most atol + |rtol b|; with equal_nan also where both
/// are NaN. Sizes broadcast; one dtype (DTypeError), integers being compared as float32. ValueError for negative or NaN
/// tolerances. As torch.isclose.
Tensor isclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
/// Whether isclose holds for all elements. Waits for the device.
bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
/// Whether both have one shape and equal elements, of promoted dtypes; NaN equals nothing. DeviceError unless both are
/// on one device. Waits for it. As torch.equal.
bool equal(const Tensor& a, const Tensor& b);

}  // namespace ordo

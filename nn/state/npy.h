// Arrays in NumPy's .npy files (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#pragma once

#include <string>

#include <ordo/engine/tensor.h>

namespace ordo {

/// Writes a tensor of any strides and device, in C order, the bytes that numpy.save writes. The file is there whole or
/// not at all. DTypeError for bfloat16, which NumPy does not have; DataError when the file cannot be written.
void save_npy(const std::string& path, const Tensor& tensor);

/// Reads versions 1 to 3 of the format, C and Fortran order, little-endian bool, uint8, int32, int64, float16, float32
/// and float64. DataError says where the file is broken, or names another dtype. Pickled objects are refused.
Tensor load_npy(const std::string& path);

}  // namespace ordo

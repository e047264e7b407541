// A fingerprint of values: equal exactly when all bits are.
#pragma once

#include <string>
#include <string_view>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// SHA-256 (FIPS 180-4) of the tensors' elements in row-major order, one tensor after another, as 64 hexadecimal
/// digits. Any device, dtype and strides; sizes and dtypes are not part of it.
std::string sha256_hex(const TensorList& tensors);
/// SHA-256 of these bytes.
std::string sha256_hex(std::string_view bytes);

}  // namespace ordo

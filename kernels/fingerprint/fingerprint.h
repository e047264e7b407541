// The fingerprint of a tensor: 128 bits from the bits of its elements in row-major order. Equal elements have equal
// fingerprints on every device, whatever the strides, the thread count and the order of computation; sizes and dtype
// are not part of it. docs/audit.md has the formula. Not an operation: nothing is recorded, and listeners hear nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

struct Fingerprint {
  uint64_t high = 0, low = 0;
  std::string str() const;  ///< 32 hexadecimal digits
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

namespace kernels {

/// Reads the memory once, on its device, on the CPU after a copy where it is transposed; waits for the result. Any
/// dtype and strides. ValueError for an undefined tensor.
Fingerprint fingerprint(const Tensor& t);
/// Of each; those of one device are waited for together. An undefined tensor has the fingerprint of zeros in both
/// halves.
std::vector<Fingerprint> fingerprints(std::span<const Tensor> tensors);

}  // namespace kernels
}  // namespace ordo

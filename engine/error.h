// Every error the library raises, an Error. Each message names the operation, the rule, what was given and, where there
// is something to do about it, a hint: "[index_add] index[3] = 12 is out of range for dimension 0 of size 10".
#pragma once

#include <stdexcept>
#include <string>

namespace ordo {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ShapeError : Error {
  using Error::Error;
};  ///< sizes that do not fit together
struct DTypeError : Error {
  using Error::Error;
};  ///< an element type the operation does not take
struct DeviceError : Error {
  using Error::Error;
};  ///< tensors on different devices, or a device that is not there
struct IndexError : Error {
  using Error::Error;
};  ///< an index or dimension out of range
struct ValueError : Error {
  using Error::Error;
};  ///< any other argument out of its domain
struct NondeterministicError : Error {
  using Error::Error;
};  ///< the determinism level in force cannot be met
struct AutogradError : Error {
  using Error::Error;
};  ///< backward through something that cannot be differentiated
struct DataError : Error {
  using Error::Error;
};  ///< a file that is missing, truncated or corrupt
struct OutOfMemoryError : Error {
  using Error::Error;
};  ///< the host or the device has no memory left for a tensor
struct CudaError : Error {
  using Error::Error;
};  ///< a failed CUDA, cuBLAS or cuDNN call

}  // namespace ordo

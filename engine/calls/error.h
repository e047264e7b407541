// Every error the library raises, an Error. Each message names the operation, the rule, what was given and, where there
// is something to do about it, a hint: "[index_add] index[3] = 12 is out of range for dimension 0 of size 10". One that
// leaves the forward() of a module within a model ends with where that is: " [in layers.2 (Linear)]".
#pragma once

#include <new>
#include <stdexcept>
#include <string>

namespace ordo {

/// What all errors are. Each is a std::exception, too: OutOfMemoryError a std::bad_alloc, the others a
/// std::runtime_error. (Error itself is none: a type that has std::exception twice is caught as neither.)
struct Error {
  virtual ~Error() = default;
  virtual const char* what() const noexcept = 0;

  // Internal, for nn/module.h, which extends the message while the error leaves modules.
  struct Place {
    const void* module = nullptr;  ///< the last one that it left
    size_t path = 0;               ///< where in the message the path begins; 0: there is none yet
  } place;
  virtual void set_message(const std::string&) {}
};

/// For errors of one's own: struct MyError : RuntimeError { using RuntimeError::RuntimeError; };
struct RuntimeError : Error, std::runtime_error {
  using std::runtime_error::runtime_error;
  const char* what() const noexcept override { return std::runtime_error::what(); }
  void set_message(const std::string& message) override { std::runtime_error::operator=(std::runtime_error(message)); }
};

struct ShapeError : RuntimeError {
  using RuntimeError::RuntimeError;
};  ///< sizes that do not fit together
struct DTypeError : RuntimeError {
  using RuntimeError::RuntimeError;
};  ///< an element type the operation does not take
struct DeviceError : RuntimeError {
  using RuntimeError::RuntimeError;
};  ///< tensors on different devices, or a device that is not there
struct IndexError : RuntimeError {
  using RuntimeError::RuntimeError;
};  ///< an index or dimension out of range
struct ValueError : RuntimeError {
  using RuntimeError::RuntimeError;
};  ///< any other argument out of its domain
struct NondeterministicError : RuntimeError {
  using RuntimeError::RuntimeError;
};  ///< the determinism level in force cannot be met
struct AutogradError : RuntimeError {
  using RuntimeError::RuntimeError;
};  ///< backward through something that cannot be differentiated
struct DataError : RuntimeError {
  using RuntimeError::RuntimeError;
};  ///< a file that is missing, truncated or corrupt
struct CudaError : RuntimeError {
  using RuntimeError::RuntimeError;
};  ///< a failed CUDA, cuBLAS or cuDNN call

/// The host or the device has no memory left for a tensor, or the host for whatever else a function of the library
/// needs. What was there before can be used as before, except that an operation in place, an optimiser's step or a
/// backward pass may have done a part of its work: gradients are then to be computed anew.
struct OutOfMemoryError : Error, std::bad_alloc {
  explicit OutOfMemoryError(const std::string& message) : message_(message) {}
  const char* what() const noexcept override { return message_.what(); }
  void set_message(const std::string& message) override { message_ = std::runtime_error(message); }

 private:
  std::runtime_error message_;  // copying it takes no memory
};

}  // namespace ordo

// The parts of a .npy file, which .npz files are made of, too. Internal to nn.
#pragma once

#include <cstdint>
#include <string>

#include <ordo/engine/tensor.h>

namespace ordo::nn {

/// Where the bytes of one .npy file come from.
class NpySource {
 public:
  virtual ~NpySource() = default;
  /// Exactly `bytes` bytes of `what`, or DataError.
  virtual void read(void* to, uint64_t bytes, const char* what) = 0;
  /// Bytes that are left to read.
  virtual uint64_t left() const = 0;
  virtual uint64_t offset() const = 0;
  /// The file and the place in it, for errors.
  virtual std::string place(uint64_t offset) const = 0;
  /// DataError: "[OP] PLACE: REASON".
  [[noreturn]] void fail(uint64_t offset, const std::string& reason) const;

 protected:
  explicit NpySource(const char* op) : op_(op) {}

 private:
  const char* op_;
};

/// Reads all of the source, which was checked against the header before memory is taken.
Tensor read_npy(NpySource& source);

/// What comes before the elements of a tensor in C order. DTypeError naming `op` for bfloat16, which begins with `of`.
std::string npy_header(const char* op, const std::string& of, const Tensor& tensor);

}  // namespace ordo::nn

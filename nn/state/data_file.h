// Reading binary data, a file or a part of an archive, with errors that say where it is broken. Internal to nn.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::nn {

/// Bytes that are read one after another.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  ByteSource(ByteSource&&) = delete;

  /// Reads exactly `bytes` bytes of `what` or throws DataError.
  void read(void* to, uint64_t bytes, const char* what);
  /// A number of at most 8 bytes.
  uint64_t read_number(int bytes, const char* what, std::endian order = std::endian::little);
  /// A tensor in CPU memory. DataError `wrong_bool` for a bool that is neither 0 nor 1.
  Tensor read_tensor(DType dtype, const Dims& sizes, const char* what,
                     const std::string& wrong_bool = "a bool is neither 0 nor 1");
  /// An upper bound of what is left to read, known without reading. Sizes in a header are checked against it before
  /// memory is allocated.
  virtual uint64_t most_left() const = 0;
  uint64_t offset() const { return offset_; }
  /// Throws DataError: "[OP] PLACE: byte OFFSET: MESSAGE".
  template <class... Args>
  [[noreturn]] void fail(uint64_t offset, fmt::format_string<Args...> format, Args&&... args) const {
    fail_with(offset, fmt::format(format, std::forward<Args>(args)...));
  }

 protected:
  ByteSource(const char* op, std::string place) : op_(op), place_(std::move(place)) {}
  /// As many bytes as there are, up to `bytes`; DataError when the data are corrupt or the disk fails.
  virtual uint64_t read_some(void* to, uint64_t bytes) = 0;
  /// What is said when the last `missing` of the `bytes` bytes of `what` are not there.
  virtual std::string end_text(uint64_t missing, uint64_t bytes, const char* what) const = 0;
  [[noreturn]] void fail_with(uint64_t offset, const std::string& message) const;

  const char* op_;
  const std::string place_;
  const char* of_ = "";  // of which data offsets are said
  uint64_t offset_ = 0;
};

enum class Packing { none, gzip_or_none };

/// A file, plain or gzip. Its rest is what is left, or what gzip can pack into it.
class DataFile : public ByteSource {
 public:
  /// DataError when the file cannot be opened, or is no regular file. Errors name `op`.
  explicit DataFile(const std::string& path, const char* op = "data", Packing packing = Packing::gzip_or_none);
  ~DataFile() override;

  /// DataError unless all of the file has been read.
  void expect_end();
  uint64_t most_left() const override;

 private:
  uint64_t read_some(void* to, uint64_t bytes) override;
  std::string end_text(uint64_t missing, uint64_t bytes, const char* what) const override;
  void* file_ = nullptr;  // gzFile, which reads plain files too
  int plain_ = -1;        // or a descriptor
  uint64_t size_ = 0;     // of the file on disk
  bool packed_ = false;
};

/// All bytes of a file that is not packed. DataError naming `op` when it cannot be read; OutOfMemoryError.
std::string read_whole_file(const std::string& path, const char* op);

/// The first of these names that is a file in `directory`; DataError naming all of them otherwise.
std::string find_file(const std::string& directory, std::initializer_list<std::string> names);
/// The sub-directory of this name, where there is one, else `directory`.
std::string directory_within(const std::string& directory, const std::string& name);

/// The sizes of a tensor that a file declares, checked before memory is taken for it. Calls `fail` with the reason
/// unless a tensor can have them, and takes `bytes` bytes then, with `element` bytes for each element.
Dims checked_sizes(const std::vector<uint64_t>& sizes, uint64_t element, uint64_t bytes,
                   const std::function<void(const std::string&)>& fail);

// -- the parts of a .npy file, which .npz files are made of, too

/// Reads all of the source, which was checked against the header before memory is taken.
Tensor read_npy(ByteSource& source);

/// What comes before the elements of a tensor in C order. DTypeError naming `op` for bfloat16, which begins with `of`.
std::string npy_header(const char* op, const std::string& of, const Tensor& tensor);

}  // namespace ordo::nn

// Reading binary data, a file or a part of an archive, with errors that say where it is broken. Internal to nn.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <ordo/engine/tensor.h>

namespace ordo::nn {

/// Bytes that are read one after another.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Reads exactly `bytes` bytes of `what` or throws DataError.
  void read(void* to, uint64_t bytes, const char* what);
  /// An upper bound of what is left to read, known without reading. Sizes in a header are checked against it before
  /// memory is allocated.
  virtual uint64_t most_left() const = 0;
  uint64_t offset() const { return offset_; }
  /// Throws DataError: "[OP] PLACE: byte OFFSET: MESSAGE".
  [[noreturn]] void fail(uint64_t offset, const std::string& message) const;

 protected:
  ByteSource(const char* op, std::string place) : op_(op), place_(std::move(place)) {}
  /// As many bytes as there are, up to `bytes`; DataError when the data are corrupt or the disk fails.
  virtual uint64_t read_some(void* to, uint64_t bytes) = 0;
  /// What is said when the last `missing` of the `bytes` bytes of `what` are not there.
  virtual std::string end_text(uint64_t missing, uint64_t bytes, const char* what) const = 0;

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

  uint32_t read_big_endian(const char* what);
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

// -- what readers check of the shapes that files declare, before memory is taken for them

/// Why a tensor of these sizes, of `element` bytes each, does not take `bytes` bytes; empty when it does, and when its
/// sizes are also some that a tensor can have.
std::string sizes_problem(const std::vector<uint64_t>& sizes, uint64_t element, uint64_t bytes);

/// The first byte of a bool tensor in CPU memory that is neither 0 nor 1; nbytes() when there is none, or when the
/// tensor is no bool.
uint64_t first_bad_bool(const Tensor& t);

}  // namespace ordo::nn

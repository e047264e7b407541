// Reading a binary file, plain or gzip, with errors that say where it is broken. Internal to nn.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

namespace ordo::data {

enum class Packing { none, gzip_or_none };

class DataFile {
 public:
  /// DataError when the file cannot be opened, or is no regular file. Errors name `op`.
  explicit DataFile(const std::string& path, const char* op = "data", Packing packing = Packing::gzip_or_none);
  ~DataFile();
  DataFile(const DataFile&) = delete;
  DataFile& operator=(const DataFile&) = delete;

  /// Reads exactly `bytes` bytes of `what` or throws DataError.
  void read(void* to, uint64_t bytes, const char* what);
  uint8_t read_byte(const char* what);
  uint32_t read_big_endian(const char* what);
  /// DataError unless all of the file has been read.
  void expect_end();
  /// An upper bound of what is left to read, known without reading: the plain file's rest, or what gzip can pack into
  /// the compressed one's. Sizes in a header are checked against it before memory is allocated.
  uint64_t most_left() const;
  uint64_t offset() const { return offset_; }
  const std::string& path() const { return path_; }

  /// Throws DataError: "[OP] PATH: byte OFFSET: MESSAGE".
  [[noreturn]] void fail(uint64_t offset, const std::string& message) const;

 private:
  /// As many bytes as there are, up to `bytes`; DataError when the file is corrupt or the disk fails.
  uint64_t read_some(void* to, uint64_t bytes);
  std::string path_;
  const char* op_;
  void* file_ = nullptr;  // gzFile, which reads plain files too
  int plain_ = -1;        // or a descriptor
  uint64_t size_ = 0;     // of the file on disk
  bool packed_ = false;
  uint64_t offset_ = 0;
};

/// All bytes of a file that is not packed. DataError naming `op` when it cannot be read; OutOfMemoryError.
std::string read_whole_file(const std::string& path, const char* op);

/// The first of these names that is a file in `directory`; DataError naming all of them otherwise.
std::string find_file(const std::string& directory, std::initializer_list<std::string> names);

}  // namespace ordo::data

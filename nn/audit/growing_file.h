// GrowingFile: bytes that are the system's as soon as they are appended, without a system call for each. Internal to
// nn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ordo::audit {

/// A file that grows at its end. Its last part is mapped, so what has been appended is there whatever ends the program.
/// Until close() the file is longer than what it holds: zeros follow. Pipes and devices, and files on a disk that has
/// no room for another part, are written to instead.
class GrowingFile {
 public:
  GrowingFile() = default;
  ~GrowingFile();  // leaves the file as long as it is
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  /// Makes the file, in place of one that is there, also where a link leads. DataError in the name of `op`.
  void open(const char* op, const std::string& path);
  /// The first `head` bytes come last: who reads the file after the program was killed finds zeros there, or all bytes.
  /// This and close() give errno, or 0.
  int append(std::string_view bytes, size_t head);
  /// Cuts off the zeros.
  int close();
  bool is_open() const { return file_ >= 0; }

 private:
  bool map(size_t bytes);
  void unmap();

  int file_ = -1;
  bool maps_ = false;
  uint64_t used_ = 0;
  char* window_ = nullptr;
  uint64_t begin_ = 0;  // of the window in the file
  size_t size_ = 0;     // of the window
};

}  // namespace ordo::audit

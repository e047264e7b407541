// A file that is there whole or not at all: written beside its place, flushed to the disk, then renamed. Internal to
// nn.
#pragma once

#include <cstdint>
#include <string>

namespace ordo::nn {

class WholeFile {
 public:
  /// Begins PATH.part, and empties one that an interrupted program left. DataError when it cannot be created.
  explicit WholeFile(const std::string& path);
  /// Removes PATH.part unless commit() succeeded.
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  /// DataError when the disk is full or fails; PATH has not changed then.
  void write(const void* from, uint64_t bytes);
  /// Flushes the file, gives it its name and flushes the folder: PATH now survives a crash. An earlier PATH is there
  /// until then. DataError when one of these fails.
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;
  std::string path_, part_;
  int file_ = -1;
};

}  // namespace ordo::nn

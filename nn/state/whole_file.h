// A file that is there whole or not at all: written beside its place, flushed to the disk, then renamed. Internal to
// nn and the tools.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ordo::nn {

/// Writes all bytes to an open file. Gives errno, or 0.
int write_all(int file, std::string_view bytes);

/// With the folders that it lies in. DataError in the name of `op`.
void make_folder(std::string_view op, const std::string& path);

class WholeFile {
 public:
  /// Begins PATH.part, and empties one that an interrupted program left. A link stays: where it leads is written. So
  /// does a pipe or a device, which is written to itself. DataError in the name of `op` when it cannot be opened, or
  /// another program is writing it.
  explicit WholeFile(const std::string& path, std::string_view op = "save");
  /// Removes PATH.part unless commit() succeeded.
  ~WholeFile();
  WholeFile(WholeFile&&) = delete;

  /// DataError when the disk is full or fails; PATH has not changed then.
  void write(const void* from, uint64_t bytes) { write({static_cast<const char*>(from), bytes}); }
  void write(std::string_view text);
  /// Flushes the file, gives it its name and flushes the folder: PATH now survives a crash. An earlier PATH is there
  /// until then. DataError when one of these fails.
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;
  void open_part();
  std::string path_, op_;
  std::string end_, part_;  // where the links lead, and beside it; no part of a pipe or a device
  int file_ = -1;
};

}  // namespace ordo::nn

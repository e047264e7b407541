// Files by their names: what may be opened, written over and locked. Nothing here waits for longer than two seconds, as
// open() does for the other end of a pipe. Internal.
#pragma once

#include <string>
#include <string_view>

namespace ordo::detail {

/// Where a file that is written as `path` comes to be.
struct FilePlace {
  std::string path;  ///< where links lead
  /// A regular file, or none yet. What else is there, a pipe or a device, is written to, never replaced.
  bool replaceable;
};
/// DataError in the name of `op` where the path leads nowhere.
FilePlace place_to_write(std::string_view op, const std::string& path);

/// A descriptor for `flags`, O_WRONLY and others. DataError in the name of `op`, which calls the file `called`, for
/// what cannot be opened, folders, disks and pipes that nobody reads.
int open_to_write(std::string_view op, const std::string& path, int flags, const std::string& called);
/// A descriptor for reading. Throws: DataError when the path is not a regular file that can be read.
int open_to_read(std::string_view op, const std::string& path);
/// Throws: DataError when the path is not a regular file that can be read. For callers that read by a stream, which
/// would wait for a pipe.
void expect_file(std::string_view op, const std::string& path);

/// Whether no other descriptor has locked the file; this one has until it is closed, if only by the process's end. It
/// waits as a process that was killed may not have ended yet. True where the file system has no locks.
bool lock_file(int file);

}  // namespace ordo::detail

#include "tests/support/file_calls.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace ordo::test {
namespace {

thread_local FileCalls* watching = nullptr;

}  // namespace

FileCalls::FileCalls() { watching = this; }
FileCalls::~FileCalls() { watching = nullptr; }

}  // namespace ordo::test

// The library's calls come here, as the program's own functions are found before those of the C library.
extern "C" {

__attribute__((visibility("default"))) int fsync(int file) {
  if (ordo::test::FileCalls* const to = ordo::test::watching) {
    std::error_code error;
    std::string text =
        "fsync " + std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), error).string();
    struct stat status {};
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode))
      text += ", " + std::to_string(status.st_size) + " bytes";
    to->calls.push_back(text);
  }
  return int(::syscall(SYS_fsync, file));
}

__attribute__((visibility("default"))) int rename(const char* from, const char* to) noexcept {
  const int result = ::renameat(AT_FDCWD, from, AT_FDCWD, to);
  if (ordo::test::FileCalls* const watching = ordo::test::watching) {
    const int error = errno;
    watching->calls.push_back(std::string("rename ") + from + " to " + to);
    if (watching->after_rename) watching->after_rename(to);
    errno = error;
  }
  return result;
}
}

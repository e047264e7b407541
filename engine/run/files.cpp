#include <ordo/engine/run/files.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include <ordo/engine/calls/check.h>

namespace ordo::detail {

namespace fs = std::filesystem;

namespace {

/// Calls `done` until it is true, for up to two seconds.
template <class Done>
bool soon(const Done& done) {
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + std::chrono::seconds(2); !done();) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

/// `refused` says why a file is not taken.
template <class Refused>
int open_checked(std::string_view op, const std::string& path, int flags, const std::string& called,
                 const Refused& refused) {
  int file = -1;
  const auto opened = [&] {
    file = ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    return file >= 0 || errno != ENXIO;
  };
  const bool has_reader = soon(opened);
  if (file < 0)
    fail<DataError>(op, "{}: cannot be opened: {}", called,
                    has_reader ? std::strerror(errno) : "a pipe that nobody reads, or a socket");
  struct stat status {};
  const char* why = ::fstat(file, &status) != 0 ? std::strerror(errno) : refused(status.st_mode);
  if (!why && ::fcntl(file, F_SETFL, flags & O_APPEND) != 0) why = std::strerror(errno);
  if (!why) return file;
  ::close(file);
  fail<DataError>(op, "{}: cannot be opened: {}", called, why);
}

/// /dev/stdout and the like lead to what a process has open already.
bool is_of_a_process(const fs::path& path) {
  std::error_code error;
  return fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error).native().starts_with("/proc/");
}

}  // namespace

FilePlace place_to_write(std::string_view op, const std::string& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::none) fail<DataError>(op, "{}: cannot be opened: {}", path, error.message());
  if (type != fs::file_type::regular && type != fs::file_type::not_found) return {path, false};
  fs::path end = path;
  for (fs::path next; !(next = fs::read_symlink(end, error)).empty(); end = end.parent_path() / next)
    if (is_of_a_process(end)) return {path, false};
  return {end.string(), true};
}

int open_to_write(std::string_view op, const std::string& path, int flags, const std::string& called) {
  return open_checked(op, path, flags, called, [](mode_t mode) { return S_ISBLK(mode) ? "a disk" : nullptr; });
}

int open_to_read(std::string_view op, const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) fail<DataError>(op, "{}: no such file", path);
  return open_checked(op, path, O_RDONLY, path, [](mode_t mode) {
    return S_ISREG(mode) ? nullptr : "no such file, but a folder, a pipe or a device";
  });
}

void expect_file(std::string_view op, const std::string& path) { ::close(open_to_read(op, path)); }

bool lock_file(int file) {
  return soon([file] { return ::flock(file, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR); });
}

}  // namespace ordo::detail

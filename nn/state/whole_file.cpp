#include <ordo/nn/state/whole_file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/run/files.h>

namespace ordo::nn {

int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file, bytes.data(), std::min<size_t>(bytes.size(), 1u << 30));
    if (done < 0 && errno != EINTR) return errno;
    if (done > 0) bytes.remove_prefix(size_t(done));
  }
  return 0;
}

void make_folder(std::string_view op, const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  ORDO_CHECK(!error, DataError, op, "{}: cannot be made: {}", path, error.message());
}

void WholeFile::fail(const char* what) const {
  detail::fail<DataError>(op_, "{}: {}: {}", path_, what, std::strerror(errno));
}

WholeFile::WholeFile(const std::string& path, std::string_view op) : path_(path), op_(op) {
  const detail::FilePlace place = detail::place_to_write(op, path);
  if (!place.replaceable) {
    file_ = detail::open_to_write(op, path, O_WRONLY | O_APPEND, path);
    return;
  }
  end_ = place.path;
  part_ = end_ + ".part";
  try {
    open_part();
  } catch (...) {
    if (file_ >= 0) ::close(file_);
    throw;
  }
}

void WholeFile::open_part() {
  for (bool is_named = false; !is_named;) {
    file_ = detail::open_to_write(op_, part_, O_WRONLY | O_CREAT | O_NOFOLLOW, path_);
    struct stat opened {
    }, named{};
    if (::fstat(file_, &opened) != 0) fail("cannot be opened");
    ORDO_CHECK(S_ISREG(opened.st_mode), DataError, op_, "{}: {} is not a regular file; remove it", path_, part_);
    ORDO_CHECK(detail::lock_file(file_), DataError, op_, "{}: another program is writing it", path_);
    // Whoever had the lock before may have renamed or removed what was opened.
    is_named = ::lstat(part_.c_str(), &named) == 0 && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
    if (!is_named) ::close(std::exchange(file_, -1));
  }
  if (::ftruncate(file_, 0) != 0) fail("cannot be emptied");
}

WholeFile::~WholeFile() {
  if (file_ < 0) return;
  if (!part_.empty()) ::unlink(part_.c_str());
  ::close(file_);
}

void WholeFile::write(std::string_view text) {
  if (write_all(file_, text) != 0) fail("cannot be written");
}

void WholeFile::commit() {
  if (part_.empty()) return void(::close(std::exchange(file_, -1)));
  if (::fsync(file_) != 0) fail("cannot be flushed");
  if (std::rename(part_.c_str(), end_.c_str()) != 0) fail("cannot be renamed");
  ::close(std::exchange(file_, -1));
  const std::string folder = std::filesystem::path(end_).parent_path().string();
  const int directory = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) fail("its folder cannot be opened");
  const int flushed = ::fsync(directory);
  const int error = errno;
  ::close(directory);
  errno = error;
  // Some file systems have no folders to flush.
  if (flushed != 0 && error != EINVAL && error != ENOTSUP) fail("its folder cannot be flushed");
}

}  // namespace ordo::nn

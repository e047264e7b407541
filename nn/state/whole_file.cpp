#include <ordo/nn/state/whole_file.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <ordo/engine/check.h>

namespace ordo::nn {

void WholeFile::fail(const char* what) const {
  detail::fail<DataError>("save", "{}: {}: {}", path_, what, std::strerror(errno));
}

WholeFile::WholeFile(const std::string& path) : path_(path), part_(path + ".part") {
  file_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) fail("cannot be created");
}

WholeFile::~WholeFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(part_.c_str());
}

void WholeFile::write(const void* from, uint64_t bytes) {
  const char* p = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t done = ::write(file_, p, size_t(std::min<uint64_t>(bytes, 1u << 30)));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("cannot be written");
    p += done;
    bytes -= uint64_t(done);
  }
}

void WholeFile::commit() {
  if (::fsync(file_) != 0) fail("cannot be flushed");
  if (std::rename(part_.c_str(), path_.c_str()) != 0) fail("cannot be renamed");
  ::close(file_);
  file_ = -1;
  const std::string folder = std::filesystem::path(path_).parent_path().string();
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

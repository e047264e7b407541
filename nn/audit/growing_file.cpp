#include <ordo/nn/audit/growing_file.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include <ordo/engine/files.h>
#include <ordo/nn/state/whole_file.h>

namespace ordo::audit {

GrowingFile::~GrowingFile() {
  unmap();
  if (file_ >= 0) ::close(file_);
}

void GrowingFile::open(const char* op, const std::string& path) {
  const ordo::detail::FilePlace place = ordo::detail::place_to_write(op, path);
  // Only a file of its own is mapped: one that another program empties would end this one at its next event. What is
  // there goes, then, and stays whole for a program that is still writing it.
  for (int tries = 0; place.replaceable && tries < 100 && file_ < 0; ++tries) {
    if (::unlink(place.path.c_str()) != 0 && errno != ENOENT) break;
    file_ = ::open(place.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && errno != EEXIST) break;
  }
  maps_ = file_ >= 0;
  if (file_ < 0) file_ = ordo::detail::open_to_write(op, path, O_WRONLY | O_CREAT | O_TRUNC, path);
}

int GrowingFile::append(std::string_view bytes, size_t head) {
  const bool fits = used_ + bytes.size() <= begin_ + size_;
  if (!maps_ || (!fits && !map(bytes.size()))) return nn::write_all(file_, bytes);
  char* const to = window_ + (used_ - begin_);
  std::memcpy(to + head, bytes.data() + head, bytes.size() - head);
  std::atomic_signal_fence(std::memory_order_release);  // a crash comes between the program's own instructions
  std::memcpy(to, bytes.data(), head);
  used_ += bytes.size();
  return 0;
}

int GrowingFile::close() {
  unmap();
  int error = 0;
  if (maps_ && ::ftruncate(file_, off_t(used_)) != 0) error = errno;
  if (::close(std::exchange(file_, -1)) != 0 && error == 0) error = errno;
  return error;
}

/// A window for so many bytes at the end. False where there is no room; then all else is written.
bool GrowingFile::map(size_t bytes) {
  constexpr size_t kWindow = size_t(1) << 20;
  const auto page = uint64_t(::sysconf(_SC_PAGESIZE));
  unmap();
  begin_ = used_ / page * page;
  size_ = ((used_ - begin_) + bytes + kWindow + page - 1) / page * page;
  // Without blocks of its own a mapped page would end the program when the disk is full.
  void* window = MAP_FAILED;
  if (::posix_fallocate(file_, off_t(begin_), off_t(size_)) == 0)
    window = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, off_t(begin_));
  if (window == MAP_FAILED) {
    size_ = 0;
    maps_ = false;
    // What was reserved is given back, and the end is where it was.
    (void)!::ftruncate(file_, off_t(used_));
    (void)::lseek(file_, off_t(used_), SEEK_SET);
    return false;
  }
  window_ = static_cast<char*>(window);
  return true;
}

void GrowingFile::unmap() {
  if (window_) ::munmap(std::exchange(window_, nullptr), size_);
  size_ = 0;
}

}  // namespace ordo::audit

#include <ordo/nn/state/data_file.h>

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <ordo/engine/calls/checked.h>
#include <ordo/engine/run/files.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo::nn {

void ByteSource::fail_with(uint64_t offset, const std::string& message) const {
  detail::fail<DataError>(op_, "{}: byte {}{}: {}", place_, offset, of_, message);
}

void ByteSource::read(void* to, uint64_t bytes, const char* what) {
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t got = read_some(static_cast<char*>(to) + done, bytes - done);
    if (got == 0) fail_with(offset_, end_text(bytes - done, bytes, what));
    done += got;
    offset_ += got;
  }
}

uint64_t ByteSource::read_number(int bytes, const char* what, std::endian order) {
  uint8_t b[8];
  read(b, uint64_t(bytes), what);
  uint64_t number = 0;
  for (int i = 0; i < bytes; ++i) number = number << 8 | b[order == std::endian::big ? i : bytes - 1 - i];
  return number;
}

Tensor ByteSource::read_tensor(DType dtype, const Dims& sizes, const char* what, const std::string& wrong_bool) {
  Tensor t = detail::result(sizes, dtype, cpu);
  const uint64_t start = offset_;
  read(t.data(), t.nbytes(), what);
  const auto* const bytes = static_cast<const uint8_t*>(t.data());
  for (uint64_t i = 0; dtype == boolean && i < t.nbytes(); ++i)
    if (bytes[i] > 1) fail_with(start + i, wrong_bool);
  return t;
}

DataFile::DataFile(const std::string& path, const char* op, Packing packing) : ByteSource(op, path) {
  plain_ = ordo::detail::open_to_read(op, path);
  struct stat status {};
  if (::fstat(plain_, &status) == 0) size_ = uint64_t(status.st_size);
  if (packing == Packing::none) return;
  file_ = gzdopen(plain_, "rb");
  if (!file_) ::close(plain_);
  ORDO_CHECK(file_, DataError, op, "{}: cannot be opened: no memory for gzip", path);
  plain_ = -1;  // gzclose closes it
  gzbuffer(static_cast<gzFile>(file_), 1 << 17);
  packed_ = gzdirect(static_cast<gzFile>(file_)) == 0;
  if (packed_) of_ = " of the unpacked data";
}

DataFile::~DataFile() {
  if (file_) gzclose(static_cast<gzFile>(file_));
  if (plain_ >= 0) ::close(plain_);
}

uint64_t DataFile::read_some(void* to, uint64_t bytes) {
  const auto chunk = unsigned(std::min<uint64_t>(bytes, 1u << 30));
  if (!file_) {
    ssize_t got;
    do got = ::read(plain_, to, chunk);
    while (got < 0 && errno == EINTR);
    if (got < 0) fail(offset_, "cannot be read: {}", std::strerror(errno));
    return uint64_t(got);
  }
  const int got = gzread(static_cast<gzFile>(file_), to, chunk);
  if (got > 0) return uint64_t(got);
  int code = Z_OK;
  const char* message = gzerror(static_cast<gzFile>(file_), &code);
  if (code == Z_ERRNO) fail(offset_, "cannot be read: {}", std::strerror(errno));
  // Z_BUF_ERROR: the compressed data end too early; whoever needs more says so.
  if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
    fail(offset_, "the gzip data is corrupt: {}", message);
  return 0;
}

std::string DataFile::end_text(uint64_t missing, uint64_t bytes, const char* what) const {
  return fmt::format("the file ends here; expected {} more of the {} bytes of {}", missing, bytes, what);
}

void DataFile::expect_end() {
  char extra;
  if (read_some(&extra, 1) > 0) fail(offset_, "expected the end of the file, found more data");
  if (!file_) return;
  int code = Z_OK;  // of gzip's own end, which was read just now
  const char* message = gzerror(static_cast<gzFile>(file_), &code);
  if (code == Z_BUF_ERROR) fail(offset_, "the gzip data is corrupt: {}", message);
}

uint64_t DataFile::most_left() const {
  if (!packed_) return size_ - std::min(size_, offset_);
  return size_ * 1032 + 1032 - offset_;  // deflate's largest expansion
}

std::string read_whole_file(const std::string& path, const char* op) {
  DataFile file(path, op, Packing::none);
  const uint64_t bytes = file.most_left();
  checked::expect_allowed(op, int64_t(bytes), 1);
  std::string all(bytes, '\0');
  file.read(all.data(), bytes, "the file");
  return all;
}

std::string find_file(const std::string& directory, std::initializer_list<std::string> names) {
  namespace fs = std::filesystem;
  std::error_code error;
  ORDO_CHECK(fs::is_directory(directory, error), DataError, "data", "{}: no such directory", directory);
  std::string tried;
  for (const std::string& name : names) {
    const fs::path path = fs::path(directory) / name;
    if (fs::is_regular_file(path, error)) return path.string();
    tried += (tried.empty() ? "" : ", ") + name;
  }
  detail::fail<DataError>("data", "{}: the directory holds none of {}", directory, tried);
}

std::string directory_within(const std::string& directory, const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(directory) / name;
  std::error_code error;
  return std::filesystem::is_directory(path, error) ? path.string() : directory;
}

Dims checked_sizes(const std::vector<uint64_t>& sizes, uint64_t element, uint64_t bytes,
                   const std::function<void(const std::string&)>& fail) {
  if (sizes.size() > size_t(kMaxDims)) fail(fmt::format("{} dimensions; Ordo has at most {}", sizes.size(), kMaxDims));
  Dims checked;
  // As if no size were 0: strides of the other dimensions must be numbers, too.
  uint64_t count = 1, total = element;
  for (uint64_t size : sizes) {
    if (size > uint64_t(INT64_MAX) || (size != 0 && total > uint64_t(INT64_MAX) / size))
      fail("its sizes are too large");
    if (size != 0) total *= size;
    count *= size;
    checked.push_back(int64_t(size));
  }
  if (count == 0) total = 0;
  if (total != bytes) fail(fmt::format("its sizes and dtype need {} bytes, but it has {}", total, bytes));
  return checked;
}

}  // namespace ordo::nn

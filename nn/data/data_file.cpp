#include <ordo/nn/data/data_file.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <ordo/engine/check.h>

namespace ordo::data {

DataFile::DataFile(const std::string& path) : path_(path) {
  std::error_code error;
  ORDO_CHECK(std::filesystem::is_regular_file(path, error), DataError, "data", "{}: no such file", path);
  size_ = std::filesystem::file_size(path, error);
  errno = 0;
  gzFile file = gzopen(path.c_str(), "rb");
  ORDO_CHECK(file, DataError, "data", "{}: cannot be opened: {}", path, std::strerror(errno));
  gzbuffer(file, 1 << 17);
  file_ = file;
  packed_ = gzdirect(file) == 0;
}

DataFile::~DataFile() { gzclose(static_cast<gzFile>(file_)); }

void DataFile::fail(uint64_t offset, const std::string& message) const {
  detail::fail<DataError>("data", "{}: byte {}{}: {}", path_, offset, packed_ ? " of the unpacked data" : "", message);
}

void DataFile::read(void* to, uint64_t bytes, const char* what) {
  uint64_t done = 0;
  while (done < bytes) {
    const auto chunk = unsigned(std::min<uint64_t>(bytes - done, 1u << 30));
    const int got = gzread(static_cast<gzFile>(file_), static_cast<char*>(to) + done, chunk);
    if (got > 0) {
      done += uint64_t(got);
      continue;
    }
    int code = Z_OK;
    const char* message = gzerror(static_cast<gzFile>(file_), &code);
    if (code == Z_ERRNO) fail(offset_ + done, std::string("cannot be read: ") + std::strerror(errno));
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      fail(offset_ + done, std::string("the gzip data is corrupt: ") + message);
    fail(offset_ + done,
         fmt::format("the file ends here; expected {} more of the {} bytes of {}", bytes - done, bytes, what));
  }
  offset_ += bytes;
}

uint8_t DataFile::read_byte(const char* what) {
  uint8_t value;
  read(&value, 1, what);
  return value;
}

uint32_t DataFile::read_big_endian(const char* what) {
  uint8_t b[4];
  read(b, 4, what);
  return uint32_t(b[0]) << 24 | uint32_t(b[1]) << 16 | uint32_t(b[2]) << 8 | uint32_t(b[3]);
}

void DataFile::expect_end() {
  char extra;
  const int got = gzread(static_cast<gzFile>(file_), &extra, 1);  // also checks the gzip trailer
  if (got > 0) fail(offset_, "expected the end of the file, found more data");
  int code = Z_OK;
  const char* message = gzerror(static_cast<gzFile>(file_), &code);
  if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
    fail(offset_, std::string("the gzip data is corrupt: ") + message);
}

uint64_t DataFile::most_left() const {
  if (!packed_) return size_ - std::min(size_, offset_);
  return size_ * 1032 + 1032 - offset_;  // deflate's largest expansion
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

}  // namespace ordo::data

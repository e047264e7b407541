// Archives are written here, in the form that Python's zipfile gives to those of numpy.savez, so that their bytes do
// not depend on the version of a library: members that are not packed, then a directory of them. Numbers are
// little-endian (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT). npz_read.cpp reads them.
#include <ordo/nn/state/npy.h>

#include <zlib.h>

#include <algorithm>
#include <set>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/tensor/printable.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/state/data_file.h>
#include <ordo/nn/state/whole_file.h>

namespace ordo {

namespace {

constexpr uint64_t kAll16 = 0xffff, kAll32 = 0xffffffff;  // a number that is elsewhere, where it has 64 bits
constexpr uint64_t kMost32 = (uint64_t(1) << 31) - 1;     // zipfile's bound for numbers of 32 bits
constexpr uint64_t kVersion = 45, kUtf8 = 0x800, kJanuary1980 = 0x21, kUnix = 3, kReadWrite = 0600;

/// Bytes of numbers.
struct Record {
  std::string bytes;
  Record& put(uint64_t value, int width) {
    for (int i = 0; i < width; ++i) bytes += char(uint8_t(value >> 8 * i));
    return *this;
  }
  Record& put2(uint64_t value) { return put(value, 2); }
  Record& put4(uint64_t value) { return put(value, 4); }
  Record& put8(uint64_t value) { return put(value, 8); }
};

struct Member {
  std::string name;
  uint64_t flags, crc, size, offset;

  /// What both of its headers have in the middle.
  void put_description(Record& record, uint64_t size_field, uint64_t extra_bytes) const {
    record.put2(kVersion).put2(flags).put2(0).put2(0).put2(kJanuary1980).put4(crc);
    record.put4(size_field).put4(size_field).put2(name.size()).put2(extra_bytes);
  }
  std::string local_header() const {
    Record r;
    r.put4(0x04034b50);
    put_description(r, kAll32, 20);
    r.bytes += name;
    return r.put2(1).put2(16).put8(size).put8(size).bytes;
  }
  std::string directory_entry() const {
    Record extra;
    const bool large = size > kMost32, far = offset > kMost32;
    if (large) extra.put8(size).put8(size);
    if (far) extra.put8(offset);
    Record r;
    r.put4(0x02014b50).put2(kVersion | kUnix << 8);
    put_description(r, large ? kAll32 : size, extra.bytes.empty() ? 0 : extra.bytes.size() + 4);
    r.put2(0).put2(0).put2(0).put4(kReadWrite << 16).put4(far ? kAll32 : offset);
    r.bytes += name;
    if (!extra.bytes.empty()) r.put2(1).put2(extra.bytes.size());
    return r.bytes + extra.bytes;
  }
};

std::string end_of_archive(uint64_t members, uint64_t directory, uint64_t directory_bytes) {
  Record r;
  if (members > kAll16 || directory > kMost32 || directory_bytes > kMost32) {
    r.put4(0x06064b50).put8(44).put2(kVersion).put2(kVersion).put4(0).put4(0);
    r.put8(members).put8(members).put8(directory_bytes).put8(directory);
    r.put4(0x07064b50).put4(0).put8(directory + directory_bytes).put4(1);
  }
  r.put4(0x06054b50).put2(0).put2(0).put2(std::min(members, kAll16)).put2(std::min(members, kAll16));
  return r.put4(std::min(directory_bytes, kAll32)).put4(std::min(directory, kAll32)).put2(0).bytes;
}

void expect_good_name(const char* op, const std::string& name) {
  ORDO_CHECK(!name.empty() && name.size() + 4 <= kAll16 && name.find('\0') == std::string::npos, ValueError, op,
             "names have 1 to 65531 bytes and no zero byte; this one has {}: '{}'", name.size(), name.substr(0, 64));
  for (std::string_view left = name; !left.empty(); left.remove_prefix(character_bytes(left)))
    ORDO_CHECK(character_bytes(left) > 0, ValueError, op, "names must be UTF-8");
}

uint64_t crc_of(uint64_t crc, const void* data, uint64_t bytes) {
  return bytes == 0 ? crc : crc32_z(crc, static_cast<const Bytef*>(data), size_t(bytes));  // no data: crc32_z begins
}

}  // namespace

void save_npz(const std::string& path, const nn::NamedTensorList& tensors) {
  const ordo::detail::LibraryCall library;
  const char* op = "save_npz";
  std::set<std::string> names;
  std::vector<std::string> headers;
  for (const auto& [name, tensor] : tensors) {
    expect_good_name(op, name);
    detail::expect_defined(op, tensor, name.c_str());
    ORDO_CHECK(names.insert(name).second, ValueError, op, "'{}' is given twice", name);
    headers.push_back(nn::npy_header(op, fmt::format("'{}': ", name), tensor));
  }
  NoGrad guard;
  nn::WholeFile file(path);
  uint64_t written = 0;
  const auto write = [&](const void* data, uint64_t bytes) { file.write(data, bytes), written += bytes; };
  std::vector<std::string> entries;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor host = tensors[i].tensor.detach().to(cpu).contiguous();
    const std::string& name = tensors[i].name;
    const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return uint8_t(c) < 0x80; });
    const uint64_t crc = crc_of(crc_of(0, headers[i].data(), headers[i].size()), host.data(), host.nbytes());
    const Member member{name + ".npy", ascii ? 0 : kUtf8, crc, headers[i].size() + host.nbytes(), written};
    const std::string start = member.local_header() + headers[i];
    write(start.data(), start.size());
    write(host.data(), host.nbytes());
    entries.push_back(member.directory_entry());
  }
  const uint64_t directory = written;
  for (const std::string& entry : entries) write(entry.data(), entry.size());
  const std::string end = end_of_archive(entries.size(), directory, written - directory);
  write(end.data(), end.size());
  file.commit();
}

}  // namespace ordo

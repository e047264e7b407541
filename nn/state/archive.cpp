#ifdef ORDO_HAS_ZIP
#include <ordo/nn/state/archive.h>

#include <algorithm>
#include <set>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/printable.h>

namespace ordo::nn {

static std::string reason_of(zip_error_t* error) {
  if (zip_error_code_zip(error) == ZIP_ER_CRC) return "its checksum (CRC) is wrong";
  return zip_error_strerror(error);
}

Archive::Archive(const std::string& path, const char* op)
    : path_(path), op_(op), bytes_(DataFile(path, op, Packing::none).most_left()) {
  open(ZIP_RDONLY | ZIP_CHECKCONS);
}

void Archive::open(int flags) {
  int code = 0;
  zip_ = zip_open(path_.c_str(), flags, &code);
  if (zip_) return;
  if (code == ZIP_ER_EXISTS && (flags & ZIP_CHECKCONS)) return open(ZIP_RDONLY);  // entries() finds which name it is
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  fail("the archive: no zip file, or a broken one: " + reason);
}

void Archive::fail(const std::string& reason) const { detail::fail<DataError>(op_, "{}: {}", path_, reason); }
void Archive::fail(const std::string& member, const std::string& reason) const {
  fail(fmt::format("member '{}': {}", printable(member), reason));
}

std::vector<Archive::Entry> Archive::entries(const std::string& ending) const {
  std::vector<Entry> entries;
  std::set<std::string> names;
  uint64_t packed = 0;
  const uint64_t count = uint64_t(std::max<zip_int64_t>(zip_get_num_entries(zip_, 0), 0));
  for (uint64_t i = 0; i < count; ++i) {
    const char* raw = zip_get_name(zip_, i, ZIP_FL_ENC_STRICT);
    if (!raw) fail(fmt::format("the archive: member {} has no name that can be read", i));
    const std::string name = raw;
    if (!ending.empty() && (name.size() <= ending.size() || !name.ends_with(ending)))
      fail(name, "expected a name that ends in " + ending);
    if (!names.insert(name).second) fail(name, "its name is there twice");
    zip_stat_t stat;
    if (zip_stat_index(zip_, i, 0, &stat) != 0) fail(name, reason_of(zip_get_error(zip_)));
    constexpr zip_uint64_t kWanted =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD | ZIP_STAT_CRC;
    if ((stat.valid & kWanted) != kWanted) fail(name, "its size or checksum is not known");
    if (stat.encryption_method != ZIP_EM_NONE) fail(name, "it is encrypted");
    if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
      fail(name, fmt::format("expected method 0 (stored) or 8 (deflate), found {}", stat.comp_method));
    if (stat.comp_size > bytes_ - packed)
      fail(name, fmt::format("it has {} bytes in the archive, whose members together have {} at most", stat.comp_size,
                             bytes_));
    packed += stat.comp_size;
    // A byte of deflate holds at most 1032 bytes.
    const bool stored = stat.comp_method == ZIP_CM_STORE;
    if (stored ? stat.size != stat.comp_size : stat.size / 1032 > stat.comp_size)
      fail(name, fmt::format("{} bytes in the archive cannot hold {}", stat.comp_size, stat.size));
    entries.push_back({i, name, stat.size, !stored});
  }
  return entries;
}

ArchiveMember::ArchiveMember(const Archive& archive, const Archive::Entry& entry)
    : ByteSource(archive.op_, fmt::format("{}: member '{}'", archive.path_, entry.name)), size_(entry.size) {
  file_ = zip_fopen_index(archive.zip_, entry.index, 0);
  if (!file_) archive.fail(entry.name, reason_of(zip_get_error(archive.zip_)));
}

void ArchiveMember::expect_end() {
  char extra;
  if (read_some(&extra, 1) > 0) fail(offset_, "expected its end, found more data");
}

uint64_t ArchiveMember::most_left() const { return size_ - std::min(size_, offset_); }

uint64_t ArchiveMember::read_some(void* to, uint64_t bytes) {
  const zip_int64_t got = zip_fread(file_, to, std::min<uint64_t>(bytes, 1u << 30));
  if (got < 0) fail(offset_, "{}", reason_of(zip_file_get_error(file_)));
  return uint64_t(got);
}

std::string ArchiveMember::end_text(uint64_t missing, uint64_t, const char* what) const {
  return fmt::format("it ends here; expected {} more bytes of {}", missing, what);
}

}  // namespace ordo::nn
#endif

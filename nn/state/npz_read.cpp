// Archives are read by libzip (https://libzip.org), which checks headers against each other and checksums.
#include <ordo/nn/state/npy.h>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>

#ifdef ORDO_HAS_ZIP
#include <zip.h>

#include <algorithm>
#include <set>

#include <ordo/nn/state/data_file.h>
#endif

namespace ordo {

#ifdef ORDO_HAS_ZIP

namespace {

constexpr const char* kOp = "load_npz";

std::string reason_of(zip_error_t* error) {
  if (zip_error_code_zip(error) == ZIP_ER_CRC) return "its checksum (CRC) is wrong";
  return zip_error_strerror(error);
}

class Archive {
 public:
  explicit Archive(const std::string& path)
      : path_(path), bytes_(nn::DataFile(path, kOp, nn::Packing::none).most_left()) {
    open(ZIP_RDONLY | ZIP_CHECKCONS);
  }
  ~Archive() {
    if (zip_) zip_discard(zip_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  zip_t* get() const { return zip_; }
  const std::string& path() const { return path_; }
  uint64_t size() const { return uint64_t(std::max<zip_int64_t>(zip_get_num_entries(zip_, 0), 0)); }
  uint64_t bytes() const { return bytes_; }
  [[noreturn]] void fail(const std::string& reason) const { detail::fail<DataError>(kOp, "{}: {}", path_, reason); }
  [[noreturn]] void fail(const std::string& member, const std::string& reason) const {
    fail(fmt::format("member '{}': {}", member, reason));
  }

 private:
  void open(int flags) {
    int code = 0;
    zip_ = zip_open(path_.c_str(), flags, &code);
    if (zip_) return;
    if (code == ZIP_ER_EXISTS && (flags & ZIP_CHECKCONS)) return open(ZIP_RDONLY);  // the reader finds which name it is
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    fail("the archive: no zip file, or a broken one: " + reason);
  }
  const std::string path_;
  const uint64_t bytes_;
  zip_t* zip_ = nullptr;
};

struct Entry {
  uint64_t index;
  std::string file, name;  // with and without ".npy"
  uint64_t size;
};

/// All members, checked against each other and the archive's size.
std::vector<Entry> entries_of(const Archive& archive) {
  std::vector<Entry> entries;
  std::set<std::string> names;
  uint64_t packed = 0;
  for (uint64_t i = 0; i < archive.size(); ++i) {
    const char* raw = zip_get_name(archive.get(), i, ZIP_FL_ENC_STRICT);
    if (!raw) archive.fail(fmt::format("the archive: member {} has no name that can be read", i));
    const std::string file = raw;
    if (file.size() <= 4 || !file.ends_with(".npy")) archive.fail(file, "expected a name that ends in .npy");
    if (!names.insert(file).second) archive.fail(file, "its name is there twice");
    zip_stat_t stat;
    if (zip_stat_index(archive.get(), i, 0, &stat) != 0) archive.fail(file, reason_of(zip_get_error(archive.get())));
    constexpr zip_uint64_t kWanted =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD | ZIP_STAT_CRC;
    if ((stat.valid & kWanted) != kWanted) archive.fail(file, "its size or checksum is not known");
    if (stat.encryption_method != ZIP_EM_NONE) archive.fail(file, "it is encrypted");
    if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
      archive.fail(file, fmt::format("expected method 0 (stored) or 8 (deflate), found {}", stat.comp_method));
    if (stat.comp_size > archive.bytes() - packed)
      archive.fail(file, fmt::format("it has {} bytes in the archive, whose members together have {} at most",
                                     stat.comp_size, archive.bytes()));
    packed += stat.comp_size;
    // A byte of deflate holds at most 1032 bytes.
    const bool stored = stat.comp_method == ZIP_CM_STORE;
    if (stored ? stat.size != stat.comp_size : stat.size / 1032 > stat.comp_size)
      archive.fail(file, fmt::format("{} bytes in the archive cannot hold {}", stat.comp_size, stat.size));
    entries.push_back({i, file, file.substr(0, file.size() - 4), stat.size});
  }
  return entries;
}

class Member : public nn::ByteSource {
 public:
  Member(const Archive& archive, const Entry& entry)
      : ByteSource(kOp, fmt::format("{}: member '{}'", archive.path(), entry.file)), size_(entry.size) {
    file_ = zip_fopen_index(archive.get(), entry.index, 0);
    if (!file_) archive.fail(entry.file, reason_of(zip_get_error(archive.get())));
  }
  ~Member() override { zip_fclose(file_); }

  /// At the end libzip compares the checksum.
  void expect_end() {
    char extra;
    if (read_some(&extra, 1) > 0) fail(offset_, "expected its end, found more data");
  }
  uint64_t most_left() const override { return size_ - std::min(size_, offset_); }

 private:
  uint64_t read_some(void* to, uint64_t bytes) override {
    const zip_int64_t got = zip_fread(file_, to, std::min<uint64_t>(bytes, 1u << 30));
    if (got < 0) fail(offset_, "{}", reason_of(zip_file_get_error(file_)));
    return uint64_t(got);
  }
  std::string end_text(uint64_t missing, uint64_t, const char* what) const override {
    return fmt::format("it ends here; expected {} more bytes of {}", missing, what);
  }
  const uint64_t size_;
  zip_file_t* file_;
};

}  // namespace

nn::NamedTensorList load_npz(const std::string& path) {
  const ordo::detail::LibraryCall library;
  const Archive archive(path);
  nn::NamedTensorList tensors;
  for (const Entry& entry : entries_of(archive)) {
    Member member(archive, entry);
    const Tensor tensor = nn::read_npy(member);
    member.expect_end();
    tensors.push_back({entry.name, tensor});
  }
  return tensors;
}

#else

nn::NamedTensorList load_npz(const std::string& path) {
  const ordo::detail::LibraryCall library;
  detail::fail<DataError>(
      "load_npz",
      "{}: Ordo was configured without libzip, which reads .npz files; install libzip-dev and configure again", path);
}

#endif

}  // namespace ordo

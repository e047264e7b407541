// Zip archives, read by libzip (https://libzip.org), which checks headers against each other and checksums. Internal to
// nn; only where Ordo was configured with libzip.
#pragma once

#include <zip.h>

#include <string>
#include <vector>

#include <ordo/nn/state/data_file.h>

namespace ordo::nn {

class Archive {
 public:
  struct Entry {
    uint64_t index;
    std::string name;
    uint64_t size;  ///< when it is unpacked
    bool packed;
  };

  /// DataError when the file is no zip archive; here and below, naming `op`.
  Archive(const std::string& path, const char* op);
  ~Archive() {
    if (zip_) zip_discard(zip_);
  }
  Archive(Archive&&) = delete;

  /// All members, checked against each other and the archive's size. DataError for a name that ends otherwise.
  std::vector<Entry> entries(const std::string& ending = "") const;
  [[noreturn]] void fail(const std::string& reason) const;
  [[noreturn]] void fail(const std::string& member, const std::string& reason) const;

 private:
  friend class ArchiveMember;
  void open(int flags);
  const std::string path_;
  const char* const op_;
  const uint64_t bytes_;
  zip_t* zip_ = nullptr;
};

class ArchiveMember : public ByteSource {
 public:
  ArchiveMember(const Archive& archive, const Archive::Entry& entry);
  ~ArchiveMember() override { zip_fclose(file_); }

  /// At the end libzip compares the checksum.
  void expect_end();
  uint64_t most_left() const override;

 private:
  uint64_t read_some(void* to, uint64_t bytes) override;
  std::string end_text(uint64_t missing, uint64_t, const char* what) const override;
  const uint64_t size_;
  zip_file_t* file_;
};

}  // namespace ordo::nn

// RunLog: a file of JSON lines that a resumed run continues. Internal to nn.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ordo/nn/train/metrics.h>

namespace ordo::detail {

/// One JSON object in one line. Numbers read back as the same bits; those that JSON lacks are texts: "nan", "inf",
/// "-inf".
class JsonLine {
 public:
  explicit JsonLine(std::string_view event) { add("event", event); }
  JsonLine& add(std::string_view name, double value);
  JsonLine& add(std::string_view name, int64_t value);
  JsonLine& add(std::string_view name, uint64_t value);
  JsonLine& add(std::string_view name, bool value);
  JsonLine& add(std::string_view name, std::string_view value);
  JsonLine& add(std::string_view name, const char* value) { return add(name, std::string_view(value)); }
  JsonLine& add(std::string_view name, const std::vector<std::string>& values);
  JsonLine& add(std::string_view name, const NamedNumbers& values);
  std::string text() const { return text_ + "}\n"; }

 private:
  void begin(std::string_view name);
  std::string text_ = "{";
};

class RunLog {
 public:
  /// Cuts the file off after its first `keep` bytes, and goes on from there; makes it where there is none and `keep` is
  /// 0. DataError when that fails or the file is shorter. ValueError, and the file stays, where `keep` is 0 and it
  /// holds something: for a run that is `resumed`, something else than what a run that saved nothing yet left.
  RunLog(const std::string& path, int64_t keep, bool resumed);
  ~RunLog();
  RunLog(RunLog&&) = delete;

  /// DataError when the disk is full or fails.
  void write(const JsonLine& line);
  /// To the disk: a checkpoint must not outlive the lines that it counts.
  void flush();
  int64_t bytes() const { return bytes_; }

 private:
  [[noreturn]] void fail(const char* what) const;
  void expect_replaceable(bool resumed) const;
  std::string path_;
  int file_ = -1;
  int64_t bytes_ = 0;
};

}  // namespace ordo::detail

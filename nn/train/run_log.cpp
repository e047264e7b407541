#include <ordo/nn/train/run_log.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/run/files.h>
#include <ordo/nn/state/whole_file.h>

namespace ordo::detail {

static std::string json_string(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (all += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      all += fmt::format("\\u{:04x}", int(c));
    else
      all += c;
  }
  return all += '"';
}

static std::string number(double value) {
  if (std::isnan(value)) return "\"nan\"";
  return std::isinf(value) ? fmt::format("\"{}\"", value) : fmt::format("{}", value);
}

void JsonLine::begin(std::string_view name) {
  text_ += fmt::format("{}{}:", text_.size() > 1 ? "," : "", json_string(name));
}
JsonLine& JsonLine::add(std::string_view name, double value) { return begin(name), text_ += number(value), *this; }
JsonLine& JsonLine::add(std::string_view name, int64_t v) { return begin(name), text_ += std::to_string(v), *this; }
JsonLine& JsonLine::add(std::string_view name, uint64_t v) { return begin(name), text_ += std::to_string(v), *this; }
JsonLine& JsonLine::add(std::string_view name, bool v) { return begin(name), text_ += v ? "true" : "false", *this; }
JsonLine& JsonLine::add(std::string_view name, std::string_view v) {
  return begin(name), text_ += json_string(v), *this;
}

JsonLine& JsonLine::add(std::string_view name, const std::vector<std::string>& values) {
  begin(name);
  text_ += '[';
  for (const std::string& value : values) (text_ += &value == values.data() ? "" : ",") += json_string(value);
  return text_ += ']', *this;
}

JsonLine& JsonLine::add(std::string_view name, const NamedNumbers& values) {
  begin(name);
  text_ += '{';
  for (const NamedNumber& n : values)
    text_ += fmt::format("{}{}:{}", &n == values.data() ? "" : ",", json_string(n.name), number(n.value));
  return text_ += '}', *this;
}

void RunLog::fail(const char* what) const {
  detail::fail<DataError>("Trainer", "the log {}: {}: {}", path_, what, std::strerror(errno));
}

void RunLog::expect_replaceable(bool resumed) const {
  constexpr std::string_view begin = R"({"event":"begin","format":"ordo run",)";
  ORDO_CHECK(resumed, ValueError, "Trainer", "the log {} exists; resume its run, or choose another file", path_);
  char text[begin.size()];
  std::ifstream file(path_, std::ios::binary);
  file.read(text, sizeof text);
  ORDO_CHECK(file.gcount() > 0 && begin.starts_with(std::string_view(text, size_t(file.gcount()))), ValueError,
             "Trainer", "the log {} is no run's log; choose another file", path_);
}

RunLog::RunLog(const std::string& path, int64_t keep, bool resumed) : path_(path) {
  file_ = open_to_write("Trainer", path, O_WRONLY | (keep == 0 ? O_CREAT : 0), "the log " + path);
  try {
    struct stat now;
    if (::fstat(file_, &now) != 0) fail("cannot be read");
    ORDO_CHECK(now.st_size >= keep, DataError, "Trainer",
               "the log {}: has {} bytes, but the run that is resumed had written {}", path, int64_t(now.st_size),
               keep);
    if (S_ISREG(now.st_mode) && keep == 0 && now.st_size > 0) expect_replaceable(resumed);
    if (S_ISREG(now.st_mode) && ::ftruncate(file_, keep) != 0) fail("cannot be cut off");
    if (S_ISREG(now.st_mode) && ::lseek(file_, keep, SEEK_SET) < 0) fail("cannot be continued");
  } catch (...) {
    ::close(file_);
    throw;
  }
  bytes_ = keep;
}

RunLog::~RunLog() { ::close(file_); }

void RunLog::write(const JsonLine& line) {
  const std::string text = line.text();
  if (nn::write_all(file_, text) != 0) fail("cannot be written");
  bytes_ += int64_t(text.size());
}

void RunLog::flush() {
  if (::fdatasync(file_) != 0 && errno != EINVAL && errno != EROFS) fail("cannot be flushed");
}

}  // namespace ordo::detail

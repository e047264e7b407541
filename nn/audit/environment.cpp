#include <ordo/nn/audit/recording.h>

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <ordo/engine/calls/check.h>

namespace ordo::audit {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Of a process that mpirun started and that is not the first: each has a trace, and the first writes tensors.
std::string later_rank() {
  for (const char* rank : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
    if (const std::string number = variable(rank); !number.empty()) return number == "0" ? "" : number;
  return "";
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// "17" or "3-5"
StepRange range_of(const std::string& text) {
  StepRange range;
  const char *const begin = text.data(), *const end = begin + text.size();
  auto [at, error] = std::from_chars(begin, end, range.first);
  range.last = range.first;
  if (error == std::errc() && at != end && *at == '-') {
    const auto second = std::from_chars(at + 1, end, range.last);
    at = second.ptr;
    error = second.ec;
  }
  ORDO_CHECK(error == std::errc() && at == end && range.first <= range.last, ValueError, "ORDO_TRACE_STEPS",
             "takes steps as 17 or 3-5, with commas between them, not '{}'", text);
  return range;
}

/// Records from the library's beginning to the process's end.
class OfEnvironment {
 public:
  OfEnvironment() {
    try {
      std::optional<Dump> dump = dump_of_environment();
      if (auto options = options_of_environment()) {
        recording_ = std::make_shared<Recording>(std::move(*options), std::move(dump));
        recording_->listen();
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\nNothing is recorded.\n", error.what());
    }
  }
  ~OfEnvironment() {
    try {
      if (recording_) recording_->close();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
  }
  OfEnvironment(OfEnvironment&&) = delete;

 private:
  std::shared_ptr<Recording> recording_;
};

const OfEnvironment g_recorder;

}  // namespace

std::optional<RecorderOptions> options_of_environment() {
  RecorderOptions o;
  o.path = variable("ORDO_TRACE");
  if (o.path.empty()) return std::nullopt;
  if (const size_t at = o.path.find("%p"); at != std::string::npos) o.path.replace(at, 2, std::to_string(::getpid()));
  if (const std::string rank = later_rank(); !rank.empty()) o.path += ".rank" + rank;
  const std::string detail = variable("ORDO_TRACE_DETAIL");
  ORDO_CHECK(detail.empty() || detail_from_name(detail), ValueError, "ORDO_TRACE_DETAIL",
             "is 'operations', 'steps' or 'parameters', not '{}'", detail);
  o.detail = detail_from_name(detail).value_or(Detail::operations);
  const std::string rows = variable("ORDO_TRACE_ROWS");
  const auto [end, error] = std::from_chars(rows.data(), rows.data() + rows.size(), o.rows);
  ORDO_CHECK(rows.empty() || (error == std::errc() && end == rows.data() + rows.size() && o.rows > 0), ValueError,
             "ORDO_TRACE_ROWS", "is the number of a batch's rows, not '{}'", rows);
  const std::string again = variable("ORDO_TRACE_READ_AGAIN");
  ORDO_CHECK(again.empty() || again == "0" || again == "1", ValueError, "ORDO_TRACE_READ_AGAIN", "is 0 or 1, not '{}'",
             again);
  o.read_again = again == "1";
  for (const std::string& part : parts_of(variable("ORDO_TRACE_STEPS"))) o.steps.push_back(range_of(part));
  o.modules = parts_of(variable("ORDO_TRACE_MODULES"));
  o.operations = parts_of(variable("ORDO_TRACE_OPS"));
  return o;
}

std::optional<Dump> dump_of_environment() {
  const std::string place = variable("ORDO_TRACE_DUMP"), folder = variable("ORDO_TRACE_DUMP_TO");
  if (place.empty() || !later_rank().empty()) return std::nullopt;
  ORDO_CHECK(!folder.empty(), ValueError, "ORDO_TRACE_DUMP", "needs a folder in ORDO_TRACE_DUMP_TO");
  ORDO_CHECK(!variable("ORDO_TRACE").empty(), ValueError, "ORDO_TRACE_DUMP",
             "needs a file for the trace in ORDO_TRACE");
  return Dump(DumpPosition::parse(place), folder, true);
}

}  // namespace ordo::audit

// ordo diff: where two traces part, and why.
#include <ordo/engine/run/files.h>
#include <ordo/nn/audit/diff.h>
#include <ordo/nn/audit/dump.h>
#include <ordo/ordo.h>

#include <filesystem>
#include <optional>

#include "tools/ordo/cli.h"
#include "tools/ordo/diff_json.h"
#include "tools/ordo/pages.h"
#include "tools/ordo/say.h"
#include "tools/ordo/source_line.h"

namespace {

using namespace ordo;

struct Options {
  std::string a, b, json, html, dump;
  audit::DiffOptions diff;
};

/// For a shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// ORDO_TRACE_DUMP for the first difference in either run; "" where there are no tensors.
std::string dump_of(const std::optional<audit::Position>& place) {
  const auto found = place ? audit::dump_position(*place) : std::nullopt;
  return found ? found->str() : "";
}

void run_diff(const Options& options) {
  const audit::TraceDiff d = audit::diff(options.a, options.b, options.diff);
  const std::string in_a = dump_of(d.first.a), in_b = dump_of(d.first.b);
  const Json json =
      to_json(d).with("files", {{"a", options.a}, {"b", options.b}}).with("dump", {{"a", in_a}, {"b", in_b}});
  if (!options.json.empty()) write_file("diff", options.json, json.lines());
  if (!options.html.empty()) write_file("diff", options.html, drawn("diff", "diff", json));
  say_lines(d.str());
  if (!in_a.empty() && !in_b.empty()) {
    if (options.dump.empty()) {
      say("For the values and the program's line, run again with ORDO_TRACE=FILE ORDO_TRACE_DUMP_TO=FOLDER and\n");
      say("  ORDO_TRACE_DUMP={}\n", quoted(in_a));
      if (in_b != in_a) say("  and for B ORDO_TRACE_DUMP={}\n", quoted(in_b));
      say("and then this with --dump FOLDER\n");
    } else {
      const std::filesystem::path folder = options.dump;
      ordo::detail::expect_file("diff", (folder / "calls.txt").string());
      say("called at  {}\n", source_line(folder / "calls.txt", folder / "addr2line.txt"));
      std::filesystem::remove(folder / "addr2line.txt");
    }
  }
  std::fflush(stdout);
  if (!d.equal) throw ExitStatus(1, "the traces are different");
}

std::function<void()> add_diff(Arguments arguments) {
  static Options o;
  arguments.add("A", o.a, "a trace").required();
  arguments.add("B", o.b, "another one").required();
  arguments.add("--json", o.json, "also write the result to this file");
  arguments.add("--html", o.html, "also write a page to this file");
  arguments.add("--dump", o.dump, "what ORDO_TRACE_DUMP wrote to this folder: also name the program's line");
  arguments.add("--spread", o.diff.spread, "how many of the later events that differ to list (5)").range(0, 100000);
  return [] { run_diff(o); };
}

}  // namespace

const Command kDiff{"diff", "Say where two traces of ORDO_TRACE part, and why; exit status 1 then", add_diff};

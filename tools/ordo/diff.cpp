// ordo diff: where two traces part, and why.
#include <fmt/format.h>
#include <ordo/nn/audit/diff.h>
#include <ordo/nn/audit/dump.h>
#include <ordo/ordo.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/ordo/commands.h"
#include "tools/ordo/diff_page.h"
#include "tools/ordo/page.h"
#include "tools/ordo/say.h"
#include "tools/ordo/values.h"

namespace {

using namespace ordo;

struct Options {
  std::string a, b, json, html;
  audit::DiffOptions diff;
};

/// For a shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// ORDO_TRACE_DUMP for the first difference in either run; "" where there are no tensors.
std::string dump_of(const std::optional<audit::Place>& place) {
  const auto found = place ? audit::dump_place(*place) : std::nullopt;
  return found ? found->str() : "";
}

void run_diff(const Options& options) {
  const audit::TraceDiff d = audit::diff(options.a, options.b, options.diff);
  const std::string in_a = dump_of(d.first.a), in_b = dump_of(d.first.b);
  if (!options.json.empty()) {
    auto json = to_json(d);
    json["dump"] = {{"a", in_a}, {"b", in_b}};
    write_file("diff", options.json, json_text(json));
  }
  if (!options.html.empty()) write_file("diff", options.html, diff_page(d, options.a, options.b));
  say_lines(d.str());
  if (!in_a.empty() && !in_b.empty()) {
    say("For the values, run again with ORDO_TRACE=FILE ORDO_TRACE_DUMP_TO=FOLDER and\n");
    say("  ORDO_TRACE_DUMP={}\n", quoted(in_a));
    if (in_b != in_a) say("  and for B ORDO_TRACE_DUMP={}\n", quoted(in_b));
  }
  std::fflush(stdout);
  if (!d.equal) throw ExitStatus(1, "the traces are different");
}

}  // namespace

Command add_diff(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("diff", "Say where two traces of ORDO_TRACE part, and why; exit status 1 then");
  command->add_option("A", options->a, "a trace")->required();
  command->add_option("B", options->b, "another one")->required();
  command->add_option("--json", options->json, "also write the result to this file");
  command->add_option("--html", options->html, "also write a page to this file");
  command->add_option("--spread", options->diff.spread, "how many of the later events that differ to list (5)")
      ->check(CLI::Range(0, 100000));
  return [options] { run_diff(*options); };
}

// ordo diff: where two traces part, and why.
#include <fmt/format.h>
#include <ordo/nn/audit/diff.h>
#include <ordo/ordo.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/ordo/commands.h"
#include "tools/ordo/diff_page.h"

namespace {

using namespace ordo;

struct Options {
  std::string a, b, json, html;
  audit::DiffOptions diff;
};

void save(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw DataError(fmt::format("[diff] cannot write {}", file));
}

void run_diff(const Options& options) {
  const audit::TraceDiff d = audit::diff(options.a, options.b, options.diff);
  if (!options.json.empty()) save(options.json, to_json(d).dump(2) + "\n");
  if (!options.html.empty()) save(options.html, diff_page(d, options.a, options.b));
  fmt::print("{}", d.str());
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

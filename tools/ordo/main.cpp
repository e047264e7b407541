// ordo: the engine from the command line.
#include <fmt/format.h>
#include <ordo/ordo.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <sstream>

#include "tools/ordo/commands.h"
#include "tools/ordo/say.h"

namespace {

constexpr int kBadUsage = 2, kFailure = 1;

void complain(const std::exception& error) { say_lines(fmt::format("ordo: {}\n", error.what()), stderr); }

int run(int argc, char** argv) {
  CLI::App app("Ordo: a tensor engine with a determinism switch.", "ordo");
  app.set_version_flag("--version", std::string(ordo::version()));
  app.require_subcommand(0, 1);
  app.failure_message(CLI::FailureMessage::simple);
  const std::pair<std::string, Command> commands[] = {
    {"demo", add_demo(app)},
#if ORDO_HAS_BENCH
    {"bench", add_bench(app)},
    {"report", add_report(app)},
#endif
    {"check", add_check(app)},
    {"diff", add_diff(app)},
    {"ops", add_ops(app)},
    {"scale", add_scale(app)},
    {"show", add_show(app)},
    {"info", add_info(app)}
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, complaint;
    const int status = app.exit(error, out, complaint);
    say_lines(out.str()), say_lines(complaint.str(), stderr);
    return status == 0 ? 0 : kBadUsage;
  }
  for (const auto& [name, command] : commands)
    if (app.got_subcommand(name)) return command(), 0;
  say_lines(app.help(), stderr);
  return kBadUsage;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const CLI::Error& error) {
    complain(error);
    return kBadUsage;
  } catch (const ordo::DataError& error) {  // files that were named on the command line
    complain(error);
    return kBadUsage;
  } catch (const ordo::DeviceError& error) {
    complain(error);
    return kBadUsage;
  } catch (const ExitStatus& error) {
    complain(error);
    return error.status;
  } catch (const std::exception& error) {
    complain(error);
    return kFailure;
  }
}

// ordo show playback: a recording of the emulator as a page.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/ordo/page.h"
#include "tools/ordo/playback_page.h"
#include "tools/ordo/say.h"
#include "tools/ordo/show_commands.h"

namespace {
struct Options {
  std::string file, output = "playback.html";
};
}  // namespace

std::pair<CLI::App*, Command> add_show_playback(CLI::App& show) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      show.add_subcommand("playback", "Make a page that plays a recording of ORDO_EMULATOR_RECORD: threads by time");
  command->add_option("file", options->file, "the recording")->required();
  command->add_option("-o,--output", options->output, "the page (playback.html)");
  return {command, [options] {
            write_file("show", options->output, playback_page(options->file));
            say("wrote {}\n", options->output);
          }};
}

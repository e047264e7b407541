// ordo show playback: a recording of the emulator as a page that plays it.
#include <ordo/engine/run/files.h>

#include "tools/ordo/pages.h"
#include "tools/ordo/say.h"
#include "tools/ordo/show.h"

Subcommand add_show_playback(Arguments show) {
  static std::string file, output = "playback.html";
  const Arguments playback =
      show.command("playback", "Make a page that plays a recording of ORDO_EMULATOR_RECORD: threads by time");
  playback.add("file", file, "the recording").required();
  playback.add("-o,--output", output, "the page (playback.html)");
  return {playback, [] {
            ordo::detail::expect_file("show", file);
            write_file("show", output, drawn_from("show", "playback", file));
            say("wrote {}\n", output);
          }};
}

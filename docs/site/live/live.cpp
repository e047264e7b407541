// Lessons in a web page: run(PROGRAM, SEED) runs the check of one text of a lesson, as its own program does elsewhere
// (samples/lessons/harness/main.cpp). What it prints goes to the page, which also ends it when it takes too long.
#include <emscripten/emscripten.h>

#include <cstdlib>
#include <string>

#include <ordo/simulators/emulator/recording.h>
#include <ordo/simulators/emulator/scheduler.h>
#include <ordo/simulators/emulator/streams.h>
#include "check.h"
#include "programs.h"

/// The line of the learner's text that comes next (lines.py).
extern "C" int ordo_line = 0;

/// What the last run ended with. (The call itself returns when the first fiber starts.)
static int g_status = 0;
extern "C" EMSCRIPTEN_KEEPALIVE int program_status() { return g_status; }

/// `seed` 0: all schedules. With a seed, what the threads do is written to /recording, for the page to play.
extern "C" EMSCRIPTEN_KEEPALIVE void run_program(int program, int seed) {
  if (seed) {
    setenv("LESSON_SEED", std::to_string(seed).c_str(), 1);
    ordo::cuda::emulator::recording::to_file("/recording");
  }
  ordo::cuda::emulator::options().stack_bytes = 24 << 10;
  g_status = lesson::judge(kPrograms[program]);
}

#include <cstdlib>
#include <string_view>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/memory_annotations.h>
#include <ordo/simulators/emulator/recording.h>
#include <ordo/simulators/emulator/streams.h>
#include <ordo/simulators/emulator/threads.h>

namespace ordo::cuda::emulator {

#if ORDO_ADDRESS_SANITIZER || ORDO_RACE_CHECKER
const bool kEagerByDefault = true;
#else
const bool kEagerByDefault = false;
#endif

namespace {
Options from_environment() {
  Options o;
  o.eager = kEagerByDefault;
  if (const char* text = std::getenv("ORDO_EMULATOR_SEED")) o.seed = std::strtoull(text, nullptr, 10);
  if (const char* text = std::getenv("ORDO_EMULATOR_ORDER")) {
    const std::string_view order = text;
    ORDO_CHECK(order == "random" || order == "forward" || order == "reverse", ValueError, "emulator",
               "ORDO_EMULATOR_ORDER is '{}'; it must be random, forward or reverse", order);
    o.order = order == "random" ? Order::random : order == "forward" ? Order::forward : Order::reverse;
  }
  if (const char* text = std::getenv("ORDO_EMULATOR_YIELD")) {
    char* end = nullptr;
    o.yield = std::strtod(text, &end);
    ORDO_CHECK(end != text && *end == 0 && o.yield >= 0 && o.yield <= 1, ValueError, "emulator",
               "ORDO_EMULATOR_YIELD is '{}'; it must be a probability", text);
  }
  if (const char* text = std::getenv("ORDO_EMULATOR_MULTIPROCESSORS")) {
    o.multiprocessors = std::atoi(text);
    ORDO_CHECK(o.multiprocessors >= 1 && o.multiprocessors <= 1024, ValueError, "emulator",
               "ORDO_EMULATOR_MULTIPROCESSORS is '{}'; it must be 1 to 1024", text);
  }
  if (const char* file = std::getenv("ORDO_EMULATOR_RECORD")) recording::to_file(file);
  if (const char* text = std::getenv("ORDO_EMULATOR_EAGER")) {
    const std::string_view eager = text;
    ORDO_CHECK(eager == "0" || eager == "1", ValueError, "emulator", "ORDO_EMULATOR_EAGER is '{}'; it must be 0 or 1",
               eager);
    o.eager = eager == "1";
  }
  return o;
}
}  // namespace

Options& options() {
  static Options o = from_environment();
  return o;
}
int multiprocessors() {
  const Options& o = options();
  return o.multiprocessors ? o.multiprocessors : 1 + int(Random(~o.seed).below(132));
}
Stats& counters() {
  static Stats s;
  return s;
}

}  // namespace ordo::cuda::emulator

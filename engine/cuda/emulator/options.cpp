#include <cstdlib>
#include <string_view>

#include <ordo/engine/check.h>
#include <ordo/engine/cuda/emulator/scheduler.h>

namespace ordo::cuda::emulator {

namespace {
Options from_environment() {
  Options o;
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
  return o;
}
}  // namespace

Options& options() {
  static Options o = from_environment();
  return o;
}
Stats& stats() {
  static Stats s;
  return s;
}

}  // namespace ordo::cuda::emulator

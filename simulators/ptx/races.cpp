// Races: what the machine tells the detector that the emulator uses, too (races.h), and what it says of one.
#include <fmt/format.h>

#include "simulators/ptx/decode.h"

namespace ordo::ptx {

using cuda::races::Access;
using cuda::races::Kind;

void find_races(Device& device) {
  device.races = std::make_unique<cuda::races::Detector>([&device](const Access* before, const Access& now) {
    const auto describe = [&](const Access& a) {
      static constexpr const char* kNames[] = {"", "read", "write", "atomic"};
      const size_t statement = static_cast<const Instruction*>(a.code)->statement;
      return fmt::format("{} at '{}', line {}, by thread {} of block {}", kNames[int(a.kind)],
                         device.running->texts[statement], device.running->lines[statement], a.thread, a.block);
    };
    throw Fault(Fault::Kind::failure, "a data race: " + describe(*before) + ",\n  then " + describe(now));
  });
}

void watch_shared(Warp& w, const Instruction& in, int lane, const void* p, size_t bytes, Kind kind, bool compares) {
  Block& block = w.block();
  cuda::races::Detector& races = *block.device().races;
  const unsigned thread = unsigned(w.number() * kLanes + lane);
  if (in.releases) races.fence(block.race_state(), thread, true);
  if (in.strong || kind == Kind::atomic)
    races.atomic(block.race_state(), thread, p, bytes, &in,
                 {.reads = kind != Kind::write, .writes = kind != Kind::read, .compares = compares}, false);
  else
    races.access(block.race_state(), thread, p, bytes, kind, &in, false);
  if (in.acquires) races.fence(block.race_state(), thread, true);
}

}  // namespace ordo::ptx

// The order of a sum in a web page: look(OP, SIZE, DTYPE, LEVEL, SEED) prints what is found of it, on the emulated GPU.
#include <emscripten/emscripten.h>

#include <cstdio>

#include <ordo/simulators/emulator/streams.h>
#include "docs/site/live/sums.h"

extern "C" EMSCRIPTEN_KEEPALIVE void look(int op, int size, int dtype, int level, int seed) {
  using namespace ordo;
  const auto use_schedule = [](int schedule) {
    cuda::emulator::restart();
    cuda::emulator::options().seed = uint64_t(schedule);
    cuda::emulator::options().stack_bytes = 24 << 10;
    cuda::emulator::options().yield = 0.1;
  };
  std::printf("%s\n", site::look_at_sum(site::SumOp(op), size, dtype, Determinism(level), seed, use_schedule).c_str());
}

// ordo: the engine from the command line.
#include "tools/ordo/cli.h"

int main(int argc, char** argv) {
  const Command commands[] = {
    kDemo,
#if ORDO_HAS_BENCH
    kBench,
#endif
    kReport,
    kCheck,
    kDiff,
    kOps,
    kScale,
    kShow,
    kInfo
  };
  return run_program(argc, argv, commands);
}

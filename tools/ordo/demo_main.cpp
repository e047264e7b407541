// ordo_demo: `ordo` with nothing but the demo, which `./run demo` builds in a fraction of the time.
#include "tools/ordo/cli.h"

int main(int argc, char** argv) { return run_program(argc, argv, {&kDemo, 1}); }

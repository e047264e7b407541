#include "tools/demo/schedules.h"

#include <ordo/engine/run/emulation.h>

namespace ordo::demo {

namespace {
cuda::Schedule of_repeat(int i) {
  static const cuda::Schedule first = cuda::schedule();
  cuda::Schedule s = first;
  s.seed += uint64_t(i);
  return s;
}
}  // namespace

void use_schedule(int repeat) {
  cuda::restart_schedule();
  cuda::set_schedule(of_repeat(repeat));
}

std::string schedule_variables(int repeat) { return cuda::schedule_text(of_repeat(repeat)); }

}  // namespace ordo::demo

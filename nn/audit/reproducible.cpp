#include <ordo/nn/audit/reproducible.h>

#include <fmt/format.h>

#include <ostream>

#include <ordo/engine/calls/check.h>
#include <ordo/nn/audit/diff.h>

namespace ordo::audit {

std::ostream& operator<<(std::ostream& out, const Comparison& c) { return out << (c.equal ? "equal" : c.message); }

Comparison reproducible(const std::function<void()>& f, ReproducibleOptions options) {
  ORDO_CHECK(f, ValueError, "reproducible", "the function is empty");
  ORDO_CHECK(options.times >= 2, ValueError, "reproducible", "needs at least 2 runs to compare, not {}", options.times);
  options.record.path.clear();
  const auto run = [&] {
    Recorder recorder(options.record);
    f();
    return recorder.trace();
  };
  const Trace first = run();
  Comparison result;
  for (int k = 2; k <= options.times; ++k) {
    const TraceDiff d = diff(first, run());
    result.operations += d.compared;
    if (d.equal) continue;
    result.equal = false;
    result.message = fmt::format("run {} parts from run 1 at {}: {} (A is run 1). {}", k, d.first.place().str(),
                                 d.first.what, d.remedy);
    break;
  }
  return result;
}

}  // namespace ordo::audit

// Where two traces part, and why.
//
//   const audit::TraceDiff d = audit::diff("a.trace", "b.trace");
//   if (!d.equal) std::puts(d.str().c_str());
//
// docs/audit.md explains the verdicts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ordo/nn/audit/trace.h>

namespace ordo::audit {

/// What made two runs part.
enum class Cause : unsigned char {
  none,           ///< they are equal
  additions,      ///< floating-point numbers were added in the order in which threads arrived
  settings,       ///< another level or algorithm computed, where the inputs were equal
  processor,      ///< another device, instruction set or number of threads computed, where the inputs were equal
  unexplained,    ///< an operation gave other bits from equal inputs, and no known reason fits
  neighbours,     ///< a row of a batch got other bits from equal inputs: of batches of two sizes
  nan,            ///< both have NaNs, of other bits
  seed,           ///< a generator had another seed
  draws,          ///< more numbers had been taken from a generator
  data_order,     ///< a loader delivered the same batches in another order
  data,           ///< a loader delivered other data
  uninitialized,  ///< memory that nobody had written was read
  outside,        ///< numbers came in that no operation of Ordo had computed
  other_tensor,   ///< an operation got a tensor that the other run gives to another call of it in that step
  arguments,      ///< an operation got another argument that is no tensor
  shapes,         ///< a tensor had other sizes or another dtype
  control_flow,   ///< other operations ran
  summary,        ///< a step's hash differs: traces of ORDO_TRACE_DETAIL=steps say no more
};
std::string_view name(Cause);

/// An event of a trace, in texts of its own.
struct Position {
  std::string kind, name, path, node, arguments, device;
  bool backward = false, failed = false;
  Determinism level{};
  Algorithm algorithm{};
  int64_t step = 0;
  uint32_t thread = 0;
  int64_t occurrence = 0;  ///< which call of this operation in this module, step and thread, from 1
  uint64_t index = 0;      ///< of the record in its trace
  int depth = 0;
  std::vector<std::string> inputs = {}, outputs = {};  ///< "float32 [4, 6] 0123... Net.weight"
  /// "operation conv2d (backward) in Net.layer2, step 17, call 2"; of a thread that is not the first: "..., thread 1"
  std::string str() const;
};

/// Two events that were paired, or one that has no partner.
struct Divergence {
  Cause cause = Cause::none;
  std::optional<Position> a, b;
  std::string what = {};  ///< "output 0 has other bits"
  const Position& place() const { return a ? *a : *b; }
};

/// What two traces have in one step of the training.
struct StepDiff {
  int64_t step = 0;
  int64_t events = 0;     ///< that were paired, or have no partner
  int64_t different = 0;  ///< of them
};

struct TraceDiff {
  bool equal = true;
  Divergence first = {};                ///< cause none where equal
  std::string remedy = {};              ///< what to do about `first`
  std::vector<Divergence> others = {};  ///< the first of every other kind, and further operations that add in any order
  int64_t compared = 0;                 ///< pairs of events
  int64_t different = 0;                ///< of them, and events without a partner
  int64_t only_a = 0, only_b = 0;       ///< events without a partner
  std::vector<Position> spread = {};    ///< the first events after `first` that differ
  std::vector<Position> before = {};    ///< the last events before it
  std::vector<StepDiff> steps = {};
  std::vector<std::string> notes = {};  ///< how the runs' settings differ; what of a trace is missing
  /// Several lines.
  std::string str() const;
};

struct DiffOptions {
  int spread = 5;   ///< later events to tell
  int context = 6;  ///< events before the first difference to tell
};

/// Compares two traces. Events are paired by what they are (kind, operation, module, forward or backward) in the order
/// of each thread; what one trace has more is left out and said. Threads other than the first are compared as a heap of
/// events, so that the order in which threads arrive is no difference. Reads each file once, and once more where they
/// differ; some 100 bytes for a pair of events. A trace that was cut off is compared as far as it goes, which `notes`
/// says.
///
/// Throws: DataError when a file cannot be read or is damaged.
TraceDiff diff(const std::string& a, const std::string& b, const DiffOptions& options = {});
TraceDiff diff(const Trace& a, const Trace& b, const DiffOptions& options = {});

}  // namespace ordo::audit

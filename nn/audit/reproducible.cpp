#include <ordo/nn/audit/reproducible.h>

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <ostream>

#include <ordo/engine/check.h>
#include <ordo/nn/train/trainer.h>

namespace ordo::audit {
namespace {

/// Other threads have no order that repeats.
std::vector<const Record*> of_first_thread(const Trace& trace) {
  std::vector<const Record*> all;
  for (const Record& r : trace.records)
    if (r.thread == 0) all.push_back(&r);
  return all;
}

std::string place_of(const Record& r) {
  return fmt::format("{} {}{}{}, step {}", name(r.kind), r.name, r.backward ? " (backward)" : "",
                     r.path.empty() ? "" : fmt::format(" in {}", r.path), r.step);
}

std::string difference(const Record& a, const Record& b) {
  if (a.kind != b.kind || a.name != b.name || a.path != b.path || a.backward != b.backward)
    return fmt::format("the first has {}", place_of(a));
  if (a.arguments != b.arguments) return fmt::format("its arguments are '{}', were '{}'", b.arguments, a.arguments);
  if (a.level != b.level) return fmt::format("its level is {}, was {}", name(b.level), name(a.level));
  if (a.algorithm != b.algorithm)
    return fmt::format("its algorithm is {}, was {}", name(b.algorithm), name(a.algorithm));
  if (!(a.draw_from == b.draw_from) || a.draw_blocks != b.draw_blocks)
    return fmt::format("it draws {} blocks of seed {} from {} on, drew {} of seed {} from {} on", b.draw_blocks,
                       b.draw_from.seed, b.draw_from.offset, a.draw_blocks, a.draw_from.seed, a.draw_from.offset);
  if (!(a.hash == b.hash)) return "its hash is another one";
  if (a.input_count != b.input_count || a.tensors.size() != b.tensors.size())
    return "it takes or gives another number of tensors";
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    if (a.tensors[i] == b.tensors[i]) continue;
    const bool input = i < a.input_count;
    const std::string what = a.tensors[i].name.empty() ? "" : fmt::format(" ({})", a.tensors[i].name);
    const std::string which = fmt::format("{} {}{}", input ? "input" : "output", input ? i : i - a.input_count, what);
    if (*a.tensors[i].sizes == *b.tensors[i].sizes && a.tensors[i].dtype == b.tensors[i].dtype)
      return fmt::format("{} has other bits", which);
    return fmt::format("{} is {} {}, was {} {}", which, name(b.tensors[i].dtype), b.tensors[i].sizes->str(),
                       name(a.tensors[i].dtype), a.tensors[i].sizes->str());
  }
  return "";
}

}  // namespace

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
  const auto expected = of_first_thread(first);
  Comparison result;
  for (int k = 2; k <= options.times; ++k) {
    const Trace again = run();
    const auto found = of_first_thread(again);
    const auto part = [&](size_t i, const std::string& what) {
      const Record& at = i < found.size() ? *found[i] : *expected[i];
      result.equal = false;
      result.message = fmt::format("run {} parts from run 1 at event {}, {}: {}", k, i, place_of(at), what);
      return result;
    };
    for (size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
      if (const std::string what = difference(*expected[i], *found[i]); !what.empty()) return part(i, what);
      ++result.operations;
    }
    if (found.size() != expected.size())
      return part(std::min(found.size(), expected.size()),
                  fmt::format("there are {} events, were {}", found.size(), expected.size()));
  }
  return result;
}

void watch(Trainer& trainer, AuditOptions options) {
  ORDO_CHECK(!options.folder.empty(), ValueError, "audit::watch", "needs a folder for the traces");
  ORDO_CHECK(options.first >= 0 && options.every >= 0, ValueError, "audit::watch",
             "first and every are numbers of steps, not {} and {}", options.first, options.every);
  struct State {
    AuditOptions options;
    int64_t made = 0;  // since the run began, or was resumed
    std::unique_ptr<Recorder> recorder;
  };
  const auto state = std::make_shared<State>(State{std::move(options), 0, nullptr});
  trainer.on(On::run_begin, [state](Trainer&) {
    state->made = 0;
    std::error_code error;
    std::filesystem::create_directories(state->options.folder, error);
    ORDO_CHECK(!error, DataError, "audit::watch", "{}: cannot be made: {}", state->options.folder, error.message());
  });
  trainer.on(On::step_begin, [state](Trainer& t) {
    const AuditOptions& o = state->options;
    const int64_t step = t.status().step + 1;
    if (state->made++ >= o.first && (o.every == 0 || step % o.every != 0)) return;
    RecorderOptions record = o.record;
    record.path = fmt::format("{}/step-{}.trace", o.folder, step);
    record.steps.clear();
    state->recorder = std::make_unique<Recorder>(std::move(record));
    state->recorder->set_step(step);
  });
  trainer.on(On::step_end, [state](Trainer&) {
    if (const auto recorder = std::move(state->recorder)) recorder->close();
  });
}

}  // namespace ordo::audit

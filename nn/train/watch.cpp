// audit::watch, which nn/audit/reproducible.h declares: recordings begin and end in a Trainer's callbacks.
#include <fmt/format.h>

#include <memory>

#include <ordo/engine/calls/check.h>
#include <ordo/nn/audit/reproducible.h>
#include <ordo/nn/state/whole_file.h>
#include <ordo/nn/train/trainer.h>

namespace ordo::audit {

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
    nn::make_folder("audit::watch", state->options.folder);
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

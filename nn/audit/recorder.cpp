#include <ordo/nn/audit/recorder.h>

#include <mutex>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/nn/audit/recording.h>

namespace ordo::audit {

Recorder::Recorder(RecorderOptions options) {
  detail::expect_enumerator("Recorder", options.detail, Detail::parameters,
                            "a detail: there are operations, steps and parameters");
  const ordo::detail::LibraryCall call;
  ORDO_CHECK(options.rows >= 0, ValueError, "Recorder", "a batch has {} rows", options.rows);
  for (const StepRange& range : options.steps)
    ORDO_CHECK(range.first <= range.last, ValueError, "Recorder", "the steps {} to {} are none", range.first,
               range.last);
  state_ = std::make_shared<Recording>(std::move(options));
  state_->listen();
}

Recorder::~Recorder() {
  try {
    close();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
}

void Recorder::close() { state_->close(); }

Trace Recorder::trace() {
  const ordo::detail::LibraryCall call;
  close();
  const std::string& path = state_->options.path;
  return path.empty() ? read(Reader::of_bytes(state_->writer.bytes(), "a trace in memory")) : read(path);
}

void Recorder::set_step(int64_t step) {
  const std::lock_guard lock(state_->mutex);
  state_->step = step;
}

int64_t Recorder::step() const {
  const std::lock_guard lock(state_->mutex);
  return state_->step;
}

}  // namespace ordo::audit

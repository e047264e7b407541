#include <ordo/simulators/emulator/streams.h>

#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <ordo/engine/calls/error.h>
#include <ordo/simulators/emulator/graphs.h>
#include <ordo/simulators/emulator/queues.h>
#include <ordo/simulators/emulator/threads.h>

namespace {

struct Failure {
  std::exception_ptr exception;
  bool thrown = false;
};

}  // namespace

struct CUstream_st : ordo::cuda::queues::Stream {
  int device = 0;
  std::shared_ptr<Failure> failure;  // the first one that nobody was told of
};
struct CUevent_st {
  int device;
  ordo::cuda::queues::Event mark{};
};

namespace ordo::cuda::emulator {

namespace {

struct State {
  std::recursive_mutex mutex;
  queues::Queues queues{[] { return queues::Turns{options().order, options().seed, options().eager}; }};
  std::vector<cudaStream_t> streams;
  uint64_t launches = 0, calls = 0;  // since the start or restart()
};
State& state() {
  static State* s = new State;  // streams may be used while the process ends
  return *s;
}
thread_local std::shared_ptr<Failure> t_failure;

cudaError_t report(std::shared_ptr<Failure> failure) {
  if (!failure || failure->thrown) return cudaSuccess;
  t_failure = std::move(failure);
  return cudaErrorLaunchFailure;
}

}  // namespace

void queue_task(cudaStream_t stream, std::function<void()> work, size_t bytes) {
  const std::lock_guard lock(state().mutex);
  if (!stream || (options().eager && !stream->capture))
    return state().queues.queue(stream, std::move(work), bytes);  // what it throws goes on
  state().queues.queue(
      stream,
      [stream, work = std::move(work)] {
        try {
          work();
        } catch (...) {
          if (!stream->failure || stream->failure->thrown)
            stream->failure = std::make_shared<Failure>(Failure{std::current_exception()});
        }
      },
      bytes);
}

void queue_wait(cudaStream_t stream, std::function<bool()> ready) {
  const std::lock_guard lock(state().mutex);
  state().queues.wait(stream, std::move(ready));
}

void queue_launch(const LaunchCall& call, cudaStream_t stream, std::span<const void* const> pointers) {
  const std::lock_guard lock(state().mutex);
  check_configuration(call);
  if (!is_of_current_device(stream)) throw CudaError("[cuda] kernel launch: invalid resource handle");
  for (const void* const& pointer : pointers) expect_memory_of_current_device(&pointer, sizeof pointer);
  expect_memory_of_current_device(call.parameters, call.parameter_bytes);
  // In a graph, each run is a launch of its own.
  const uint64_t number = stream && stream->capture ? 0 : ++state().launches;
  const char* first = static_cast<const char*>(call.parameters);
  queue_task(
      stream,
      [copy = call, parameters = std::vector<char>(first, first + call.parameter_bytes), options = options(),
       number]() mutable {
        copy.parameters = parameters.data();
        run(copy, options, number ? number : ++state().launches);
      },
      sizeof call + call.parameter_bytes);
}

void finish() {
  const std::lock_guard lock(state().mutex);
  state().queues.finish_all();
}

void restart() {
  const std::lock_guard lock(state().mutex);
  state().queues.restart();
  state().launches = state().calls = 0;
}

uint64_t call_seed() {
  const std::lock_guard lock(state().mutex);
  return Random(options().seed * 0x2545f4914f6cdd1dull + ~++state().calls).next();
}

Stats& stats() {
  finish();
  return counters();
}

bool fails_capture(cudaStream_t stream) {
  const std::lock_guard lock(state().mutex);
  return queues::fails_capture(stream);
}

bool is_of_current_device(cudaStream_t stream) { return !stream || stream->device == current_device(); }

cudaError_t synchronize(cudaStream_t stream) {
  const std::lock_guard lock(state().mutex);
  state().queues.finish(stream);
  return stream ? report(std::exchange(stream->failure, nullptr)) : cudaSuccess;
}

void throw_failure() {
  const auto failure = std::exchange(t_failure, nullptr);
  if (!failure) return;
  failure->thrown = true;
  std::rethrow_exception(failure->exception);
}

}  // namespace ordo::cuda::emulator

using namespace ordo::cuda::emulator;

cudaError_t cudaDeviceSynchronize() {
  const std::lock_guard lock(state().mutex);
  ++counters().host_waits;
  for (cudaStream_t s : state().streams)
    if (ordo::cuda::queues::fails_capture(s)) return result(cudaErrorStreamCaptureUnsupported);
  state().queues.finish_all();
  for (cudaStream_t s : state().streams)
    if (s->failure && !s->failure->thrown) return report(s->failure);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const std::lock_guard lock(state().mutex);
  *stream = new CUstream_st{{.waits_for_null_stream = !(flags & cudaStreamNonBlocking)}, current_device(), {}};
  state().queues.add(*stream);
  state().streams.push_back(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const std::lock_guard lock(state().mutex);
  state().queues.remove(stream);
  std::erase(state().streams, stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const std::lock_guard lock(state().mutex);
  ++counters().host_waits;
  if (ordo::cuda::queues::fails_capture(stream)) return result(cudaErrorStreamCaptureUnsupported);
  return synchronize(stream);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const std::lock_guard lock(state().mutex);
  if (!ordo::cuda::queues::Queues::may_wait(stream, event->mark)) {
    ordo::cuda::queues::fails_capture(stream);
    return result(cudaErrorStreamCaptureIsolation);
  }
  state().queues.wait(stream, event->mark);
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st{current_device()};
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const std::lock_guard lock(state().mutex);
  if (stream && stream->device != event->device) return result(cudaErrorInvalidResourceHandle);
  event->mark = state().queues.record(stream);
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const std::lock_guard lock(state().mutex);
  ++counters().host_waits;
  if (event->mark && event->mark->capture) return result(cudaErrorCapturedEvent);
  state().queues.finish(event->mark);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const std::unique_lock lock(state().mutex, std::try_to_lock);
  if (!lock) return result(cudaErrorNotReady);  // another thread waits for the device
  if (event->mark && event->mark->capture) return result(cudaErrorCapturedEvent);
  return result(state().queues.has_passed(event->mark) ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  const std::lock_guard lock(state().mutex);
  return result(ordo::cuda::queues::begin_capture(stream) ? cudaSuccess : cudaErrorStreamCaptureUnsupported);
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const std::lock_guard lock(state().mutex);
  *graph = ordo::cuda::queues::end_capture(stream).release();
  return result(*graph ? cudaSuccess : cudaErrorStreamCaptureInvalidated);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  const std::lock_guard lock(state().mutex);
  if (!is_of_current_device(stream)) return result(cudaErrorInvalidResourceHandle);
  // The list lives until the last of its work has run.
  for (const auto& work : *executable->work) queue_task(stream, [list = executable->work, &work] { work(); });
  return cudaSuccess;
}
#include <ordo/simulators/emulator/runtime_calls.h>

#include <ordo/engine/cuda/emulator/streams.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include <ordo/engine/cuda/emulator/threads.h>

namespace {

/// The place in a stream that an event marks.
struct Mark {
  cudaStream_t stream;
  bool reached = false;
};

/// One of the three.
struct Task {
  std::function<void()> work{};
  std::shared_ptr<Mark> mark{};   // is reached here
  std::shared_ptr<Mark> after{};  // must have been reached
  uint64_t number = 0;            // in the order of the program
  size_t bytes = 0;
};

struct Failure {
  std::exception_ptr exception;
  bool thrown = false;
};

}  // namespace

struct CUstream_st {
  bool waits_for_null_stream;
  std::deque<Task> queue;
  std::shared_ptr<Failure> failure;  // the first one that nobody was told of
};
struct CUevent_st {
  std::shared_ptr<Mark> mark;
};

namespace ordo::cuda::emulator {

namespace {

// Queues are run down to half of these when they grow longer.
constexpr size_t kMostTasks = 256, kMostBytes = 64 << 20;

struct Queues {
  std::recursive_mutex mutex;
  std::vector<cudaStream_t> streams;
  size_t tasks = 0, bytes = 0;
  uint64_t next_task = 0;
  uint64_t launches = 0, calls = 0, turns = 0;  // since the start or restart()
};
Queues& queues() {
  static Queues* q = new Queues;  // streams may be used while the process ends
  return *q;
}
thread_local std::shared_ptr<Failure> t_failure;

bool is_ready(cudaStream_t s) {
  return !s->queue.empty() && (!s->queue.front().after || s->queue.front().after->reached);
}

void take_turn(cudaStream_t s) {
  Queues& q = queues();
  Task task = std::move(s->queue.front());
  s->queue.pop_front();
  --q.tasks;
  q.bytes -= task.bytes;
  if (task.mark) task.mark->reached = true;
  if (!task.work) return;
  try {
    task.work();
  } catch (...) {
    if (!s->failure || s->failure->thrown) s->failure = std::make_shared<Failure>(Failure{std::current_exception()});
  }
}

// The stream whose turn it is while somebody waits for `waited`, or for all streams. In reverse order nothing runs that
// nobody waits for.
cudaStream_t choose(cudaStream_t waited) {
  Queues& q = queues();
  if (options().order == Order::reverse) {
    cudaStream_t s = waited;
    for (size_t i = q.streams.size(); !s && i-- > 0;)
      if (!q.streams[i]->queue.empty()) s = q.streams[i];
    while (!is_ready(s)) s = s->queue.front().after->stream;
    return s;
  }
  std::vector<cudaStream_t> ready;
  for (cudaStream_t s : q.streams)
    if (is_ready(s)) ready.push_back(s);
  if (options().order == Order::forward)
    return *std::min_element(ready.begin(), ready.end(), [](cudaStream_t a, cudaStream_t b) {
      return a->queue.front().number < b->queue.front().number;
    });
  return ready[Random(options().seed * 0x9e3779b97f4a7c15ull + ++q.turns).below(ready.size())];
}

void drain(cudaStream_t stream) {
  while (!stream->queue.empty()) take_turn(choose(stream));
}
void drain_all() {
  while (queues().tasks) take_turn(choose(nullptr));
}
// What the null stream waits for.
void drain_blocking() {
  for (cudaStream_t s : queues().streams)
    if (s->waits_for_null_stream) drain(s);
}

cudaError_t report(std::shared_ptr<Failure> failure) {
  if (!failure || failure->thrown) return cudaSuccess;
  t_failure = std::move(failure);
  return cudaErrorLaunchFailure;
}

void push(cudaStream_t stream, Task task) {
  Queues& q = queues();
  task.number = q.next_task++;
  ++q.tasks;
  q.bytes += task.bytes;
  stream->queue.push_back(std::move(task));
  if (q.tasks > kMostTasks || q.bytes > kMostBytes)
    while (q.tasks > kMostTasks / 2 || q.bytes > kMostBytes / 2) take_turn(choose(nullptr));
}

}  // namespace

void queue_task(cudaStream_t stream, std::function<void()> work, size_t bytes) {
  const std::lock_guard lock(queues().mutex);
  if (options().eager) drain_all();
  if (stream && !options().eager) return push(stream, {.work = std::move(work), .bytes = bytes});
  drain_blocking();
  work();
}

void queue_launch(const LaunchCall& call, cudaStream_t stream) {
  const std::lock_guard lock(queues().mutex);
  check_configuration(call);
  const uint64_t number = ++queues().launches;
  const char* first = static_cast<const char*>(call.parameters);
  queue_task(
      stream,
      [copy = call, parameters = std::vector<char>(first, first + call.parameter_bytes), options = options(),
       number]() mutable {
        copy.parameters = parameters.data();
        run(copy, options, number);
      },
      sizeof call + call.parameter_bytes);
}

void finish() {
  const std::lock_guard lock(queues().mutex);
  drain_all();
}

void restart() {
  Queues& q = queues();
  const std::lock_guard lock(q.mutex);
  drain_all();
  q.launches = q.calls = q.turns = 0;
}

uint64_t call_seed() {
  const std::lock_guard lock(queues().mutex);
  return Random(options().seed * 0x2545f4914f6cdd1dull + ~++queues().calls).next();
}

Stats& stats() {
  finish();
  return counters();
}

cudaError_t synchronize(cudaStream_t stream) {
  const std::lock_guard lock(queues().mutex);
  if (!stream) {
    drain_blocking();
    return cudaSuccess;
  }
  drain(stream);
  return report(std::exchange(stream->failure, nullptr));
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
  const std::lock_guard lock(queues().mutex);
  drain_all();
  for (cudaStream_t s : queues().streams)
    if (s->failure && !s->failure->thrown) return report(s->failure);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const std::lock_guard lock(queues().mutex);
  *stream = new CUstream_st{.waits_for_null_stream = !(flags & cudaStreamNonBlocking), .queue = {}, .failure = {}};
  queues().streams.push_back(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const std::lock_guard lock(queues().mutex);
  drain(stream);
  std::erase(queues().streams, stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return synchronize(stream); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const std::lock_guard lock(queues().mutex);
  if (!event->mark || event->mark->reached) return cudaSuccess;
  if (stream)
    push(stream, {.after = event->mark});
  else
    drain(event->mark->stream);
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const std::lock_guard lock(queues().mutex);
  event->mark = std::make_shared<Mark>(Mark{stream});
  if (stream)
    push(stream, {.mark = event->mark});
  else
    drain_blocking(), event->mark->reached = true;
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const std::lock_guard lock(queues().mutex);
  const auto mark = event->mark;
  while (mark && !mark->reached) take_turn(choose(mark->stream));
  return cudaSuccess;
}

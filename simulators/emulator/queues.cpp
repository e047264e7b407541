#include <ordo/simulators/emulator/queues.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace ordo::cuda::queues {
namespace {

// Queues are run down to half of these when they grow longer.
constexpr size_t kMostTasks = 256, kMostBytes = 64 << 20;

bool is_ready(const Stream* s) {
  if (s->queue.empty()) return false;
  const Task& first = s->queue.front();
  return (!first.after || first.after->reached) && (!first.ready || first.ready());
}

}  // namespace

void Queues::take_turn(Stream* s) {
  Task task = std::move(s->queue.front());
  s->queue.pop_front();
  --tasks_;
  bytes_ -= task.bytes;
  if (task.mark) task.mark->reached = true;
  running_ = task.number;
  if (task.work) task.work();
  running_ = ~uint64_t(0);
}

// The stream whose turn it is while somebody waits for `waited`, or for all streams. In reverse order nothing runs that
// nobody waits for. Null where all wait for what happens elsewhere.
Stream* Queues::next(Stream* waited) {
  const Turns turns = turns_();
  if (turns.order == Order::reverse) {
    Stream* s = waited;
    for (size_t i = streams_.size(); !s && i-- > 0;)
      if (!streams_[i]->queue.empty()) s = streams_[i];
    while (!is_ready(s)) {
      const Event& after = s->queue.front().after;
      if (!after || after->reached) return nullptr;
      s = after->stream;
    }
    return s;
  }
  std::vector<Stream*> ready;
  for (Stream* s : streams_)
    if (is_ready(s)) ready.push_back(s);
  if (ready.empty()) return nullptr;
  if (turns.order == Order::forward)
    return *std::min_element(ready.begin(), ready.end(), [](const Stream* a, const Stream* b) {
      return a->queue.front().number < b->queue.front().number;
    });
  return ready[emulator::Random(turns.seed * 0x9e3779b97f4a7c15ull + ++taken_).below(ready.size())];
}

Stream* Queues::choose(Stream* waited) {
  for (;;) {
    if (Stream* const s = next(waited)) return s;
    std::this_thread::yield();
  }
}

void Queues::push(Stream* stream, Task task) {
  task.number = next_++;
  ++tasks_;
  bytes_ += task.bytes;
  stream->queue.push_back(std::move(task));
  if (tasks_ > kMostTasks || bytes_ > kMostBytes)
    while (tasks_ > kMostTasks / 2 || bytes_ > kMostBytes / 2) take_turn(choose(nullptr));
}

void Queues::remove(Stream* stream) {
  finish(stream);
  std::erase(streams_, stream);
}

void Queues::queue(Stream* stream, std::function<void()> work, size_t bytes) {
  if (stream && stream->capture) return stream->capture->push_back(std::move(work));
  const bool eager = turns_().eager;
  if (eager) finish_all();
  if (stream && !eager) return push(stream, {.work = std::move(work), .bytes = bytes});
  finish_blocking();
  work();
}

Event Queues::record(Stream* stream) {
  Event event = std::make_shared<Mark>(Mark{stream});
  if (stream && stream->capture)
    event->capture = stream->capture.get();
  else if (stream)
    push(stream, {.mark = event});
  else
    finish_blocking(), event->reached = true;
  return event;
}

void Queues::wait(Stream* stream, const Event& event) {
  if (!event || event->reached || event->capture) return;
  if (stream)
    push(stream, {.after = event});
  else
    finish(event->stream);
}

void Queues::wait(Stream* stream, std::function<bool()> ready) {
  if (stream && !turns_().eager) return push(stream, {.ready = std::move(ready)});
  while (!ready()) std::this_thread::yield();
}

void Queues::finish(Stream* stream) {
  if (!stream) return finish_blocking();
  while (!stream->queue.empty()) take_turn(choose(stream));
}

void Queues::finish(const Event& event) {
  while (event && !event->reached) take_turn(choose(event->stream));
}

bool Queues::has_passed(const Event& event) {
  if (!event || event->reached) return true;
  if (Stream* const s = next(event->stream)) take_turn(s);
  return event->reached;
}

void Queues::finish_all() {
  while (tasks_) take_turn(choose(nullptr));
}

// What the null stream waits for.
void Queues::finish_blocking() {
  for (Stream* s : streams_)
    if (s->waits_for_null_stream) finish(s);
}

void Queues::restart() {
  finish_all();
  taken_ = 0;
}

uint64_t Queues::all_done_before() const {
  uint64_t first = std::min(next_, running_);
  for (const Stream* s : streams_)
    if (!s->queue.empty()) first = std::min(first, s->queue.front().number);
  return first;
}

}  // namespace ordo::cuda::queues

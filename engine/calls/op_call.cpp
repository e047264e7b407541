#include <ordo/engine/calls/op_call.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <mutex>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/run/fork.h>

namespace ordo {

std::atomic<int> detail::op_listeners{0};

struct OpListener::Entry {
  Function end, begin;
  DrawFunction draw;
};

namespace {

std::atomic<uint64_t> g_calls{0};
thread_local RunningNode t_node;
thread_local bool t_listening = false;  // a listener of this thread runs

struct Quiet {
  Quiet() { t_listening = true; }
  ~Quiet() { t_listening = false; }
};

/// The operation has computed, and what happens to a listener is not its error.
template <class Event>
void tell(const std::function<void(const Event&)>& listener, const Event& event) {
  const Quiet quiet;
  try {
    listener(event);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "a listener of operations failed: %s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "a listener of operations failed\n");
  }
}

// "index_add_" and "relu_backward" have the rows of "index_add" and "relu", where they have none of their own.
const OpInfo* row_of(std::string_view name) {
  const OpInfo* row = find_op(name);
  for (std::string_view suffix : {"_", "_backward"})
    if (!row && name.ends_with(suffix)) row = find_op(name.substr(0, name.size() - suffix.size()));
  return row;
}

}  // namespace

RunningNode detail::exchange_running_node(RunningNode next) { return std::exchange(t_node, next); }
RunningNode detail::running_node() { return t_node; }

template <class A>
static void append(OpEvent& event, A&& attribute) {
  event.attributes.emplace_back(std::forward<A>(attribute));
  event.order += 'a';
}
void detail::OpArguments::attribute(std::monostate none) { append(event, none); }
void detail::OpArguments::attribute(bool a) { append(event, a); }
void detail::OpArguments::attribute(int64_t a) { append(event, a); }
void detail::OpArguments::attribute(double a) { append(event, a); }
void detail::OpArguments::attribute(std::string a) { append(event, std::move(a)); }
void detail::OpArguments::attribute(const Dims& a) { append(event, a); }

void detail::OpArguments::add(const Scalar& s) {
  if (s.is_boolean())
    attribute(s.to_double() != 0);
  else if (s.is_floating())
    attribute(s.to_double());
  else
    attribute(s.to_int64());
}

void detail::OpArguments::add(const TensorOptions& options) {
  add(options.dtype);
  add(options.device);
}

struct OpCall::Frame {
  OpEvent event;
  Frame* outer;
  int exceptions;
  std::vector<std::shared_ptr<OpListener::Entry>> listeners;  // those that were there when the call began
  static thread_local Frame* innermost;

  void begin() {
    const Quiet quiet;
    for (const auto& listener : listeners)
      if (listener->begin) listener->begin(event);
  }
};
thread_local OpCall::Frame* OpCall::Frame::innermost = nullptr;

static std::mutex& entries_mutex() { return detail::process_mutex(detail::ProcessLock::listeners); }
static std::vector<std::shared_ptr<OpListener::Entry>>& entries() {
  static auto& all =
      *new std::vector<std::shared_ptr<OpListener::Entry>>;  // never destroyed, as the rows of op_registry.cpp
  return all;
}

OpListener::OpListener(Function end, Function begin, DrawFunction draw) {
  const detail::LibraryCall library;
  entry_ = std::make_shared<Entry>(Entry{std::move(end), std::move(begin), std::move(draw)});
  ORDO_CHECK(entry_->end, ValueError, "OpListener", "needs a function to call");
  const std::lock_guard lock(entries_mutex());
  entries().push_back(entry_);
  ++detail::op_listeners;
}

OpListener::~OpListener() {
  const std::lock_guard lock(entries_mutex());
  std::erase(entries(), entry_);
  --detail::op_listeners;
}

void detail::report_draw(const GeneratorState& from, uint64_t blocks) {
  if (t_listening) return;
  std::vector<std::shared_ptr<OpListener::Entry>> listeners;
  {
    const std::lock_guard lock(entries_mutex());
    listeners = entries();
  }
  const OpScope::Path path = OpScope::current_path();
  const RandomDraw draw{from, blocks, OpCall::innermost_name(), path ? std::string_view(*path) : ""};
  for (const auto& listener : listeners)
    if (listener->draw) tell(listener->draw, draw);
}

std::string_view OpCall::innermost_name() { return Frame::innermost ? Frame::innermost->event.name : ""; }

bool OpCall::open(OpEvent::Phase phase) {
  if (t_listening) return false;
  std::unique_ptr<Frame> frame(new Frame{{}, Frame::innermost, std::uncaught_exceptions(), {}});
  {
    const std::lock_guard lock(entries_mutex());
    frame->listeners = entries();
  }
  OpEvent& e = frame->event;
  e.outputs.reserve(1);  // a change in place is reported by a destructor
  e.name = name_;
  e.row = row_of(name_);
  e.phase = phase;
  e.number = g_calls.fetch_add(1, std::memory_order_relaxed);
  e.depth = Frame::innermost ? Frame::innermost->event.depth + 1 : 0;
  e.level = determinism();
  e.node = t_node.name ? t_node.name : "";
  e.node_sequence = t_node.sequence;
  if (const auto path = detail::OpScope::current_path()) e.scope = *path;
  if (e.row && e.row->algorithms.size() == 1) e.algorithm = e.row->algorithms[0].algorithm;
  Frame::innermost = frame.get();
  frame_.reset(frame.release());
  return true;
}

void OpCall::begin() {
  for (const Tensor& t : frame_->event.inputs)
    if (t.defined()) {
      frame_->event.device = t.device();
      break;
    }
  frame_->begin();
}

void OpCall::Close::operator()(Frame* frame) const noexcept {
  Frame::innermost = frame->outer;
  delete frame;
}

void OpCall::end() noexcept {
  OpEvent& e = frame_->event;
  Frame::innermost = frame_->outer;
  e.failed = std::uncaught_exceptions() > frame_->exceptions;
  for (const Tensor& t : e.outputs)
    if (t.defined()) {
      e.device = t.device();
      break;
    }
  for (const auto& listener : frame_->listeners) tell(listener->end, e);
}

OpEvent& OpCall::event() const { return frame_->event; }

void OpCall::set_algorithm(Algorithm algorithm) {
  if (Frame::innermost && !t_listening) Frame::innermost->event.algorithm = algorithm;
}

}  // namespace ordo

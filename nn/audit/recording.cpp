#include <ordo/nn/audit/recording.h>

#include <fmt/format.h>

#include <algorithm>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/kernels/fingerprint/mix.h>
#include <ordo/nn/audit/encoding.h>
#include <ordo/nn/module.h>

namespace ordo::audit {

/// Whose first argument is overwritten, whatever it was: the memory that empty() gives has no values yet.
static bool overwrites(std::string_view name) {
  return name == "fill_" || name == "copy_" || name == "uniform_" || name == "normal_";
}

/// Whose results other operations take as memory for their own, and let a kernel write there without a word: such a
/// fingerprint is no later call's.
static bool makes_memory(std::string_view name) {
  return name == "full" || name == "clone" || name == "contiguous" || name == "to" || name == "copy_";
}

static void write_text(const std::vector<OpAttribute>& attributes, std::string& text) {
  text.clear();
  for (const OpAttribute& attribute : attributes) {
    if (!text.empty()) text += ", ";
    std::visit(
        [&]<class A>(const A& a) {
          if constexpr (std::is_same_v<A, std::monostate>)
            text += "none";
          else if constexpr (std::is_same_v<A, bool>)
            text += a ? "true" : "false";
          else if constexpr (std::is_same_v<A, Dims>)
            text += a.str();
          else if constexpr (std::is_same_v<A, std::string>)
            text += a;
          else
            fmt::format_to(std::back_inserter(text), "{}", a);
        },
        attribute);
  }
}

static std::string text_of(const RecorderOptions& o) {
  std::string text;
  const auto add = [&](const char* name, const std::vector<std::string>& values) {
    if (!values.empty()) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, fmt::join(values, ","));
  };
  std::vector<std::string> steps;
  for (const StepRange& s : o.steps) steps.push_back(fmt::format("{}-{}", s.first, s.last));
  add("steps", steps);
  add("modules", o.modules);
  add("ops", o.operations);
  return text;
}

static bool matches_one(const std::vector<std::string>& patterns, std::string_view text) {
  return patterns.empty() ||
         std::any_of(patterns.begin(), patterns.end(), [&](const std::string& p) { return matches(p, text); });
}

static bool is_batch_work(std::string_view scope) { return scope == ordo::detail::kLoaderScope; }

/// The recordings that listen, and some that have ended. Recording::mutex guards them, too.
static std::vector<std::weak_ptr<Recording>>& open_recordings() {
  static auto& all = *new std::vector<std::weak_ptr<Recording>>;  // outlives the recording of the environment
  return all;
}

void number_step(int64_t step) {
  const std::lock_guard lock(ordo::detail::process_mutex(ordo::detail::ProcessLock::recordings));
  for (const auto& recording : open_recordings())
    if (const auto r = recording.lock()) r->step = step;
}

bool matches(std::string_view pattern, std::string_view text) {
  // Where a "*" has taken too little, it takes one more.
  size_t p = 0, t = 0, star = std::string_view::npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*')
      star = p++, taken = t;
    else if (p < pattern.size() && pattern[p] == text[t])
      ++p, ++t;
    else if (star != std::string_view::npos)
      p = star + 1, t = ++taken;
    else
      return false;
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

Recording::Recording(RecorderOptions o, std::optional<Dump> dump)
    : options(std::move(o)), writer(options.path), dump_(std::move(dump)) {}

void Recording::listen() {
  // A call of another thread may outlast the Recorder, and ends here.
  const auto told = [self = weak_from_this()](auto member, bool afterwards) {
    return [self, member, afterwards](const auto& event) {
      const auto recording = self.lock();
      if (!recording) return;
      try {
        ((*recording).*member)(event);
      } catch (...) {
        if (!afterwards) throw;
        recording->lose(std::current_exception());  // the operation has computed, whatever happens here
      }
    };
  };
  listener_.emplace(told(&Recording::end, true), told(&Recording::begin, false), told(&Recording::draw, true));
  const std::lock_guard lock(mutex);
  std::erase_if(open_recordings(), [](const auto& r) { return r.expired(); });
  open_recordings().push_back(weak_from_this());
}

void Recording::lose(std::exception_ptr error) {
  const std::lock_guard lock(mutex);
  if (!lost_) lost_ = std::move(error);
}

void Recording::close() {
  const ordo::detail::LibraryCall call;
  listener_.reset();
  const std::lock_guard lock(mutex);
  if (std::exchange(closed_, true)) return;
  if (lost_) std::rethrow_exception(lost_);
  if (!has_header_) writer.write(header());
  writer.close();
}

bool Recording::records_step() const {
  return options.steps.empty() || std::any_of(options.steps.begin(), options.steps.end(),
                                              [&](const StepRange& s) { return step >= s.first && step <= s.last; });
}

bool Recording::records(const OpEvent& e) const {
  if (closed_ || lost_ || !records_step() || (is_batch_work(e.scope) && !options.loader_operations)) return false;
  if (options.detail == Detail::steps) return e.role == OpEvent::Role::batch;
  if (options.detail == Detail::parameters) return e.role == OpEvent::Role::step;
  return e.role != OpEvent::Role::operation ||
         (matches_one(options.modules, e.scope) && matches_one(options.operations, e.name));
}

Header Recording::header() const {
  Header h = current_header(options.detail, text_of(options));
  h.rows = options.rows;
  return h;
}

TensorList Recording::first_rows(const OpEvent& e, const TensorList& tensors) const {
  TensorList rows = tensors;
  if (e.role == OpEvent::Role::step) return rows;
  const std::lock_guard lock(mutex);
  for (Tensor& t : rows)
    if (t.defined() && t.dim() > 0 && t.size(0) > 0 && t.size(0) % options.rows == 0 && !names_.contains(t.impl()))
      t = views::narrow(t, 0, 0, t.size(0) / options.rows);
  return rows;
}

Recording::ThreadState& Recording::this_thread() {
  const auto id = std::this_thread::get_id();
  const auto known = threads_.find(id);
  if (known != threads_.end()) return *known->second;
  auto state = std::make_unique<ThreadState>(ThreadState{uint32_t(threads_.size())});
  return *threads_.emplace(id, std::move(state)).first->second;
}

/// From the module that the program called: others are in it.
void Recording::learn_names() {
  const ordo::detail::OpScope* root = nullptr;
  for (const auto* s = ordo::detail::OpScope::innermost(); s; s = s->outer())
    if (s->owner()) root = s;
  if (!root || !roots_.insert(root->owner().get()).second) return;
  for (const auto& [name, tensor] : nn::ModuleBase::Call::parameters(*root))
    names_[tensor.impl()] = *root->path() + "." + name;
}

template <class Since>
void Recording::read(const OpEvent& e, std::span<const Tensor> tensors, const Since& since, ThreadState& thread,
                     std::vector<TensorRecord>& to) {
  const uint64_t call = makes_memory(e.name) ? 0 : e.number;
  // What is on a GPU is read together, and waited for once.
  TensorList there;
  std::vector<size_t> places;
  for (const Tensor& t : tensors) {
    TensorRecord& record = to.emplace_back();
    if (!t.defined()) continue;
    record.state = TensorRecord::State::read;
    record.dtype = t.dtype();
    if (const auto fingerprint = thread.known.find(t, options.read_again ? kNever : since(t))) {
      record.fingerprint = *fingerprint;
    } else if (t.is_cpu()) {
      record.fingerprint = kernels::fingerprint(t);
      thread.known.keep(t, record.fingerprint, call);
    } else {
      there.push_back(t);
      places.push_back(to.size() - 1);
    }
  }
  if (there.empty()) return;
  const std::vector<Fingerprint> found = kernels::fingerprints(there);
  for (size_t k = 0; k < found.size(); ++k) {
    to[places[k]].fingerprint = found[k];
    thread.known.keep(there[k], found[k], call);
  }
}

void Recording::begin(const OpEvent& e) {
  ThreadState* thread = nullptr;
  bool dumps = false;
  {
    const std::lock_guard lock(mutex);
    thread = &this_thread();
    learn_names();
    if (!records(e)) return;
    dumps = dump_ && dump_->is_place(e, step, thread->number);
  }
  Call& call = thread->calls.emplace_back(Call{e.number, {}});
  call.tensors.reserve(e.inputs.size() + 2);
  if (options.rows > 1) call.rows = first_rows(e, e.inputs);
  std::span<const Tensor> inputs = options.rows > 1 ? call.rows : e.inputs;
  if (overwrites(e.name) && !inputs.empty() && inputs[0].defined()) {
    TensorRecord& first = call.tensors.emplace_back();
    first.state = TensorRecord::State::unread;
    first.dtype = inputs[0].dtype();
    inputs = inputs.subspan(1);
  }
  read(
      e, inputs, [](const Tensor&) -> uint64_t { return 0; }, *thread, call.tensors);
  if (dumps) {
    call.copies = Dump::copies(e.inputs);
    if (inputs.size() < e.inputs.size()) call.copies->front() = Tensor();
  }
}

void Recording::end(const OpEvent& e) {
  ThreadState* thread = nullptr;
  {
    const std::lock_guard lock(mutex);
    thread = &this_thread();
    if (options.detail == Detail::steps && !closed_ && records_step() && !is_batch_work(e.scope))
      add_to_hash(e, *thread);
  }
  // Calls that another listener's exception ended left theirs.
  auto& calls = thread->calls;
  while (!calls.empty() && calls.back().number > e.number) calls.pop_back();
  std::optional<Call> call;
  if (!calls.empty() && calls.back().number == e.number) {
    call = std::move(calls.back());
    calls.pop_back();
  }
  if (call) {
    Record r;
    r.kind = kind_of(e);
    r.backward = e.phase == OpEvent::Phase::backward;
    r.failed = e.failed;
    r.level = e.level;
    r.algorithm = e.algorithm;
    r.depth = e.depth;
    r.thread = thread->number;
    r.name = e.name;
    r.path = e.scope;
    r.node = e.node;
    const std::string device = e.device.str();
    r.device = device;
    if (options.rows == 0)
      write_text(e.attributes, thread->arguments);
    else
      thread->arguments.clear();  // sizes are among them
    r.arguments = thread->arguments;
    r.input_count = uint32_t(call->tensors.size());
    r.tensors = std::move(call->tensors);
    // What operations inside of this one have read is known, and a view's memory was an input. What optimisers and
    // loaders give is read in any case.
    const auto since = [&](const Tensor& t) -> uint64_t {
      if (e.role != OpEvent::Role::operation) return kNever;
      const bool view = !r.backward && std::any_of(e.inputs.begin(), e.inputs.end(), [&](const Tensor& in) {
        return in.defined() && in.impl()->storage == t.impl()->storage;
      });
      return view ? 0 : e.number + 1;
    };
    const TensorList rows = options.rows > 1 && !e.failed ? first_rows(e, e.outputs) : TensorList();
    const TensorList &inputs = options.rows > 1 ? call->rows : e.inputs, &outputs = options.rows > 1 ? rows : e.outputs;
    if (!e.failed) read(e, outputs, since, *thread, r.tensors);
    const std::lock_guard lock(mutex);
    for (size_t i = 0; i < r.tensors.size(); ++i) {
      const Tensor& t = i < r.input_count ? inputs[i] : outputs[i - r.input_count];
      if (!t.defined()) continue;
      r.tensors[i].sizes = &t.sizes();
      if (const auto name = names_.find(t.impl()); name != names_.end()) r.tensors[i].name = name->second;
    }
    r.step = step;
    write(r);
    if (call->copies) dump_->end(*call->copies, e.failed ? TensorList() : e.outputs);
  }
  if (e.role != OpEvent::Role::step) return;
  const std::lock_guard lock(mutex);
  end_step(e, *thread);
}

void Recording::end_step(const OpEvent& e, const ThreadState& thread) {
  if (options.detail == Detail::steps && !closed_ && records_step()) {
    Record r;
    r.kind = Record::Kind::summary;
    r.thread = thread.number;
    r.step = step;
    r.name = e.name;
    r.hash = hash_;
    write(r);
  }
  hash_ = {};
  roots_.clear();
  ++step;
}

void Recording::draw(const RandomDraw& d) {
  const std::lock_guard lock(mutex);
  if (closed_ || lost_ || !records_step() || (is_batch_work(d.scope) && !options.loader_operations)) return;
  if (options.detail == Detail::parameters) return;
  if (options.detail == Detail::steps) {
    add_to_hash(d.from.seed, d.from.offset);
    return add_to_hash(d.from.stream, d.blocks);
  }
  Record r;
  r.kind = Record::Kind::draw;
  r.thread = this_thread().number;
  r.step = step;
  r.name = d.op;
  r.path = d.scope;
  r.draw_from = d.from;
  if (options.rows == 0) r.draw_blocks = d.blocks;  // more rows take more
  write(r);
}

void Recording::write(const Record& record) {
  if (closed_ || lost_) return;
  // The header comes with the first event: by then the program has chosen its level, threads and seed.
  if (!std::exchange(has_header_, true)) writer.write(header());
  writer.write(record);
}

void Recording::add_to_hash(uint64_t a, uint64_t b) {
  hash_.low += kernels::mixed(a ^ kernels::mixed(b + kernels::fingerprint_key(1)));
  hash_.high += kernels::mixed(b ^ kernels::mixed(a + kernels::fingerprint_key(2)));
}

/// What runs, with which sizes, level and algorithm; of steps and batches the bits, too.
void Recording::add_to_hash(const OpEvent& e, ThreadState& thread) {
  uint64_t h = 0;
  const auto add = [&](uint64_t v) { h = kernels::mixed(h ^ kernels::mixed(v + kernels::fingerprint_key(3))); };
  for (char c : e.name) h = (h ^ uint8_t(c)) * 0x100000001b3u;
  add(uint64_t(e.level) << 16 | uint64_t(e.algorithm) << 8 | uint64_t(e.phase));
  const auto add_sizes = [&](const TensorList& list) {
    for (const Tensor& t : list) {
      if (t.defined()) add(uint64_t(t.dtype()) << 8 | uint64_t(t.dim()));
      if (t.defined())
        for (int64_t s : t.sizes()) add(uint64_t(s));
    }
  };
  add_sizes(e.inputs), add_sizes(e.outputs);
  if (e.role != OpEvent::Role::operation) {
    std::vector<TensorRecord> read_now;
    read(
        e, e.outputs, [](const Tensor&) { return kNever; }, thread, read_now);
    for (const TensorRecord& t : read_now) add(t.fingerprint.low), add(t.fingerprint.high);
  }
  add_to_hash(h, uint64_t(e.role));
}

}  // namespace ordo::audit

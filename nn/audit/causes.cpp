#include <ordo/nn/audit/causes.h>

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::audit {

constexpr int64_t kMostBytes = int64_t(1) << 28;  // of a tensor that is made to compare with

/// Causes in their order: names, and what to do, where no more is to be said.
constexpr struct {
  std::string_view name;
  const char* remedy;
} kCauses[] = {
    {"none", ""},
    {"additions", ""},
    {"settings", "The runs used another level or algorithm here. Only runs of one level are compared bit by bit."},
    {"processor",
     "Level run_to_run repeats on one device model and instruction set, with the same settings of CUDA's libraries. "
     "set_determinism(Determinism::device_to_device), or ORDO_DETERMINISM=device_to_device, gives the same bits on "
     "all."},
    {"unexplained",
     "No known reason fits. Look for what changes a tensor's memory without an operation, in this thread or "
     "another (RecorderOptions::read_again finds it), and for operations of the program's own."},
    {"neighbours",
     "The row's result depends on the rows beside it: on their number, or on what they are. docs/rows.md says of which "
     "operations it does; batch normalisation in training and means over a batch are such."},
    {"nan", "Both runs have NaNs, whose bits are no part of the promise. Find where the first NaN comes from."},
    {"seed",
     "Seed it: manual_seed(...) for the default generator, Generator(seed) for one of its own, DataLoader's "
     "generator; not by the time and not by std::random_device."},
    {"draws",
     "One run took more random numbers before. Look at what drew last before this place: dropout in evaluation, a "
     "branch, a thread that shares the generator."},
    {"data_order",
     "Read the data in a fixed order: sort file names, shuffle with a seeded Generator, and let no queue that "
     "threads fill decide it."},
    {"data",
     "The data differ: files that changed, transforms without a seeded generator, or samples in another order."},
    {"uninitialized",
     "Something reads memory of empty(), empty_like() or resize_() that nobody has written. Use zeros() or "
     "fill_(); at a deterministic level such memory is filled with NaN, and shows."},
    {"outside",
     "The program, not Ordo, computed these numbers, or changed memory behind a tensor: sums in threads of its "
     "own, the clock. Compute them in a fixed order."},
    {"other_tensor",
     "The program seems to take its tensors in another order. Keep them in a vector, or in a map by name: sets and "
     "maps of pointers are ordered by addresses, or by their hashes; queues by the threads that finish."},
    {"arguments",
     "The program passed another number. Look for what depends on time, addresses, or on a value read by item()."},
    {"shapes",
     "The tensors' sizes depend on something that differs: time, free memory, the number of threads or files."},
    {"control_flow",
     "The program took another way. Look for what decides it: time, a counter that threads share, a value read by "
     "item()."},
    {"summary", ""},
};

/// All elements have these bits.
static bool is_filled(const TensorRecord& t, uint64_t bits) {
  const int64_t size = int64_t(size_of(t.dtype)), numel = t.sizes->product();
  if (t.state != TensorRecord::State::read || numel == 0 || numel > kMostBytes / size) return false;
  std::vector<uint8_t> bytes(size_t(numel * size));
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = uint8_t(bits >> (8 * (i % size_t(size))));
  return kernels::fingerprint(from_vector(bytes, {int64_t(bytes.size())})) == t.fingerprint;
}

static bool is_filled_by_one(const TensorRecord& t, std::initializer_list<uint64_t> patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](uint64_t bits) { return is_filled(t, bits); });
}

static bool is_nan(const TensorRecord& t) {
  if (t.dtype == float64) return is_filled_by_one(t, {0x7ff8000000000000u, 0xfff8000000000000u, 0x7fffffffffffffffu});
  if (t.dtype == float32) return is_filled_by_one(t, {0x7fc00000u, 0xffc00000u, 0x7fffffffu});
  if (t.dtype == float16) return is_filled_by_one(t, {0x7e00u, 0xfe00u, 0x7fffu});
  return t.dtype == bfloat16 && is_filled_by_one(t, {0x7fc0u, 0xffc0u, 0x7fffu});
}

static std::string which(const Record& r, size_t i) {
  const std::string number =
      i < r.input_count ? fmt::format("input {}", i) : fmt::format("output {}", i - r.input_count);
  return r.tensors[i].name.empty() ? number : fmt::format("{} ({})", number, r.tensors[i].name);
}

static std::string form(const TensorRecord& t) {
  if (t.state == TensorRecord::State::undefined) return "undefined";
  return fmt::format("{} {}", ordo::name(t.dtype), t.sizes->str());
}

static bool same_form(const TensorRecord& a, const TensorRecord& b) {
  return a.state == b.state && a.dtype == b.dtype && *a.sizes == *b.sizes;
}

/// "add_" and "relu_backward" have the rows of "add" and "relu".
static const OpInfo* row_of(std::string_view op) {
  const OpInfo* row = find_op(op);
  for (std::string_view suffix : {"_", "_backward"})
    if (!row && op.ends_with(suffix)) row = find_op(op.substr(0, op.size() - suffix.size()));
  return row;
}

static bool has(const OpInfo* row, Algorithm algorithm) {
  return row && std::any_of(row->algorithms.begin(), row->algorithms.end(),
                            [&](const AlgorithmLevel& a) { return a.algorithm == algorithm; });
}

static Verdict judge_draw(const Record& a, const Record& b) {
  const GeneratorState &x = a.draw_from, &y = b.draw_from;
  if (x.seed != y.seed)
    return {Cause::seed, fmt::format("the generator's seed is {} in A and {} in B", x.seed, y.seed)};
  if (x.stream != y.stream)
    return {Cause::seed, fmt::format("the generator's stream is {} in A and {} in B", x.stream, y.stream)};
  if (x.offset != y.offset)
    return {Cause::draws,
            fmt::format("{} has drawn more from the generator with seed {} before: {} blocks in A, {} in B",
                        x.offset > y.offset ? "A" : "B", x.seed, x.offset, y.offset)};
  return {Cause::draws, fmt::format("{} draws more: {} blocks in A, {} in B", a.draw_blocks > b.draw_blocks ? "A" : "B",
                                    a.draw_blocks, b.draw_blocks)};
}

/// Equal inputs, other outputs.
static Cause cause_of_bits(const Record& a, const Record& b, const TensorRecord& x, const TensorRecord& y,
                           const Header& ha, const Header& hb) {
  if (is_nan(x) && is_nan(y)) return Cause::nan;
  if (a.level == b.level && (a.algorithm == Algorithm::exact) != (b.algorithm == Algorithm::exact))
    return Cause::settings;
  const bool fast = a.level == Determinism::not_guaranteed || b.level == Determinism::not_guaranteed;
  for (const Record* r : {&a, &b}) {
    if (r->algorithm == Algorithm::atomic) return Cause::additions;
    // What a call that names no algorithm did: libraries choose on GPUs only.
    const OpInfo* row = row_of(r->name);
    const bool any_order = has(row, Algorithm::atomic) || (has(row, Algorithm::library) && r->device != "cpu");
    const bool unknown = r->algorithm == Algorithm::automatic || r->algorithm == Algorithm::library;
    if (r->level == Determinism::not_guaranteed && unknown && any_order) return Cause::additions;
  }
  if (a.level != b.level || a.algorithm != b.algorithm) return Cause::settings;
  if (a.device != b.device || ha.instruction_set != hb.instruction_set || ha.device != hb.device ||
      ha.library_settings != hb.library_settings || (fast && ha.threads != hb.threads))
    return Cause::processor;
  return Cause::unexplained;
}

bool is_fill_pattern(const TensorRecord& t) {
  if (t.state != TensorRecord::State::read) return false;
  // Bytes that `ordo check` chooses, what glibc makes of them, and scratch memory's.
  if (is_filled_by_one(t, {0x5555555555555555u, 0xaaaaaaaaaaaaaaaau, ~uint64_t(0)})) return true;
  if (t.dtype == int32) return is_filled(t, 0x7fffffffu);
  if (t.dtype == int64) return is_filled(t, 0x7fffffffffffffffu);
  return is_nan(t);  // of uint8 and bool, 255 and true are values like others
}

/// But for what follows from other sizes.
static Verdict judge_event(const Record& a, const Record& b, const Header& ha, const Header& hb) {
  if (a.kind == Record::Kind::draw) return judge_draw(a, b);
  if (a.kind == Record::Kind::summary) return {Cause::summary, "the step's hash is another one"};
  if (a.arguments != b.arguments && a.kind != Record::Kind::batch) {
    // Where sizes follow from them, these are what is told: "narrow" and "expand" take them as arguments.
    const bool sizes = a.tensors.size() != b.tensors.size() ||
                       !std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), same_form);
    return {sizes ? Cause::shapes : Cause::arguments,
            fmt::format("its arguments are ({}) in A and ({}) in B", a.arguments, b.arguments)};
  }
  if (a.input_count != b.input_count)
    return {Cause::shapes, fmt::format("it takes {} tensors in A and {} in B", a.input_count, b.input_count)};
  for (size_t i = 0; i < a.input_count; ++i)
    if (!same_form(a.tensors[i], b.tensors[i]))
      return {Cause::shapes,
              fmt::format("{} is {} in A and {} in B", which(a, i), form(a.tensors[i]), form(b.tensors[i]))};
  for (size_t i = 0; i < a.input_count; ++i) {
    if (a.tensors[i] == b.tensors[i]) continue;
    if (is_fill_pattern(a.tensors[i]) || is_fill_pattern(b.tensors[i]))
      return {Cause::uninitialized, fmt::format("{} is memory that nobody had written", which(a, i))};
    return {Cause::outside, fmt::format("{} has other bits, which no operation before it gave", which(a, i))};
  }
  if (a.failed != b.failed) return {Cause::unexplained, fmt::format("it fails in {} only", a.failed ? "A" : "B")};
  if (a.kind == Record::Kind::batch) return {Cause::data, "the loader delivers other data"};
  if (a.tensors.size() != b.tensors.size())
    return {Cause::unexplained, fmt::format("it gives {} tensors in A and {} in B, from equal inputs",
                                            a.outputs().size(), b.outputs().size())};
  for (size_t i = a.input_count; i < a.tensors.size(); ++i) {
    if (a.tensors[i] == b.tensors[i]) continue;
    const Cause cause = cause_of_bits(a, b, a.tensors[i], b.tensors[i], ha, hb);
    if (!same_form(a.tensors[i], b.tensors[i]))
      return {cause, fmt::format("{} is {} in A and {} in B, from equal inputs", which(a, i), form(a.tensors[i]),
                                 form(b.tensors[i]))};
    return {cause, fmt::format("{} has other bits, from equal inputs", which(a, i))};
  }
  return {};
}

Verdict judge(const Record& a, const Record& b, const Header& ha, const Header& hb) {
  Verdict verdict = judge_event(a, b, ha, hb);
  const bool computed = verdict.cause == Cause::unexplained || verdict.cause == Cause::settings;
  if (ha.rows != hb.rows && computed && a.kind == Record::Kind::operation) {
    verdict.cause = Cause::neighbours;
    verdict.what += fmt::format("; of the row in a batch of {} in A and of {} in B", ha.rows, hb.rows);
  }
  if (verdict.cause == Cause::shapes && a.algorithm != b.algorithm)
    verdict.what += fmt::format("; with these sizes another algorithm computes, {} in A and {} in B",
                                ordo::name(a.algorithm), ordo::name(b.algorithm));
  return verdict;
}

std::string_view name(Cause cause) { return kCauses[size_t(cause)].name; }

std::string remedy(const Divergence& p) {
  if (p.cause == Cause::summary)
    return fmt::format("Record this step in full in both runs: ORDO_TRACE_STEPS={}, without ORDO_TRACE_DETAIL.",
                       p.place().step);
  if (p.cause != Cause::additions) return kCauses[size_t(p.cause)].remedy;
  std::string ordered;
  if (const OpInfo* row = row_of(p.place().name))
    for (const AlgorithmLevel& a : row->algorithms)
      if (a.level != Determinism::not_guaranteed && a.algorithm != Algorithm::library)
        ordered += fmt::format("{}Algorithm::{}", ordered.empty() ? "" : " or ", ordo::name(a.algorithm));
  return fmt::format(
      "It added floating-point numbers in the order in which threads arrived. Call "
      "use_deterministic_algorithms(true), or set ORDO_DETERMINISM=run_to_run{}.",
      ordered.empty() ? "" : fmt::format("; where the program names an algorithm, {}", ordered));
}

}  // namespace ordo::audit

#include <ordo/nn/audit/diff.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/printable.h>
#include <ordo/nn/audit/align.h>
#include <ordo/nn/audit/causes.h>

namespace ordo::audit {
namespace {

/// A trace that is read from its beginning as often as needed.
struct Source {
  Header header;
  std::string incomplete;
  /// Calls f for each record, until it returns false. Copies of records are valid as long as the result.
  std::function<std::shared_ptr<const void>(Source&, const std::function<bool(const Record&)>& f)> each;
};

Source source_of(const std::string& path) {
  return {{}, "", [path](Source& s, const std::function<bool(const Record&)>& f) {
            Reader reader(path);
            s.header = reader.header();
            for (Record r; reader.next(r);)
              if (!f(r)) return reader.keep_alive();
            s.incomplete = reader.incomplete();
            return reader.keep_alive();
          }};
}

Source source_of(const Trace& trace) {
  return {trace.header, trace.incomplete, [&trace](Source&, const std::function<bool(const Record&)>& f) {
            for (const Record& r : trace.records)
              if (!f(r)) break;
            return trace.texts;
          }};
}

/// Records by their index.
class Details {
 public:
  void read(Source& source, const std::set<uint32_t>& wanted) {
    if (wanted.empty()) return;
    texts_ = source.each(source, [&](const Record& r) {
      if (wanted.contains(uint32_t(r.index))) records_[uint32_t(r.index)] = r;
      return r.index < *wanted.rbegin();
    });
  }
  const Record& at(uint32_t index) const { return records_.at(index); }

 private:
  std::map<uint32_t, Record> records_;
  std::shared_ptr<const void> texts_;
};

std::string text_of(const TensorRecord& t) {
  if (t.state == TensorRecord::State::undefined) return "undefined";
  return fmt::format("{} {} {}{}{}", ordo::name(t.dtype), t.sizes->str(),
                     t.state == TensorRecord::State::read ? t.fingerprint.str() : "unread", t.name.empty() ? "" : " ",
                     t.name);
}

using Steps = std::map<int64_t, StepDiff>;

class Comparer {
 public:
  Comparer(Source a, Source b, const DiffOptions& options) : options_(options) {
    sides_[0].source = std::move(a), sides_[1].source = std::move(b);
  }

  TraceDiff run() {
    for (Side& side : sides_) {
      side.source.each(side.source, [&](const Record& r) {
        ORDO_CHECK(side.entries.size() < kNone, DataError, "diff", "a trace has more than {} events", kNone - 1);
        side.entries.push_back(entry_of(r));
        if (!side.devices.contains(r.device)) side.devices.emplace(r.device);
        return true;
      });
      side.entries.shrink_to_fit();
      find_parents(side);
    }
    pairs_ = align(sides_[0].entries, sides_[1].entries);
    tell_headers();
    walk();
    if (first_) explain();
    return std::move(result_);
  }

 private:
  struct Side {
    Source source;
    std::vector<Entry> entries;
    std::vector<uint32_t> parents;  // the operation around each; kNone: none, or not recorded
    std::set<std::string, std::less<>> devices;
    Details details;
  };
  /// Indices of the events in A and B; kNone where there is none.
  struct Event {
    uint32_t a = kNone, b = kNone;
  };

  static void find_parents(Side& side) {
    side.parents.assign(side.entries.size(), kNone);
    std::map<uint32_t, std::vector<uint32_t>> open;  // by thread, then depth: operations that end later
    for (size_t i = side.entries.size(); i-- > 0;) {
      const Entry& e = side.entries[i];
      if (e.kind == Record::Kind::draw || e.kind == Record::Kind::summary) continue;  // they have no depth
      auto& around = open[e.thread];
      if (e.depth > 0 && around.size() >= e.depth) side.parents[i] = around[e.depth - 1u];
      around.resize(e.depth, kNone);
      around.push_back(uint32_t(i));
    }
  }

  const Entry& a(uint32_t i) const { return sides_[0].entries[i]; }
  const Entry& b(uint32_t i) const { return sides_[1].entries[i]; }
  const Entry& entry(const Event& e) const { return e.a != kNone ? a(e.a) : b(e.b); }

  /// The innermost pair around the event that has equal inputs.
  Event equal_inputs_around(Event e) const {
    const int side = e.a != kNone ? 0 : 1;
    const auto& partners = side == 0 ? pairs_.of_a : pairs_.of_b;
    for (uint32_t i = sides_[side].parents[side == 0 ? e.a : e.b]; i != kNone; i = sides_[side].parents[i]) {
      if (partners[i] == kNone) continue;
      const Event around = side == 0 ? Event{i, partners[i]} : Event{partners[i], i};
      if (a(around.a).same_inputs(b(around.b))) return around;
    }
    return {};
  }

  bool is_different(const Event& e) const {
    if (e.a != kNone && e.b != kNone) {
      if (a(e.a).same(b(e.b))) return false;
      if (a(e.a).settings == b(e.b).settings) return true;
    } else if (entry(e).copies && sides_[0].devices != sides_[1].devices) {
      return false;  // what another device needs to have there
    }
    // What an operation is made of depends on level and algorithm; its result is what counts.
    const Event around = equal_inputs_around(e);
    return around.a == kNone || !a(around.a).same(b(around.b));
  }

  /// Of both traces, in the order of A.
  template <class F>
  void each_event(const F& f) const {
    const size_t na = sides_[0].entries.size(), nb = sides_[1].entries.size();
    uint32_t last_a = 0, last_b = 0;  // behind the last pair
    for (uint32_t i = 0; i < na; ++i)
      if (pairs_.of_a[i] != kNone) last_a = i + 1, last_b = std::max(last_b, pairs_.of_a[i] + 1);
    std::vector<std::pair<uint32_t, uint32_t>> only_b;  // before which event of A
    std::map<uint32_t, uint32_t> places;                // by thread
    for (uint32_t j = 0; j < nb; ++j) {
      uint32_t& place = places[b(j).thread];
      if (pairs_.of_b[j] != kNone)
        place = pairs_.of_b[j] + 1;
      else if (j < last_b || sides_[0].source.incomplete.empty())
        only_b.emplace_back(place, j);
    }
    std::sort(only_b.begin(), only_b.end());
    size_t k = 0;
    for (uint32_t i = 0; i <= na; ++i) {
      for (; k < only_b.size() && only_b[k].first <= i; ++k) f(Event{kNone, only_b[k].second});
      if (i == na) break;
      if (pairs_.of_a[i] != kNone || i < last_a || sides_[1].source.incomplete.empty()) f(Event{i, pairs_.of_a[i]});
    }
  }

  void walk() {
    Steps steps;
    std::map<uint32_t, std::vector<bool>> inside;  // by thread, then depth: something inside is different
    std::set<std::pair<int, uint64_t>> seen;
    each_event([&](const Event& e) {
      const Entry& x = entry(e);
      const bool paired = e.a != kNone && e.b != kNone, different = is_different(e);
      result_.compared += paired;
      StepDiff& step = steps[x.step];
      step.step = x.step;
      ++step.events;
      bool made_of_different = false;
      if (x.kind != Record::Kind::draw && x.kind != Record::Kind::summary) {
        auto& flags = inside[x.thread];
        flags.resize(std::max<size_t>(flags.size(), x.depth + 2u));
        made_of_different = flags[x.depth + 1u];
        flags.resize(x.depth + 1u);
        flags[x.depth] = flags[x.depth] || different;
      }
      if (!different) return;
      ++result_.different, ++step.different;
      result_.only_a += e.b == kNone, result_.only_b += e.a == kNone;
      if (!first_) {
        // Other operations inside of one that had equal inputs: that one is what parts.
        const Event around = paired ? Event() : equal_inputs_around(e);
        first_ = around.a == kNone ? e : around;
        seen.insert(sort_of(*first_));
        return;
      }
      if (spread_.size() < size_t(std::max(0, options_.spread)) && !is_first(e)) spread_.push_back(e);
      const int sort = sort_of(e).first;
      if (sort == kConsequence || made_of_different || is_first(e) || others_.size() >= kMostOthers) return;
      if (seen.insert(sort_of(e)).second) others_.push_back(e);
    });
    for (const auto& [number, step] : steps) result_.steps.push_back(step);
    result_.equal = !first_;
  }

  bool is_first(const Event& e) const { return first_ && e.a == first_->a && e.b == first_->b; }

  enum Sort { kConsequence, kBits, kFlow, kDraw, kData, kShapes, kAlgorithm };
  /// What an event that differs is, and whose further events are told, too: all operations that give other bits from
  /// equal inputs, or whose algorithm changed with their sizes, and the first of everything else.
  std::pair<int, uint64_t> sort_of(const Event& e) const {
    if (e.a == kNone || e.b == kNone) return {kFlow, 0};
    const Entry &x = a(e.a), &y = b(e.b);
    if (x.kind == Record::Kind::draw) return {kDraw, 0};
    if (x.kind == Record::Kind::batch) return {kData, 0};
    if (x.kind == Record::Kind::summary) return {kConsequence, 0};
    if (x.same_inputs(y)) return {kBits, x.key};
    if (x.shapes != y.shapes && x.algorithm() != y.algorithm()) return {kAlgorithm, x.key};
    return {x.shapes != y.shapes ? kShapes : kConsequence, 0};
  }

  void explain() {
    std::vector<uint32_t> before;
    const Event& at = *first_;
    for (uint32_t i = at.a != kNone ? at.a : 0; i > 0 && before.size() < size_t(std::max(0, options_.context)); --i)
      before.push_back(i - 1);
    std::set<uint32_t> wanted[2];
    const auto want = [&](const Event& e) {
      if (e.a != kNone) wanted[0].insert(e.a);
      if (e.b != kNone) wanted[1].insert(e.b);
    };
    want(at);
    for (const Event& e : spread_) want(e);
    for (const Event& e : others_) want(e);
    for (uint32_t i : before) wanted[0].insert(i);
    for (int s : {0, 1}) sides_[s].details.read(sides_[s].source, wanted[s]);
    result_.first = divergence_of(at);
    if (result_.first.cause == Cause::control_flow) tell_the_end(at);
    result_.remedy = remedy(result_.first);
    for (const Event& e : others_)
      if (Divergence p = divergence_of(e); diverges_by_itself(e, p)) result_.others.push_back(std::move(p));
    for (const Event& e : spread_) result_.spread.push_back(e.a != kNone ? place_of(0, e.a) : place_of(1, e.b));
    for (size_t i = before.size(); i-- > 0;) result_.before.push_back(place_of(0, before[i]));
  }

  Divergence divergence_of(const Event& e) {
    Divergence p;
    if (e.a != kNone) p.a = place_of(0, e.a);
    if (e.b != kNone) p.b = place_of(1, e.b);
    if (!p.a || !p.b) {
      p.cause = Cause::control_flow;
      p.what = fmt::format("only {} has it", p.a ? "A" : "B");
      return p;
    }
    const Record &x = sides_[0].details.at(e.a), &y = sides_[1].details.at(e.b);
    Verdict verdict = judge(x, y, sides_[0].source.header, sides_[1].source.header);
    if (verdict.cause == Cause::data && is_in_another_order(e))
      verdict = {Cause::data_order, "the loader delivers the same batches in another order"};
    if (verdict.cause == Cause::outside && is_first(e)) tell_other_tensor(x, y, verdict);
    p.cause = verdict.cause;
    p.what = verdict.what;
    return p;
  }

  /// Not as a consequence: a backward function also reads what was saved for it, an operation what it has just drawn.
  bool diverges_by_itself(const Event& e, const Divergence& p) const {
    if (sort_of(e).first != kBits) return true;
    return p.cause == Cause::additions && (!p.a->backward || p.a->algorithm == Algorithm::atomic);
  }

  /// Both traces have the other's batch at another place.
  bool is_in_another_order(const Event& e) const {
    const auto has = [](const std::vector<Entry>& entries, uint64_t outputs) {
      return std::any_of(entries.begin(), entries.end(),
                         [&](const Entry& x) { return x.kind == Record::Kind::batch && x.outputs == outputs; });
    };
    return has(sides_[1].entries, a(e.a).outputs) && has(sides_[0].entries, b(e.b).outputs);
  }

  /// Where each run passes, to the same operation in the same step, what the other one passes here.
  void tell_other_tensor(const Record& x, const Record& y, Verdict& verdict) {
    size_t i = 0;
    while (x.tensors[i] == y.tensors[i]) ++i;
    const auto passes = [&](Side& side, const Record& here, const TensorRecord& wanted) {
      bool found = false;
      side.source.each(side.source, [&](const Record& r) {
        found = r.name == here.name && r.path == here.path && r.node == here.node && r.step == here.step &&
                r.index != here.index && r.input_count > i && r.tensors[i].state == TensorRecord::State::read &&
                r.tensors[i].fingerprint == wanted.fingerprint && r.tensors[i].dtype == wanted.dtype &&
                *r.tensors[i].sizes == *wanted.sizes;
        return !found && r.step <= here.step;
      });
      return found;
    };
    if (x.tensors[i].state != TensorRecord::State::read || x.tensors[i].sizes->product() < 2 ||
        !passes(sides_[1], y, x.tensors[i]) || !passes(sides_[0], x, y.tensors[i]))
      return;
    verdict = {Cause::other_tensor,
               fmt::format("input {} is another tensor; in this step, both runs pass both to such an operation", i)};
  }

  /// What the other trace does in place of an event that it lacks.
  void tell_the_end(const Event& e) {
    const int other = e.a == kNone ? 0 : 1;
    const auto& partners = other == 0 ? pairs_.of_b : pairs_.of_a;
    const uint32_t own = other == 0 ? e.b : e.a;
    uint32_t next = 0;
    for (uint32_t i = own; i-- > 0;)
      if (partners[i] != kNone) {
        next = partners[i] + 1;
        break;
      }
    const auto& entries = sides_[other].entries;
    if (next >= entries.size()) {
      result_.first.what += fmt::format("; {} has ended", other == 0 ? "A" : "B");
      return;
    }
    Details instead;
    instead.read(sides_[other].source, {next});
    const Record& r = instead.at(next);
    result_.first.what +=
        fmt::format("; {} goes on with {}{}{}", other == 0 ? "A" : "B", r.name, r.backward ? " (backward)" : "",
                    r.path.empty() ? "" : fmt::format(" in {}", r.path));
  }

  Position place_of(int side, uint32_t index) const {
    const Record& r = sides_[side].details.at(index);
    const auto& entries = sides_[side].entries;
    Position p;
    p.kind = name(r.kind), p.name = r.name, p.path = r.path, p.node = r.node, p.arguments = r.arguments;
    p.device = r.device, p.backward = r.backward, p.failed = r.failed, p.level = r.level, p.algorithm = r.algorithm;
    p.step = r.step, p.thread = r.thread, p.index = index, p.depth = r.depth;
    for (uint32_t i = 0; i <= index; ++i)
      p.occurrence +=
          entries[i].key == entries[index].key && entries[i].step == r.step && entries[i].thread == r.thread;
    if (r.kind == Record::Kind::draw)
      p.arguments = fmt::format("seed {}, stream {}, offset {}, {} blocks", r.draw_from.seed, r.draw_from.stream,
                                r.draw_from.offset, r.draw_blocks);
    for (const TensorRecord& t : r.inputs()) p.inputs.push_back(text_of(t));
    for (const TensorRecord& t : r.outputs()) p.outputs.push_back(text_of(t));
    return p;
  }

  void tell_headers() {
    const Header &x = sides_[0].source.header, &y = sides_[1].source.header;
    const auto tell = [&](std::string_view what, const std::string& in_a, const std::string& in_b) {
      if (in_a != in_b) result_.notes.push_back(fmt::format("{}: '{}' in A, '{}' in B", what, in_a, in_b));
    };
    tell("level", std::string(ordo::name(x.level)), std::string(ordo::name(y.level)));
    tell("threads", std::to_string(x.threads), std::to_string(y.threads));
    tell("devices", x.device, y.device);
    tell("settings of products and of CUDA's libraries", x.library_settings, y.library_settings);
    tell("instruction set", x.instruction_set, y.instruction_set);
    tell("schedule of the emulator", x.schedule, y.schedule);
    tell("version of Ordo", x.version, y.version);
    tell("version of the ordering contract", std::to_string(x.ordering_contract), std::to_string(y.ordering_contract));
    tell("what is recorded", x.filters, y.filters);
    tell("detail", std::string(name(x.detail)), std::string(name(y.detail)));
    tell("command line", fmt::format("{}", fmt::join(x.command_line, " ")),
         fmt::format("{}", fmt::join(y.command_line, " ")));
    for (const Side& side : sides_)
      if (!side.source.incomplete.empty())
        result_.notes.push_back(fmt::format("compared as far as it goes: {}", side.source.incomplete));
    if (!x.filters.empty() || !y.filters.empty())
      result_.notes.push_back("the traces are filtered: a cause may be in what was left out");
  }

  static constexpr size_t kMostOthers = 20;
  const DiffOptions options_;
  Side sides_[2];
  Pairs pairs_;
  TraceDiff result_;
  std::optional<Event> first_;
  std::vector<Event> spread_, others_;
};

}  // namespace

TraceDiff diff(const std::string& a, const std::string& b, const DiffOptions& options) {
  return Comparer(source_of(a), source_of(b), options).run();
}

TraceDiff diff(const Trace& a, const Trace& b, const DiffOptions& options) {
  return Comparer(source_of(a), source_of(b), options).run();
}

std::string Position::str() const {
  std::string text = fmt::format("{} {}{}", kind, name, backward ? " (backward)" : "");
  if (!path.empty()) text += " in " + path;
  text += fmt::format(", step {}", step);
  if (occurrence > 1) text += fmt::format(", call {}", occurrence);
  if (thread > 0) text += fmt::format(", thread {}", thread);
  return text;
}

std::string TraceDiff::str() const {
  std::string text;
  const auto line = [&](const std::string& l) { text += printable(l) + "\n"; };  // names come from files
  if (equal) {
    line(fmt::format("equal: {} events", compared));
    for (const std::string& note : notes) line("  note: " + note);
    return text;
  }
  const Position& p = first.place();
  line(fmt::format("different: {} of {} events", different, compared + only_a + only_b));
  line(fmt::format("first: {}", p.str()));
  line(fmt::format("  {}", first.what));
  line(fmt::format("  cause: {}", audit::name(first.cause)));
  if (p.kind == "operation")
    line(fmt::format("  level {}, algorithm {}, on {}{}", ordo::name(p.level), ordo::name(p.algorithm), p.device,
                     p.arguments.empty() ? "" : ", arguments (" + p.arguments + ")"));
  else if (!p.arguments.empty())
    line("  " + p.arguments);
  line("  " + remedy);
  if (only_a + only_b > 0) line(fmt::format("events without a partner: {} in A, {} in B", only_a, only_b));
  if (const int64_t later = different - 1; later > 0) {
    line(fmt::format("spread to {} later events{}", later, spread.empty() ? "" : ", first to"));
    for (const Position& s : spread) line("  " + s.str());
  }
  for (const Divergence& o : others)
    line(fmt::format("also: {}: {} ({})", o.place().str(), o.what, audit::name(o.cause)));
  for (const std::string& note : notes) line("note: " + note);
  return text;
}

}  // namespace ordo::audit

// ordo check: runs a program several times, records every operation, and says what is reproducible across what.
#include <fmt/format.h>
#include <ordo/kernels/vectors/vector_targets.h>
#include <ordo/nn/audit/causes.h>
#include <ordo/nn/audit/diff.h>
#include <ordo/nn/audit/dump.h>
#include <ordo/nn/state/whole_file.h>
#include <ordo/ordo.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <thread>

#include "tools/ordo/cli.h"
#include "tools/ordo/diff_json.h"
#include "tools/ordo/process.h"
#include "tools/ordo/say.h"
#include "tools/ordo/source_line.h"
#include "tools/ordo/values.h"

namespace {

using namespace ordo;
namespace fs = std::filesystem;
using Variables = std::map<std::string, std::string>;

constexpr const char *kDevice = "{device}", *kLevel = "{level}", *kBatch = "{batch}", *kAccumulate = "{accumulate}";

/// How a run is started.
struct Setting {
  Variables variables;
  Variables places = {};  // what stands in place of "{device}" and others in the program's arguments
  int ranks = 0;          // processes that mpirun starts; 0: one, without it

  Setting with(Variables more) const {
    more.insert(variables.begin(), variables.end());
    return {std::move(more), places, ranks};
  }
  Setting placed(const std::string& place, const std::string& text) const {
    Setting other = *this;
    other.places[place] = text;
    return other;
  }
};

void replace(std::string& word, std::string_view place, const std::string& text) {
  for (size_t at = 0; !text.empty() && (at = word.find(place, at)) != std::string::npos; at += text.size())
    word.replace(at, place.size(), text);
}

struct Options {
  std::vector<std::string> words, levels, devices, accumulate;
  std::vector<int> threads, batches, ranks;
  int runs = 2, schedules = 0;
  bool load = false, no_fill = false, vectors = false;
  double timeout = 600;
  std::string keep, json, dump;
};

/// A line of the table: runs that should be equal to the first run of its level, or the first runs of two levels.
struct Row {
  std::string level, across;
  int runs = 0, different = 0;
  bool two_levels = false;                 // which need not have the same bits
  bool allowed = false;                    // different, as two levels may be
  audit::TraceDiff diff = {};              // the first that is different, else the last
  Setting setting_a = {}, setting_b = {};  // of its runs
  bool load = false;                       // beside busy threads
  std::vector<ValueDiff> values = {};
  std::string values_note = {};  // what running again came to
  std::string line = {};         // of the program, that called the operation
  bool told = false;             // an earlier row has the same failure

  bool fails() const { return different > 0 && !allowed; }
};

/// What tells one failure from another.
std::string failure_of(const Row& row) {
  return row.level + (row.two_levels ? row.across : "") + row.diff.first.place().str() +
         std::string(audit::name(row.diff.first.cause));
}

/// What the values of the place say and fingerprints do not: NaNs in one run only, and NaNs of other bits.
void judge_values(Row& row) {
  const auto differs = [](const ValueDiff& v) { return v.differ > 0; };
  const auto at = std::find_if(row.values.begin(), row.values.end(), differs);
  if (at == row.values.end() || at->nans == 0) return;
  const ValueDiff& v = *at;
  audit::Divergence& first = row.diff.first;
  std::string tensor = v.name;  // "input-0", which a verdict calls "input 0"
  std::replace(tensor.begin(), tensor.end(), '-', ' ');
  if (!first.what.starts_with(tensor + " ")) return;  // the further runs parted elsewhere
  first.what +=
      fmt::format("; NaNs among its {} values, in further runs: {} in A, {} in B", v.elements, v.nans_a, v.nans_b);
  const auto clean = [](const ValueDiff& d) { return d.name.starts_with("output") || d.nans_a + d.nans_b == 0; };
  if (v.name.starts_with("output") && std::all_of(row.values.begin(), row.values.end(), clean))
    first.what += ", and none in its inputs: they appear here";
  // Where numbers differ, too, NaNs are not the reason.
  if (v.nans < v.differ || first.cause == audit::Cause::uninitialized) return;
  if (v.nan_in_one == 0) {
    first.cause = audit::Cause::nan;
    row.diff.remedy = audit::remedy(first);
  } else if (first.cause == audit::Cause::unexplained || first.cause == audit::Cause::outside ||
             first.cause == audit::Cause::other_tensor) {
    row.diff.remedy = fmt::format(
        "One run has NaNs where the other has numbers. Look for what makes them: missing data, 0/0, the root or "
        "logarithm of a negative number, memory that nobody had written. {}",
        row.diff.remedy);
    first.cause = audit::Cause::nan;
  }
}

/// What glibc fills memory with that is asked for; Ordo's allocator keeps none.
Variables filled_with(int byte) {
  return {{"ORDO_NO_MEMORY_CACHING", "1"},
          {"MALLOC_PERTURB_", std::to_string(byte)},
          {"GLIBC_TUNABLES", fmt::format("glibc.malloc.perturb={}", byte)}};
}
constexpr int kFill = 0x55, kOtherFill = 0x2a;

int busy_threads() { return 2 * int(std::max(1u, std::thread::hardware_concurrency())); }

std::string last_lines(const std::string& file, size_t most = 10) {
  std::ifstream in(file, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back("  " + line + "\n");
    if (lines.size() > most) lines.erase(lines.begin());
  }
  return fmt::format("{}", fmt::join(lines, ""));
}

class Check {
 public:
  explicit Check(const Options& options) : o_(options) {
    std::error_code error;
    folder_ = o_.keep.empty() ? temporary_.emplace("check").path : fs::path(o_.keep);
    fs::create_directories(folder_, error);
    if (error) throw DataError(fmt::format("[check] cannot make {}: {}", o_.keep, error.message()));
  }

  std::vector<Row> run() {
    for (const std::string& level : o_.levels.empty() ? std::vector<std::string>{""} : o_.levels) run_level(level);
    for (size_t i = 0; i < firsts_.size(); ++i)
      for (size_t j = i + 1; j < firsts_.size(); ++j) compare_levels(firsts_[i], firsts_[j]);
    std::map<std::string, const Row*> told;
    for (Row& row : rows_) {
      if (row.different == 0) continue;
      const auto [same, first] = told.emplace(failure_of(row), &row);
      if (first) {
        find_values(row);
        judge_values(row);
      } else {
        const Row& earlier = *same->second;
        row.told = true;
        row.values = earlier.values, row.values_note = earlier.values_note, row.line = earlier.line;
        row.diff.first = earlier.diff.first, row.diff.remedy = earlier.diff.remedy;
      }
    }
    return std::move(rows_);
  }

 private:
  /// The first run of a level.
  struct First {
    std::string level, trace;
    Setting setting;
  };

  /// The runs that each level began with. A level may choose other algorithms, and no other difference is the levels'.
  void compare_levels(const First& a, const First& b) {
    const bool same = a.level == b.level;  // the program sets its own
    Row& row = add_row(a.level, same ? "level asked for" : "level " + b.level);
    row.two_levels = !same;
    add_diff(row, a.trace, b.trace, a.setting, b.setting);
    const audit::Cause cause = row.diff.first.cause;
    row.allowed = !same && row.different > 0 &&
                  (cause == audit::Cause::settings || cause == audit::Cause::additions || cause == audit::Cause::nan);
  }

  void run_level(const std::string& level) {
    Setting base{filled_with(kFill), {{kLevel, level}}};
    if (!level.empty()) base.variables["ORDO_DETERMINISM"] = level;
    if (!o_.devices.empty()) base = base.placed(kDevice, o_.devices[0]);
    if (!o_.batches.empty()) base = base.placed(kBatch, std::to_string(o_.batches[0]));
    if (!o_.accumulate.empty()) base = in_parts(base, o_.accumulate[0]);
    const std::string first = run_once(base);
    const std::string told(name(audit::Reader(first).header().level));  // the program's own, where it sets one
    firsts_.push_back({told, first, base});

    const std::vector<Setting> more(size_t(o_.runs - 1), base);
    vary(told, "runs", first, base, more);
    const bool repeats = rows_.back().different == 0;
    if (o_.load) {
      const BusyThreads busy(busy_threads());
      vary(told, "load on the machine", first, base, more);
      rows_.back().load = true;
    }
    if (!o_.no_fill) {
      vary(told, "contents of new memory", first, base, {base.with(filled_with(kOtherFill))});
      // Nothing else was changed, so that is what did it.
      if (repeats && rows_.back().different > 0) blame_memory(rows_.back().diff);
    }
    std::vector<Setting> threads, sets, devices, schedules;
    for (const int count : o_.threads) threads.push_back(base.with({{"OMP_NUM_THREADS", std::to_string(count)}}));
    if (o_.vectors)
      for (const std::string& set : kernels::cpu::vector_targets()) sets.push_back(base.with({{"ORDO_VECTORS", set}}));
    if (!sets.empty()) sets.erase(sets.begin());  // the first is what all runs use
    for (size_t i = 1; i < o_.devices.size(); ++i) devices.push_back(base.placed(kDevice, o_.devices[i]));
    for (int seed = 1; seed <= o_.schedules; ++seed)
      schedules.push_back(base.with({{"ORDO_EMULATOR_SEED", std::to_string(seed)}}));
    vary(told, "CPU threads", first, base, threads);
    vary(told, "instruction sets", first, base, sets);
    vary(told, "devices", first, base, devices);
    vary(told, "schedules of the emulator", first, base, schedules);

    std::vector<Setting> batches, parts, ranks;
    for (const int rows : o_.batches)
      batches.push_back(base.with({{"ORDO_TRACE_ROWS", std::to_string(rows)}}).placed(kBatch, std::to_string(rows)));
    const Setting results = base.with({{"ORDO_TRACE_DETAIL", std::string(name(audit::Detail::parameters))}});
    for (const std::string& part : o_.accumulate) parts.push_back(in_parts(results, part));
    for (const int count : o_.ranks)
      ranks.push_back(results.with({{"OMPI_MCA_rmaps_base_oversubscribe", "1"}})), ranks.back().ranks = count;
    vary(told, "rows beside a row", batches);
    vary(told, "batches of a step", parts);
    vary(told, "processes", ranks);
  }

  /// "8x4": four batches of 8 rows.
  static Setting in_parts(const Setting& base, const std::string& part) {
    const size_t x = part.find('x');
    return base.placed(kBatch, part.substr(0, x)).placed(kAccumulate, part.substr(x + 1));
  }

  /// Of traces of another kind: the first of these settings is what the others are compared with.
  void vary(const std::string& level, const char* across, const std::vector<Setting>& settings) {
    if (settings.empty()) return;
    const std::string first = run_once(settings[0]);
    vary(level, across, first, settings[0], {settings.begin() + 1, settings.end()});
    if (rows_.back().different == 0 && rows_.back().diff.compared == 0)
      throw ExitStatus(2,
                       fmt::format("[check] across {} there was nothing to compare: no optimiser made a step", across));
    if (o_.keep.empty()) fs::remove(first);
  }

  /// A row of runs with each of these settings, where there are any.
  void vary(const std::string& level, const char* across, const std::string& first, const Setting& base,
            const std::vector<Setting>& settings) {
    if (settings.empty()) return;
    Row& row = add_row(level, across);
    for (const Setting& setting : settings) {
      const std::string trace = run_once(setting);
      add_diff(row, first, trace, base, setting);
      if (o_.keep.empty()) fs::remove(trace);  // what was compared; the first run's stays
    }
  }

  static void blame_memory(audit::TraceDiff& d) {
    if (d.first.cause == audit::Cause::uninitialized) return;
    d.first.cause = audit::Cause::uninitialized;
    d.first.what += "; all that was changed is what new memory holds";
    d.remedy =
        "Something reads memory that nobody has written: of empty(), empty_like(), resize_(), or of the program's own. "
        "Use zeros() or fill_(); at a deterministic level Ordo fills such tensors with NaN, and it shows.";
  }

  Row& add_row(const std::string& level, const std::string& across) { return rows_.emplace_back(Row{level, across}); }

  static void add_diff(Row& row, const std::string& a, const std::string& b, const Setting& base,
                       const Setting& setting) {
    ++row.runs;
    audit::TraceDiff d = audit::diff(a, b);
    if (!d.equal) ++row.different;
    if (row.different == 0 || (row.different == 1 && !d.equal)) {
      row.diff = std::move(d), row.setting_a = base, row.setting_b = setting;
    }
  }

  /// A trace has no values: runs the program again in both settings, to the place, and compares the tensors of the
  /// event.
  void find_values(Row& row) {
    const audit::Divergence& first = row.diff.first;
    const auto place_a = first.a && first.b ? audit::dump_position(*first.a) : std::nullopt;
    const auto place_b = first.a && first.b ? audit::dump_position(*first.b) : std::nullopt;
    if (row.setting_a.variables.contains("ORDO_TRACE_ROWS")) {
      row.values_note = "none: the tensors of the runs have other sizes";
      return;
    }
    if (!place_a || !place_b) {
      row.values_note = "none: the runs part where one has no tensors to compare";
      return;
    }
    const fs::path folder = (o_.dump.empty() ? folder_ : fs::path(o_.dump)) / fmt::format("values-{}", ++dumps_);
    std::optional<BusyThreads> busy;
    if (row.load) busy.emplace(busy_threads());
    constexpr int kTries = 5;
    try {
      const auto dump = [&](const char* side, const audit::DumpPosition& place, const Setting& setting) {
        fs::remove_all(folder / side);
        const auto has_come = [&] { return fs::exists(folder / side) && !fs::is_empty(folder / side); };
        const std::string trace =
            run_once(setting.with({{"ORDO_TRACE_DUMP", place.str()}, {"ORDO_TRACE_DUMP_TO", (folder / side).string()}}),
                     has_come);
        if (o_.keep.empty()) fs::remove(trace);
        return has_come();
      };
      const bool came = dump("a", *place_a, row.setting_a);
      if (came) row.line = source_line(folder / "a" / "calls.txt", folder / "addr2line.txt");
      for (int tries = 1; came && tries <= kTries; ++tries) {
        if (!dump("b", *place_b, row.setting_b)) continue;
        row.values = compare_folders((folder / "a").string(), (folder / "b").string());
        if (std::all_of(row.values.begin(), row.values.end(), [](const ValueDiff& d) { return d.equal(); })) continue;
        row.values_note = "of two further runs";
        if (!o_.dump.empty() || !o_.keep.empty()) row.values_note += ", in " + folder.string();
        return;
      }
      row.values_note = came ? fmt::format("not shown: {} further runs had equal values at this place", kTries)
                             : "not shown: a further run did not come to this place";
    } catch (const ExitStatus& error) {
      row.values_note = fmt::format("not shown: {}", error.what());
    }
    row.values.clear();
  }

  /// Returns the trace. ExitStatus 2 for a program that records nothing, or ends neither well nor as it should: at a
  /// place whose tensors it has written, after which scripts around it end as they like.
  std::string run_once(
      const Setting& setting, const std::function<bool()>& may_fail = [] { return false; }) {
    const int number = ++runs_;
    const std::string trace = (folder_ / fmt::format("run-{}.trace", number)).string();
    const std::string log = (folder_ / fmt::format("run-{}.log", number)).string();
    for (const std::string& file : {trace, log}) {
      std::error_code error;  // what stays is refused when it is read
      fs::remove_all(file, error);
    }
    std::vector<std::string> words = o_.words;
    for (std::string& word : words)
      for (const auto& [place, text] : setting.places) replace(word, place, text);
    if (setting.ranks > 0) words.insert(words.begin(), {"mpirun", "-n", std::to_string(setting.ranks)});
    const ProcessEnd end = run_process(words, setting.with({{"ORDO_TRACE", trace}}).variables, o_.timeout, log);
    if (!end.good() && !(end.how == ProcessEnd::How::exited && may_fail())) {
      const std::string output = end.how == ProcessEnd::How::not_started ? "" : last_lines(log);
      throw ExitStatus(2, fmt::format("[check] run {}: {} {}{}{}", number, o_.words[0], end.str(),
                                      end.how == ProcessEnd::How::timed_out ? "; --timeout gives it more" : "",
                                      output.empty() ? "" : ". Its last lines:\n" + output));
    }
    if (!fs::exists(trace))
      throw ExitStatus(2,
                       fmt::format("[check] run {}: {} ended well and left no trace. Does it use this version of Ordo, "
                                   "and hand its environment on to what does?",
                                   number, o_.words[0]));
    if (!fs::is_regular_file(trace))  // a pipe would never come to its end
      throw ExitStatus(2,
                       fmt::format("[check] run {}: {} ended well and left no file as its trace", number, o_.words[0]));
    return trace;
  }

  const Options& o_;
  std::optional<TemporaryFolder> temporary_;
  fs::path folder_;
  int runs_ = 0, dumps_ = 0;
  std::vector<Row> rows_;
  std::vector<First> firsts_;
};

std::string result_of(const Row& row) {
  if (row.different == 0)
    return fmt::format("{}, {} events", row.two_levels ? "the same bits" : "equal", row.diff.compared);
  return row.allowed ? "differs, as levels may" : fmt::format("{} different", row.different);
}

void print_failure(const Row& row) {
  const audit::TraceDiff& d = row.diff;
  const audit::Position& p = d.first.place();
  if (row.allowed)
    say("\nOther bits at level {} than at {}, as levels may have:\n", row.level, row.across);
  else
    say("\nNot reproducible at {} across {}:\n", row.level, row.across);
  say("  operation  {}{}\n", p.kind == "operation" ? "" : p.kind + " ", p.name.empty() ? "-" : p.name);
  say("  module     {}\n", p.path.empty() ? "-" : p.path);
  if (!row.line.empty()) say("  called at  {}\n", row.line);
  say("  step       {}, {}, record {}\n", p.step, p.backward || !p.node.empty() ? "backward" : "forward", p.index);
  say("  what       {}\n", d.first.what);
  say("  cause      {}\n", audit::name(d.first.cause));
  say("  values     {}\n", row.values_note);
  for (const ValueDiff& v : row.values) say("             {}\n", v.str());
  say("  spread     to {} later events\n", d.different - 1);
  say("  to do      {}\n", d.remedy);
  for (const audit::Divergence& other : d.others)
    say("  also       {}: {} ({})\n", other.place().str(), other.what, audit::name(other.cause));
}

void run_check(const Options& options) {
  for (const std::string& level : options.levels) {
    try {
      determinism_from_name(level);
    } catch (const ValueError& error) {
      throw ExitStatus(2, fmt::format("--levels: {}", error.what()));
    }
  }
  const auto expect_place = [&](bool given, const char* option, const char* place) {
    const auto has_place = [&](const std::string& word) { return word.find(place) != std::string::npos; };
    if (given && std::none_of(options.words.begin() + 1, options.words.end(), has_place))
      throw ExitStatus(
          2, fmt::format("{}: needs {} among the program's arguments, which each takes the place of", option, place));
  };
  for (const auto& [option, count] : {std::pair{"--batch", options.batches.size()},
                                      {"--accumulate", options.accumulate.size()},
                                      {"--ranks", options.ranks.size()}})
    if (count == 1) throw ExitStatus(2, fmt::format("{}: needs at least two, which are compared", option));
  expect_place(!options.devices.empty(), "--devices", kDevice);
  expect_place(!options.batches.empty(), "--batch", kBatch);
  expect_place(!options.accumulate.empty(), "--accumulate", kBatch);
  expect_place(!options.accumulate.empty(), "--accumulate", kAccumulate);
  for (const std::string& part : options.accumulate) {
    int rows = 0, batches = 0;
    char rest = 0;
    if (std::sscanf(part.c_str(), "%dx%d%c", &rows, &batches, &rest) != 2 || rows < 1 || batches < 1)
      throw ExitStatus(2, fmt::format("--accumulate: takes rows x batches, as 32x1,8x4, not '{}'", part));
  }
  std::optional<nn::WholeFile> json;
  if (!options.json.empty()) json.emplace(options.json, "check");
  const std::vector<Row> rows = Check(options).run();
  int failures = 0;
  say("{:<18} {:<26} {:>5}  {}\n", "level", "across", "runs", "result");
  for (const Row& row : rows) {
    failures += row.fails();
    say("{:<18} {:<26} {:>5}  {}\n", row.level, row.across, row.runs + 1, result_of(row));
  }
  for (const Row& row : rows) {
    if (row.different == 0) continue;
    if (!row.told)
      print_failure(row);
    else
      say("\nNot reproducible at {} across {}: the same place and cause.\n", row.level, row.across);
  }
  std::fflush(stdout);
  if (json) {
    const auto row_json = [](const Row& row) -> Json {
      return {{"level", row.level},
              {"across", row.across},
              {"runs", row.runs + 1},
              {"different", row.different},
              {"allowed", row.allowed},
              {"diff", to_json(row.diff)},
              {"values", json_list(row.values, [](const ValueDiff& v) { return to_json(v); })},
              {"values_note", row.values_note},
              {"line", row.line}};
    };
    json->write(Json{{"format", "ordo check"}, {"equal", failures == 0}, {"rows", json_list(rows, row_json)}}.lines());
    json->commit();
  }
  if (failures > 0) throw ExitStatus(1, "the program is not reproducible");
}

std::function<void()> add_check(Arguments arguments) {
  static Options o;
  arguments.add("program", o.words, "the program and its arguments, after --").required();
  arguments.add("--runs", o.runs, "runs with the same settings (2)").range(2, 10000);
  arguments.add("--threads", o.threads, "also runs with these numbers of CPU threads: 1,2")
      .with_commas()
      .range(1, 4096);
  arguments
      .add("--levels", o.levels,
           "start at each of these levels, as ORDO_DETERMINISM does, and compare them; each also takes the place of "
           "{level} in the arguments")
      .with_commas();
  arguments.add("--schedules", o.schedules, "also runs with this many seeds of the emulated GPU").range(1, 10000);
  arguments.add("--vectors", o.vectors, "also runs with each instruction set that this processor has");
  arguments
      .add("--devices", o.devices,
           "also on each of these devices: cpu,cuda; each takes the place of {device} in the arguments")
      .with_commas();
  arguments
      .add("--batch", o.batches,
           "also with batches of so many rows, of which row 0 is compared: 1,7; each takes the place of {batch}")
      .with_commas()
      .range(1, 1 << 20);
  arguments
      .add("--accumulate", o.accumulate,
           "also with steps of so many rows and batches: 32x1,8x4; these take the places of {batch} and {accumulate}")
      .with_commas();
  arguments.add("--ranks", o.ranks, "also in so many processes of mpirun: 1,2,3").with_commas().range(1, 4096);
  arguments.add("--load", o.load, "also runs beside busy threads");
  arguments.add("--no-fill", o.no_fill, "no run in which new memory has other contents");
  arguments.add("--timeout", o.timeout, "seconds for a run (600)").positive();
  arguments.add("--keep", o.keep, "a folder that keeps the traces and the program's output");
  arguments.add("--dump", o.dump, "a folder for the tensors of each place where runs part, as .npy files");
  arguments.add("--json", o.json, "also write the results to this file");
  return [] { run_check(o); };
}

}  // namespace

const Command kCheck{
    "check", "Run a program several times and say what it is reproducible across: ordo check [options] -- PROGRAM ...",
    add_check};

// ordo bench: fast against deterministic against peers, over the table of bench/grid.json; and two result files
// compared.
#include <fmt/format.h>
#include <ordo/engine/emulation.h>
#include <ordo/engine/files.h>
#include <ordo/nn/state/whole_file.h>
#include <ordo/ordo.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <sstream>

#include "bench/compare.h"
#include "bench/control.h"
#include "bench/gpu_model.h"
#include "bench/measure.h"
#include "bench/suite.h"
#include "tools/demo/progress.h"
#include "tools/ordo/commands.h"
#include "tools/ordo/page.h"
#include "tools/ordo/say.h"

namespace {

using namespace ordo;
using namespace ordo::bench;

constexpr Effort kQuick{.repeats = 20, .seconds = 0.15, .rounds = 2};

struct Options {
  std::string filter, device, json, grid;
  std::vector<std::string> compare;
  int threads = 0;
  Effort effort;
  double threshold = 10;  // per cent
  bool quick = false, no_peers = false, resume = false, model = false, biased = false;
};

std::vector<std::string> command_line(const Options& o) {
  std::vector<std::string> words{"ordo", "bench"};
  if (!o.filter.empty()) words.push_back("--filter '" + o.filter + "'");
  if (!o.device.empty()) words.push_back("--device " + o.device);
  if (!o.grid.empty()) words.push_back("--grid " + o.grid);
  if (o.quick) words.push_back("--quick");
  if (o.no_peers) words.push_back("--no-peers");
  words.push_back(fmt::format("--threads {} --repeats {} --seconds {} --rounds {}", num_threads(), o.effort.repeats,
                              o.effort.seconds, o.effort.rounds));
  if (!o.json.empty()) words.push_back("--json " + o.json);
  return words;
}

const Json* entry_of(const Json& entries, std::initializer_list<const char*> paths) {
  for (const char* path : paths)
    for (const Json& entry : entries)
      if (entry.at("path") == path) return &entry;
  return nullptr;
}

std::string time_text(const Json* entry) {
  if (!entry) return "";
  if (entry->contains("error"))
    return entry->at("error").get<std::string>().starts_with("the peer") ? "ended" : "throws";
  return fmt::format("{:.3f}", entry->at("ms").at("median").get<double>());
}

constexpr const char* kLine = "{:<22} {:<18} {:<8} {:<13} {:>8} {:>8} {:>5} {:>8} {:>8} {:>8} {:>8}\n";

void print_head() {
  const auto print = [](auto... words) { say(fmt::runtime(kLine), words...); };
  print("operation", "shape", "dtype", "values", "fast", "determ.", "ratio", "patterns", "exact", "PyTorch",
        "its det.");
}

void print_row(const Json& entries) {
  const Json *fast = entry_of(entries, {"atomic", "not_guaranteed"}), *ordered = entry_of(entries, {"run_to_run"});
  const auto word = [&](const char* key) { return entries.at(0).at(key).get<std::string>(); };
  const auto patterns = [](const Json* entry) {
    return entry && entry->contains("patterns") ? std::to_string(entry->at("patterns").at("distinct").get<int>()) : "";
  };
  std::string ratio;
  if (fast && ordered && fast->contains("ms") && ordered->contains("ms"))
    ratio =
        fmt::format("{:.2f}", ordered->at("ms").at("median").get<double>() / fast->at("ms").at("median").get<double>());
  say(fmt::runtime(kLine), word("op"), word("shape"), word("dtype"), word("distribution"), time_text(fast),
      time_text(ordered), ratio, patterns(fast) + "/" + patterns(ordered),
      time_text(entry_of(entries, {"exact", "device_to_device"})), time_text(entry_of(entries, {"pytorch"})),
      time_text(entry_of(entries, {"pytorch_deterministic"})));
  if (const Json* without = entry_of(entries, {"pytorch_without_bfloat16"}))
    say("  PyTorch without the processor's instructions for bfloat16: {}\n", time_text(without));
  std::fflush(stdout);
}

// A run that is ended leaves a whole file. A line for each result.
void save(const Json& file, const std::string& name, bool only_try = false) {
  if (!detail::place_to_write("bench", name).replaceable)
    throw DataError(fmt::format("[bench] {}: must be a file, as each row of results replaces it", name));
  nn::WholeFile whole(name, "bench");
  if (only_try) return;
  std::ostringstream out;
  out << "{";
  for (const auto& [key, value] : file.items()) {
    if (key == "results") continue;
    out << Json(key) << ": " << value << ",\n";
  }
  out << "\"results\": [";
  const char* separator = "\n";
  if (file.contains("results"))
    for (const Json& result : file.at("results")) out << std::exchange(separator, ",\n") << result;
  out << "\n]}\n";
  whole.write(out.str());
  whole.commit();
}

std::regex filter_of(const Options& options) {
  try {
    return std::regex(options.filter);
  } catch (const std::regex_error& error) {
    throw CLI::ValidationError("--filter", options.filter + " is no regular expression: " + error.what());
  }
}

// Predictions, which have a table and a file of their own: nothing here is a measurement.
void run_model(const Options& options) {
  if (cuda::build() != "cuda" || !cuda::is_simulated())
    throw DataError("[bench] --model counts on the PTX machine: ./run bench --model");
  const std::regex filter = filter_of(options);
  const Device device("cuda");
  Json file{{"ordo", version()}, {"predictions", Json::array()}};
  constexpr const char* kModelLine = "{:<22} {:<18} {:<8} {:<13} {:<16} {:>8} {:>9} {:>9}";
  say("Predicted milliseconds on GPUs, and what limits them: not measured (docs/gpu-model.md). >: without what cuBLAS\n"
      "and cuDNN do.\n\n");
  say(fmt::runtime(kModelLine), "operation", "shape", "dtype", "values", "path", "launches", "DRAM MB", "atomics");
  for (const Gpu& gpu : gpus()) say("  {:<22}", gpu.name);
  say("\n");
  for (const Row& row : read_grid(options.grid, options.quick))
    for (const Path& path : row.paths()) {
      const std::string name = row.name(path.name, device);
      if (!std::regex_search(name, filter)) continue;
      const std::vector<cuda::KernelCounts> kernels = count_kernels(row, path, device);
      const auto sum = [&](const char* count) {
        double all = 0;
        for (const cuda::KernelCounts& k : kernels)
          if (const auto at = k.counts.find(count); at != k.counts.end()) all += at->second;
        return all;
      };
      say(fmt::runtime(kModelLine), row.operation(), row.shape(), row.text("dtype"), row.distribution(), path.name,
          sum("launches"), fmt::format("{:.1f}", sum("dram_sectors") * 32e-6), sum("atomic_words"));
      Json entry{{"name", name},
                 {"launches", sum("launches")},
                 {"dram_bytes", sum("dram_sectors") * 32},
                 {"atomic_words", sum("atomic_words")},
                 {"library_calls", sum("library_calls")},
                 {"predicted", Json::object()}};
      for (const Gpu& gpu : gpus()) {
        const Prediction p = predict(kernels, gpu);
        const bool is_part = sum("library_calls") > 0;
        if (sum("launches") > 0 || !is_part) {
          say("  {:<22}", fmt::format("{}{:.4f} {}", is_part ? "> " : "", p.ms, p.bound));
          entry["predicted"][gpu.name] = {{"ms", p.ms}, {"bound", p.bound}};
        }
      }
      say("\n");
      std::fflush(stdout);
      file["predictions"].push_back(entry);
    }
  if (file["predictions"].empty()) throw DataError("[bench] the filter matches no benchmark");
  if (options.json.empty()) return;
  write_file("bench", options.json, file.dump(1) + "\n");
}

void run_bench(Options& options) {
  Suite suite;
  suite.rows = read_grid(options.grid, options.quick);
  suite.peers = !options.no_peers;
  suite.effort = options.effort;
  suite.filter = filter_of(options);
  if (options.threads) set_num_threads(options.threads);
  if (!options.device.empty()) {
    suite.devices = {usable_device("bench", options.device)};
  } else {
    suite.devices = {cpu};
    if (cuda::is_available() && cuda::build() == "cuda") suite.devices.push_back("cuda");
  }
  Json file = describe(command_line(options));
  if (options.resume && std::filesystem::exists(options.json)) {
    const Json before = read_results(options.json);
    for (const char* key : {"machine", "threads", "ordo"})
      if (before.value(key, Json()) != file.at(key))
        throw DataError(fmt::format("[bench] {} cannot be resumed: its {} is another one", options.json, key));
    file = before;
  }
  if (!options.json.empty()) save(file, options.json, /*only_try=*/true);
  say("Ordo {}, {} thread{}: median milliseconds of at most {} repeats{}. patterns: distinct results of fast and of\n"
      "deterministic among the repeats. exact: order-free sums where there are any, else device_to_device.\n\n",
      version(), num_threads(), num_threads() == 1 ? "" : "s", suite.effort.repeats,
      options.quick ? " (100 without --quick)" : "");
  demo::ProgressBar bar("bench");
  bool headed = false;
  suite.on_progress = [&](double share, const std::string& name) { bar.update(share, name); };
  suite.on_note = [&](const std::string& note) {
    bar.clear();
    say("{}\n", note);
  };
  suite.on_row = [&](const Json& entries) {
    bar.clear();
    if (!std::exchange(headed, true)) print_head();
    print_row(entries);
  };
  suite.on_save = [&](const Json& now) {
    if (!options.json.empty()) save(now, options.json);
  };
  try {
    run_suite(suite, file);
  } catch (const ValueError& error) {
    throw DataError(error.what());
  }
  const Control control = control_of(file.at("results"));
  if (control.rows > 0) say("\nControl: {}.\n", text_of(control));
}

void run_compare(const Options& options) {
  const Json before = read_results(options.compare.at(0)), after = read_results(options.compare.at(1));
  const std::vector<Change> changes = compare(before, after, options.threshold / 100);
  if (changes.empty()) throw DataError("[bench] the two files have no benchmark in common");
  for (size_t i = 0; i < 2; ++i) {
    const Control control = control_of((i ? after : before).at("results"));
    if (is_biased(control) && !options.biased)
      throw DataError(fmt::format("[bench] {} is not to be compared (--biased does all the same): {}",
                                  options.compare[i], text_of(control)));
    if (control.rows > 0) say("Control of {}: {}.\n", options.compare[i], text_of(control));
  }
  if (before.value("machine", Json()) != after.value("machine", Json()) ||
      before.value("threads", 0) != after.value("threads", 0))
    say("The files are of different machines or thread counts.\n");
  int kinds[4] = {}, regressions = 0;
  for (const Change& c : changes) {
    ++kinds[c.kind];
    regressions += c.regression;
    if (c.kind == Change::same) continue;
    const char* const words[] = {"", "faster", "slower", "more than one result"};
    say("{:<70} {:>10.4f} ms {:>10.4f} ms  {:>+7.1f} %  {}{}\n", c.name, c.old_ms, c.new_ms,
        (c.new_ms / c.old_ms - 1) * 100, words[c.kind], c.regression ? ": REGRESSION" : "");
  }
  say("{} benchmarks compared: {} within the noise (the middle halves of the repeats overlap), {} faster, {} slower, "
      "{} with more than one result where there was one\n",
      changes.size(), kinds[Change::same], kinds[Change::faster], kinds[Change::slower], kinds[Change::more_patterns]);
  std::fflush(stdout);
  if (regressions > 0)
    throw ExitStatus(1, fmt::format("{} regression{}: slower by more than {} %, or no longer deterministic",
                                    regressions, regressions == 1 ? "" : "s", options.threshold));
}

}  // namespace

Command add_bench(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "bench",
      "Time operations and training steps, fast and deterministic, count their results, and compare with PyTorch");
  command->add_option("--filter", options->filter,
                      "regular expression: only benchmarks whose name has a match, e.g. "
                      "'^index_add/.*/float32/zipf/'");
  command->add_option("--device", options->device,
                      "cpu, cuda or cuda:1 (default: the CPU, then the GPU if there is one)");
  CLI::Option* quick = command->add_flag("--quick", options->quick, "small shapes and few repeats: under a minute");
  CLI::Option* json = command->add_option("--json", options->json, "also write the results to this file");
  command->add_option("--threads", options->threads, "CPU threads (default: OMP_NUM_THREADS or all cores)")
      ->check(CLI::Range(1, 4096));
  CLI::Option* repeats =
      command->add_option("--repeats", options->effort.repeats, "repeats of every benchmark (100; --quick: 20)")
          ->check(CLI::Range(1, 100000));
  CLI::Option* seconds =
      command
          ->add_option("--seconds", options->effort.seconds,
                       "fewer repeats, but at least five, when they would take longer (3; --quick: 0.15)")
          ->check(CLI::Range(0.001, 1e6));
  CLI::Option* rounds = command
                            ->add_option("--rounds", options->effort.rounds,
                                         "turns in which all that is compared alternates (3; --quick: 2)")
                            ->check(CLI::Range(1, 100));
  command->add_option("--grid", options->grid, "another table than the built-in one (bench/grid.json)");
  command
      ->add_flag("--resume", options->resume, "add to the --json file, which is written after every row, what it lacks")
      ->needs(json);
  command->add_flag("--no-peers", options->no_peers, "without PyTorch");
  CLI::Option* compare = command
                             ->add_option("--compare", options->compare,
                                          "OLD.json NEW.json: measure nothing, say what changed by more than the "
                                          "noise; exit status 1 on a regression")
                             ->expected(2);
  command->add_option("--threshold", options->threshold, "per cent by which a benchmark may become slower (10)")
      ->needs(compare)
      ->check(CLI::Range(0.0, 1e6));
  command->add_flag("--biased", options->biased, "compare also files whose control says that they are biased")
      ->needs(compare);
  compare->excludes(quick);
  command
      ->add_flag(
          "--model", options->model,
          "on the PTX machine, ./run bench --model: count, and predict times on GPUs; give a --filter or --quick")
      ->excludes(compare);
  return [=] {
    if (!options->compare.empty()) return run_compare(*options);
    if (options->model) return run_model(*options);
    if (options->quick) {
      if (!repeats->count()) options->effort.repeats = kQuick.repeats;
      if (!seconds->count()) options->effort.seconds = kQuick.seconds;
      if (!rounds->count()) options->effort.rounds = kQuick.rounds;
    }
    run_bench(*options);
  };
}

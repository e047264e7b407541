// ordo bench: fast against deterministic against peers, over the table of bench/grid.json; and two result files
// compared.
#include <fmt/format.h>
#include <ordo/engine/run/emulation.h>
#include <ordo/engine/run/files.h>
#include <ordo/ordo.h>

#include <filesystem>

#include "bench/gpu_model.h"
#include "bench/measure.h"
#include "bench/suite.h"
#include "tools/ordo/cli.h"
#include "tools/ordo/pages.h"
#include "tools/ordo/say.h"

namespace ordo::bench {
namespace {

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

std::regex filter_of(const Options& options) {
  try {
    return std::regex(options.filter);
  } catch (const std::regex_error& error) {
    throw ExitStatus(2, fmt::format("--filter: {} is no regular expression: {}", options.filter, error.what()));
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
      const KernelWork work = count_kernels(row, path, device);
      const auto sum = [&](const char* count) {
        double all = 0;
        for (const cuda::KernelCounts& k : work.kernels)
          if (const auto at = k.counts.find(count); at != k.counts.end()) all += at->second;
        return all;
      };
      say(fmt::runtime(kModelLine), row.operation(), row.shape(), row.text("dtype"), row.distribution(), path.name,
          sum("launches"), fmt::format("{:.1f}", sum("dram_sectors") * 32e-6), sum("atomic_words"));
      Json of_kernels = Json::array();
      for (const cuda::KernelCounts& k : work.kernels) {
        Json one{{"kernel", k.kernel}};
        for (const char* count : {"launches", "sectors", "warp_instructions", "long_division"})
          if (const auto at = k.counts.find(count); at != k.counts.end()) one[count] = at->second;
        of_kernels.push_back(one);
      }
      Json entry{{"name", name},
                 {"bytes", work.bytes},
                 {"kernels", of_kernels},
                 {"launches", sum("launches")},
                 {"dram_bytes", sum("dram_sectors") * 32},
                 {"atomic_words", sum("atomic_words")},
                 {"library_calls", sum("library_calls")},
                 {"predicted", Json::object()}};
      for (const Gpu& gpu : gpus()) {
        const Prediction p = predict(work.kernels, gpu);
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
  if (!options.json.empty()) write_file("bench", options.json, file.dump(1) + "\n");
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
  suite.json = options.json;
  say("Ordo {}, {} thread{}: median milliseconds of at most {} repeats{}. patterns: distinct results of fast and of\n"
      "deterministic among the repeats. exact: order-free sums where there are any, else device_to_device.\n\n",
      version(), num_threads(), num_threads() == 1 ? "" : "s", suite.effort.repeats,
      options.quick ? " (100 without --quick)" : "");
  try {
    run_suite(suite, file);
  } catch (const ValueError& error) {  // of a row of the table
    throw DataError(error.what());
  }
}

void run_compare(const Options& options) {
  for (const std::string& file : options.compare) detail::expect_file("bench", file);
  std::vector<std::string> words = options.compare;
  words.push_back(fmt::format("{}", options.threshold));
  if (options.biased) words.emplace_back("--biased");
  run_script("bench", "compare.py", words);
}

std::function<void()> add_bench(Arguments arguments) {
  static Options o;
  arguments.add("--filter", o.filter,
                "regular expression: only benchmarks whose name has a match, e.g. '^index_add/.*/float32/zipf/'");
  arguments.add("--device", o.device, "cpu, cuda or cuda:1 (default: the CPU, then the GPU if there is one)");
  const Option quick = arguments.add("--quick", o.quick, "small shapes and few repeats: under a minute");
  const Option json = arguments.add("--json", o.json, "also write the results to this file");
  arguments.add("--threads", o.threads, "CPU threads (default: OMP_NUM_THREADS or all cores)").range(1, 4096);
  const Option repeats =
      arguments.add("--repeats", o.effort.repeats, "repeats of every benchmark (100; --quick: 20)").range(1, 100000);
  const Option seconds = arguments
                             .add("--seconds", o.effort.seconds,
                                  "fewer repeats, but at least five, when they would take longer (3; --quick: 0.15)")
                             .real_range(0.001, 1e6);
  const Option rounds =
      arguments.add("--rounds", o.effort.rounds, "turns in which all that is compared alternates (3; --quick: 2)")
          .range(1, 100);
  arguments.add("--grid", o.grid, "another table than the built-in one (bench/grid.json)");
  arguments.add("--resume", o.resume, "add to the --json file, which is written after every row, what it lacks")
      .needs(json);
  arguments.add("--no-peers", o.no_peers, "without PyTorch");
  const Option compare = arguments
                             .add("--compare", o.compare,
                                  "OLD.json NEW.json: measure nothing, say what changed by more than the noise; exit "
                                  "status 1 on a regression")
                             .values(2)
                             .excludes(quick);
  arguments.add("--threshold", o.threshold, "per cent by which a benchmark may become slower (10)")
      .needs(compare)
      .real_range(0, 1e6);
  arguments.add("--biased", o.biased, "compare also files whose control says that they are biased").needs(compare);
  arguments
      .add("--model", o.model,
           "on the PTX machine, ./run bench --model: count, and predict times on GPUs; give a --filter or --quick")
      .excludes(compare);
  return [=] {
    if (!o.compare.empty()) return run_compare(o);
    if (o.model) return run_model(o);
    if (o.quick) {
      if (!repeats.given()) o.effort.repeats = kQuick.repeats;
      if (!seconds.given()) o.effort.seconds = kQuick.seconds;
      if (!rounds.given()) o.effort.rounds = kQuick.rounds;
    }
    run_bench(o);
  };
}

}  // namespace
}  // namespace ordo::bench

const Command kBench{
    "bench",
    "Time operations and training steps, fast and deterministic, count their results, and compare with PyTorch",
    ordo::bench::add_bench};

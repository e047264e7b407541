// ordo demo: the same training, fast and deterministic, several times over; are the bits the same?
#include <fmt/format.h>
#include <ordo/nn/state/whole_file.h>
#include <ordo/ordo.h>

#include <optional>
#include <set>

#include <ordo/engine/run/emulation.h>
#include "tools/demo/families.h"
#include "tools/demo/progress.h"
#include "tools/demo/schedules.h"
#include "tools/demo/training.h"
#include "tools/ordo/cli.h"
#include "tools/ordo/json.h"
#include "tools/ordo/say.h"

namespace {

using namespace ordo;
using namespace ordo::demo;

constexpr int kRuns = 3, kRepeats = 20;
constexpr uint64_t kSeed = 1;
constexpr Determinism kLevels[] = {Determinism::not_guaranteed, Determinism::run_to_run};

struct Options {
  std::string data, device, json;
  int epochs = 0;   // 0: the task's
  int threads = 0;  // 0: as the environment says
};

// There every thread of every kernel runs in turn: a demonstration is much smaller.
bool is_simulated(Device device) { return device.is_cuda() && cuda::is_simulated(); }

Task scaled(Task task, Device device) {
  if (is_simulated(device)) {
    task.train = task.train.first(128);
    task.test = task.test.first(64);
    task.epochs = 1;
  }
  task.train = task.train.to(device);
  task.test = task.test.to(device);
  return task;
}

const char* plural(int64_t n) { return n == 1 ? "" : "s"; }

std::vector<TrainingRun> train_and_print(Task task, Device device, int epochs) {
  task = scaled(std::move(task), device);
  TrainingOptions options{.epochs = epochs ? epochs : task.epochs, .seed = kSeed};
  say("\n{}: {}\n", task.model, task.description);
  if (is_simulated(device)) say("On a simulated GPU: only {} of them to train.\n", task.train.size());
  say("{} epoch{}, seed {}, {} runs on each side.\n\n", options.epochs, plural(options.epochs), kSeed, kRuns);
  say("  {:<16}  {:<3}  {:<22}  {:>8}  {:<12}  {:>7}\n", "level", "run", "final loss", "accuracy", "weights",
      "seconds");
  std::vector<TrainingRun> runs;
  for (const Determinism level : kLevels) {
    const DeterminismGuard guard(level);
    std::set<std::string> distinct;
    for (int i = 1; i <= kRuns; ++i) {
      use_schedule(i - 1);
      {
        ProgressBar bar(fmt::format("{}, run {} of {}", name(level), i, kRuns));
        options.progress = [&](double share) { bar.update(share); };
        runs.push_back(train(task, options));
      }
      const TrainingRun& run = runs.back();
      distinct.insert(run.weights_sha256);
      say("  {:<16}  {:<3}  {:<22}  {:>8.4f}  {:<12}  {:>7.2f}\n", name(level), i, double(run.loss), run.accuracy,
          run.weights_sha256.substr(0, 12), run.seconds);
      std::fflush(stdout);
    }
    say("  {:<16}  {} runs, {} distinct result{}\n", name(level), kRuns, distinct.size(),
        plural(int64_t(distinct.size())));
    if (level == Determinism::not_guaranteed && distinct.size() == 1)
      say("  {:<16}  (threads met at no shared place, or added there in one order; the sums below differ)\n", "");
    say("\n");
  }
  return runs;
}

std::vector<FamilyResult> measure_and_print(Device device) {
  say("Sums into shared places, {} repeats each: median time, and how many different results the same input gave.\n\n",
      kRepeats);
  say("  {:<14}  {:>9}  {:>16}  {:>6}  {:>13}  {:>22}\n", "family", "fast ms", "deterministic ms", "ratio",
      "fast patterns", "deterministic patterns");
  std::vector<FamilyResult> results;
  for (const Family& family : families(device, is_simulated(device) ? 100 : 1)) {
    const FamilyResult r = measure(family, device, kRepeats);
    say("  {:<14}  {:>9.3f}  {:>16.3f}  {:>6.2f}  {:>13}  {:>22}\n", r.name, r.fast_ms, r.deterministic_ms,
        r.deterministic_ms / r.fast_ms, r.fast_patterns, r.deterministic_patterns);
    std::fflush(stdout);
    results.push_back(r);
  }
  return results;
}

Json to_json(Device device, const std::vector<TrainingRun>& training, const std::vector<FamilyResult>& families) {
  return {{"device", device.str()},
          {"threads", num_threads()},
          {"training", json_list(training,
                                 [](const TrainingRun& run) -> Json {
                                   return {{"model", run.model},       {"level", name(run.level)},
                                           {"seed", run.seed},         {"loss", run.loss},
                                           {"accuracy", run.accuracy}, {"weights_sha256", run.weights_sha256},
                                           {"seconds", run.seconds}};
                                 })},
          {"families", json_list(families, [](const FamilyResult& family) -> Json {
             return {{"name", family.name},
                     {"fast_ms", family.fast_ms},
                     {"deterministic_ms", family.deterministic_ms},
                     {"fast_patterns", family.fast_patterns},
                     {"deterministic_patterns", family.deterministic_patterns}};
           })}};
}

void run_demo(const Options& options) {
  const Device device =
      options.device.empty() ? (cuda::is_available() ? Device("cuda") : cpu) : usable_device("demo", options.device);
  if (options.threads) set_num_threads(options.threads);
  std::optional<nn::WholeFile> json;
  if (!options.json.empty()) json.emplace(options.json, "demo");

  say("Ordo {} on {}, {} thread{}.\n", version(), device.str(), num_threads(), plural(num_threads()));
  if (!cuda::is_available()) say("No GPU here: `./run demo --emulated` runs the CUDA kernels on the CPU.\n");
  if (is_simulated(device))
    say("The GPU is simulated. Run 1 schedules its threads by {},\n"
        "each further run by the next seed.\n",
        schedule_variables(0));
  say("not_guaranteed adds floating-point numbers in the order threads arrive; run_to_run in an order of its own.\n");

  std::vector<TrainingRun> training = train_and_print(digits_task(options.data), device, options.epochs);
  for (TrainingRun& run : train_and_print(text_task(), device, options.epochs)) training.push_back(std::move(run));
  const std::vector<FamilyResult> families = measure_and_print(device);

  if (json) {
    json->write(to_json(device, training, families).lines());
    json->commit();
  }
}

std::function<void()> add_demo(Arguments arguments) {
  static Options o;
  arguments.add("--data", o.data, "directory of MNIST files (plain or gzip); without it digits are drawn").folder();
  arguments.add("--epochs", o.epochs, "epochs of every training").range(1, 10000);
  arguments.add("--threads", o.threads, "CPU threads (default: OMP_NUM_THREADS or all cores)").range(1, 4096);
  arguments.add("--device", o.device, "cpu, cuda or cuda:1 (default: cuda where there is one)");
  arguments.add("--json", o.json, "also write the results to this file");
  return [] { run_demo(o); };
}

}  // namespace

const Command kDemo{
    "demo", "Train on digits and on text, fast and deterministic, three times each, and compare the bits", add_demo};

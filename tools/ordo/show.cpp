// ordo show: in which order a sum adds, as a tree, and what that does to its bits.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ordo/engine/emulation.h>
#include <ordo/nn/state/whole_file.h>
#include <ordo/ordo.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <memory>
#include <optional>

#include "tools/demo/schedules.h"
#include "tools/ordo/commands.h"
#include "tools/ordo/say.h"
#include "tools/ordo/show_commands.h"
#include "tools/ordo/show_peer.h"
#include "tools/ordo/show_sums.h"
#include "tools/ordo/sum_tree.h"
#include "tools/ordo/sum_tree_svg.h"
#include "tools/ordo/sum_tree_text.h"

namespace {

using namespace ordo;

constexpr int kDrawn = 40;              // values that fit side by side in a terminal
constexpr int kLines = 24;              // of a description
constexpr int64_t kMostProbes = 20000;  // for the trees of all seeds together
constexpr int kThreads[] = {1, 2, 4};

struct Options {
  std::string op, dtype = "float32", device = "cpu", level, svg, peer;
  int size = 16, seeds = 20;
};

/// A result, and how many runs had it.
struct Result {
  double value = 0;
  int runs = 0;
};

/// What was found of one way to add.
struct Found {
  ShownSum sum;
  std::vector<std::string> names = {};  ///< levels, or an algorithm
  std::vector<Recovered> trees = {};    ///< different ones, that of the first seed first
  int seeds = 1;                        ///< whose trees were looked for
  std::vector<Result> results = {};     ///< different ones, in the order in which they came
  std::string runs = {};                ///< "20 runs"
  std::optional<bool> fused = {};       ///< of products: whether they are added without being rounded first
  bool same_bits = false;               ///< additions by the first tree have the first result

  bool same(const Found& other) const {
    const auto tree = [](const Found& f) {
      return f.trees[0].kind == Recovered::Kind::tree ? &f.trees[0].tree : nullptr;
    };
    if (trees[0].kind != other.trees[0].kind || trees.size() != other.trees.size()) return false;
    if (tree(*this) && *tree(*this) != *tree(other)) return false;
    return std::equal(results.begin(), results.end(), other.results.begin(), other.results.end(),
                      [](const Result& a, const Result& b) {
                        return std::bit_cast<uint64_t>(a.value) == std::bit_cast<uint64_t>(b.value) && a.runs == b.runs;
                      });
  }
};

bool simulated(Device device) { return device.is_cuda() && cuda::is_simulated(); }

Recovered tree_of(const ShownSum& sum, int seed) {
  return recover_tree(
      sum.count(),
      [&](const std::vector<double>& values) {
        if (simulated(sum.device)) demo::use_schedule(seed);
        return sum(values);
      },
      sum.mass());
}

double added_by(const SumTree& tree, const std::vector<double>& values, DType dtype) {
  if (dtype == float64) return add_by(tree, values);
  if (dtype == int64) return double(add_by(tree, std::vector<int64_t>(values.begin(), values.end())));
  return add_by(tree, std::vector<float>(values.begin(), values.end()));
}

void count_result(Found& found, double value) {
  for (Result& r : found.results)
    if (std::bit_cast<uint64_t>(r.value) == std::bit_cast<uint64_t>(value)) return void(++r.runs);
  found.results.push_back({value, 1});
}

/// Adds the values by the first tree.
void compare_bits(Found& found, const std::vector<double>& values) {
  const Recovered& first = found.trees[0];
  if (first.kind == Recovered::Kind::tree && first.tree.binary())
    found.same_bits = std::bit_cast<uint64_t>(added_by(first.tree, values, found.sum.dtype)) ==
                      std::bit_cast<uint64_t>(found.results[0].value);
}

Found look_at(const ShownSum& sum, int seeds) {
  Found found{.sum = sum};
  set_num_threads(1);
  found.trees.push_back(tree_of(sum, 0));
  found.seeds = 1;
  if (simulated(sum.device) && found.trees[0].probes * seeds <= kMostProbes)
    for (; found.seeds < seeds; ++found.seeds) {
      Recovered next = tree_of(sum, found.seeds);
      const bool known = std::any_of(found.trees.begin(), found.trees.end(),
                                     [&](const Recovered& r) { return r.kind == next.kind && r.tree == next.tree; });
      if (!known) found.trees.push_back(std::move(next));
    }
  const std::vector<double> values = spread_values(sum.count(), sum.dtype);
  for (int run = 0; run < seeds; ++run) {
    if (simulated(sum.device)) demo::use_schedule(run);
    set_num_threads(kThreads[size_t(run) % std::size(kThreads)]);
    count_result(found, sum(values));
  }
  found.runs = simulated(sum.device)  ? fmt::format("{} seeds of the schedule", seeds)
               : sum.device.is_cuda() ? fmt::format("{} runs", seeds)
                                      : fmt::format("{} runs with 1, 2 and 4 threads", seeds);
  if (sum.op == "matmul" && sum.dtype != int64 && sum.size > 1) found.fused = sum.fused();
  compare_bits(found, values);
  return found;
}

Found look_at_numpy(const ShownSum& settings, int runs) {
  const std::vector<double> values = spread_values(settings.count(), settings.dtype);
  const NumpySums sums(settings, values, runs);
  Found found{.sum = settings, .runs = fmt::format("{} runs", runs)};
  found.names.push_back("NumPy " + sums.version());
  found.trees.push_back(recover_tree(settings.count(), sums, settings.mass()));
  for (double result : sums.results()) count_result(found, result);
  compare_bits(found, values);
  return found;
}

std::string bits_text(double value, DType dtype) {
  if (dtype == int64) return fmt::format("{}", int64_t(value));
  if (dtype == float64) return fmt::format("0x{:016x} = {}", std::bit_cast<uint64_t>(value), value);
  return fmt::format("0x{:08x} = {}", std::bit_cast<uint32_t>(float(value)), float(value));
}

/// "exact (run_to_run, device_to_device)": which levels choose an algorithm that was asked for by name.
std::string heading(const Found& found) {
  if (found.sum.algorithm == Algorithm::automatic) return fmt::format("{}", fmt::join(found.names, ", "));
  std::vector<std::string> levels;
  for (Determinism level : {Determinism::not_guaranteed, Determinism::run_to_run, Determinism::device_to_device}) {
    ShownSum choice = found.sum;
    choice.level = level, choice.algorithm = Algorithm::automatic;
    if (choice.chosen() == found.sum.algorithm) levels.emplace_back(name(level));
  }
  return fmt::format("{} ({})", fmt::join(found.names, ", "),
                     levels.empty() ? "when asked for by name" : fmt::format("chosen at {}", fmt::join(levels, ", ")));
}

/// What the runs had, a line each.
std::vector<std::string> results_text(const Found& found) {
  const size_t different = found.results.size();
  std::vector<std::string> lines{different == 1 ? "the same bits in " + found.runs
                                                : fmt::format("{} different results in {}", different, found.runs)};
  const std::vector<double> values = spread_values(found.sum.count(), found.sum.dtype);
  constexpr size_t kShown = 4;
  for (size_t i = 0; i < std::min(kShown, different); ++i) {
    const Result& r = found.results[i];
    const double error = error_in_ulps(r.value, values, found.sum.dtype);
    lines.push_back(fmt::format("{}{}, {} the true sum", bits_text(r.value, found.sum.dtype),
                                different == 1 ? "" : fmt::format(" in {}", r.runs),
                                error == 0                 ? "which is"
                                : found.sum.dtype == int64 ? fmt::format("{} from", error)
                                                           : fmt::format("{:.2f} ulp from", error)));
  }
  if (different > kShown) lines.emplace_back("...");
  return lines;
}

std::string no_tree_text(const Recovered& r) {
  return r.kind == Recovered::Kind::unrounded
             ? "no order can be seen: nothing is rounded before the end, so that every order gives these bits"
             : "no tree of rounded additions gives these results: " + r.why;
}

void print(const std::string& key, const std::vector<std::string>& lines) {
  for (size_t i = 0; i < lines.size(); ++i) say("  {:<9} {}\n", i ? "" : key, lines[i]);
}

void print_found(const Found& found) {
  const Recovered& first = found.trees[0];
  const auto value_name = [&](int i) { return found.sum.value_name(i); };
  say("\n{}\n", heading(found));
  if (first.kind != Recovered::Kind::tree) {
    print("tree", {no_tree_text(first)});
  } else {
    std::vector<std::string> lines = describe(first.tree, value_name);
    if (lines.size() > kLines) lines.resize(kLines), lines.emplace_back("...");
    print("tree", lines);
    print("additions",
          {fmt::format("{}, found from {} sums", first.tree.nodes.size() - size_t(first.tree.count), first.probes)});
    print("depth", {fmt::format("{}; values at a depth: {}", first.tree.heights().back(), depths_text(first.tree))});
    if (found.fused)
      print("products",
            {*found.fused ? "not rounded before they are added (fused multiply-add)" : "rounded, then added"});
    if (found.seeds > 1)
      print("trees", {found.trees.size() == 1 ? fmt::format("the same with {} seeds", found.seeds)
                                              : fmt::format("{} different ones with {} seeds; this is the first seed's",
                                                            found.trees.size(), found.seeds)});
    if (first.tree.binary())
      print("check", {found.same_bits ? "adding by this tree has the bits of the first result"
                                      : "adding by this tree has other bits than the first result: the sum does not "
                                        "round each addition to this dtype"});
  }
  print("results", results_text(found));
  if (first.kind != Recovered::Kind::tree) return;
  if (first.tree.count <= kDrawn)
    say_lines("\n" + draw_text(first.tree, value_name));
  else
    print("brackets", {brackets(first.tree, value_name, 96)});
}

TreePanel panel_of(const Found& found) {
  const Recovered& first = found.trees[0];
  TreePanel panel{.heading = heading(found), .lines = {}};
  if (first.kind == Recovered::Kind::tree) {
    panel.tree = first.tree;
    panel.lines.push_back(describe(first.tree, [&](int i) { return found.sum.value_name(i); })[0]);
    if (found.trees.size() > 1)
      panel.lines.back() += fmt::format(" ({} different trees with {} seeds)", found.trees.size(), found.seeds);
  } else {
    panel.lines.push_back(no_tree_text(first));
  }
  const std::vector<std::string> results = results_text(found);
  panel.lines.push_back(results.size() == 2 ? results[0] + ": " + results[1] : results[0]);
  return panel;
}

std::string title(const ShownSum& sum) {
  const std::string of = fmt::format("{} {}", sum.size, name(sum.dtype)), on = " on " + sum.device.str();
  if (sum.op == "index_add") return "index_add of " + of + " values to one place" + on;
  if (sum.op == "matmul") return "matmul: one element, of " + of + " products" + on;
  if (sum.op == "cumsum") return "cumsum: the last element, of " + of + " values" + on;
  if (sum.op == "mean") return fmt::format("mean of {} values{}, times {}: the sum that it divides", of, on, sum.size);
  return sum.op + " of " + of + " values" + on;
}

void run_show(const Options& options) {
  ShownSum settings{.op = options.op,
                    .size = options.size,
                    .dtype = dtype_from_name(options.dtype),
                    .device = usable_device("show", options.device)};
  if (!options.level.empty()) settings.level = determinism_from_name(options.level);
  // The division by a power of two is exact: the mean has the sum's bits.
  if (settings.op == "mean" && (settings.dtype == int64 || (settings.size & (settings.size - 1))))
    throw ExitStatus(2, fmt::format("[show] mean takes floating-point numbers, as many as a power of two, not {} of {}",
                                    settings.size, options.dtype));
  std::optional<nn::WholeFile> svg;
  if (!options.svg.empty()) svg.emplace(options.svg, "show");
  std::vector<Found> all;
  for (const ShownSum& way : ways_of(settings, !options.level.empty())) {
    Found found = look_at(way, options.seeds);
    std::string known(way.algorithm == Algorithm::automatic ? name(way.level) : name(way.algorithm));
    const Algorithm chosen = way.algorithm == Algorithm::automatic ? way.chosen() : Algorithm::automatic;
    if (chosen != Algorithm::automatic && chosen != Algorithm::direct) known += fmt::format(" by {}", name(chosen));
    if (!all.empty() && way.algorithm == Algorithm::automatic && all.back().same(found)) {
      all.back().names.push_back(known);
    } else {
      found.names.push_back(known);
      all.push_back(std::move(found));
    }
  }
  if (!options.peer.empty()) all.push_back(look_at_numpy(settings, options.seeds));
  say("{}\n", title(settings));
  if (settings.op == "index_add") say("\"old\" is what the place holds before.\n");
  for (const Found& found : all) print_found(found);
  std::fflush(stdout);
  if (!svg) return;
  std::vector<TreePanel> panels;
  for (const Found& found : all) panels.push_back(panel_of(found));
  svg->write(tree_picture(title(settings), panels, [&](int i) { return settings.value_name(i); }));
  svg->commit();
}

}  // namespace

Command add_show(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("show", "Draw the order in which an operation adds, and count its results: ordo show sum");
  command->add_option("OP", options->op, fmt::format("{}", fmt::join(shown_operations(), ", ")))
      ->check(CLI::IsMember(shown_operations()));
  command->add_option("--size", options->size, "how many values are added (16)")->check(CLI::Range(1, 16384));
  command->add_option("--dtype", options->dtype, "float32, float64 or int64 (float32)")
      ->check(CLI::IsMember({"float32", "float64", "int64"}));
  command->add_option("--level", options->level, "one level; otherwise all, or each algorithm by name")
      ->check(CLI::IsMember({"not_guaranteed", "run_to_run", "device_to_device"}));
  command->add_option("--device", options->device, "cpu, cuda or cuda:1 (cpu)");
  command->add_option("--seeds", options->seeds, "runs; on an emulated GPU each has the next seed (20)")
      ->check(CLI::Range(1, 10000));
  command->add_option("--peer", options->peer, "also NumPy's sum, on the CPU, where python3 has it: numpy")
      ->check(CLI::IsMember({"numpy"}));
  command->add_option("--svg", options->svg, "also draw the trees in this file");
  const std::vector<std::pair<CLI::App*, Command>> others{add_show_fork(*command), add_show_playback(*command)};
  return [options, others] {
    for (const auto& [other, run] : others)
      if (other->parsed()) return run();
    if (options->op.empty()) throw CLI::RequiredError("[show] OP");
    run_show(*options);
  };
}

// ordo show: in which order a sum adds, as a tree, and what that does to its bits.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ordo/engine/run/emulation.h>
#include <ordo/nn/state/whole_file.h>
#include <ordo/ordo.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "tools/demo/schedules.h"
#include "tools/ordo/pages.h"
#include "tools/ordo/say.h"
#include "tools/ordo/show.h"
#include "tools/ordo/show_peer.h"
#include "tools/ordo/show_sums.h"

namespace {

using namespace ordo;
using namespace ordo::audit;

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
  const NumpySums sums = numpy_sums(settings, values, runs);
  Found found{.sum = settings, .runs = fmt::format("{} runs", runs)};
  found.names.push_back("NumPy " + sums.version);
  found.trees.push_back(recover_tree(settings.count(), sums.sum, settings.mass()));
  for (double result : sums.results) count_result(found, result);
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

/// What tools/scripts/show.py draws.
Json to_json(const Found& found) {
  const Recovered& first = found.trees[0];
  const bool has_tree = first.kind == Recovered::Kind::tree;
  std::vector<Json> additions;
  for (const SumTree::Node& node : first.tree.nodes)
    if (!node.leaf()) additions.push_back(node.children);
  return {{"heading", heading(found)},
          {"why", first.kind == Recovered::Kind::unrounded
                      ? "no order can be seen: nothing is rounded before the end, so that every order gives these bits"
                      : "no tree of rounded additions gives these results: " + first.why},
          {"count", has_tree ? first.tree.count : 0},
          {"additions", additions},
          {"probes", first.probes},
          {"trees", found.trees.size()},
          {"seeds", found.seeds},
          {"fused", found.fused ? Json(*found.fused) : Json()},
          {"same_bits", found.same_bits},
          {"results", results_text(found)}};
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
  std::vector<std::string> names;
  for (int i = 0; i < settings.count(); ++i) names.push_back(settings.value_name(i));
  const Json data{{"title", title(settings)}, {"names", names}, {"found", json_list(all, to_json)}};
  say_lines(drawn("show", "text", data));
  std::fflush(stdout);
  if (!svg) return;
  svg->write(drawn("show", "sums", data));
  svg->commit();
}

std::function<void()> add_show(Arguments show) {
  static Options o;
  const std::vector<std::string>& operations = shown_operations();
  show.add("OP", o.op, fmt::format("{}", fmt::join(operations, ", "))).one_of(operations);
  show.add("--size", o.size, "how many values are added (16)").range(1, 16384);
  show.add("--dtype", o.dtype, "float32, float64 or int64 (float32)").one_of({"float32", "float64", "int64"});
  show.add("--level", o.level, "one level; otherwise all, or each algorithm by name")
      .one_of({"not_guaranteed", "run_to_run", "device_to_device"});
  show.add("--device", o.device, "cpu, cuda or cuda:1 (cpu)");
  show.add("--seeds", o.seeds, "runs; on an emulated GPU each has the next seed (20)").range(1, 10000);
  show.add("--peer", o.peer, "also NumPy's sum, on the CPU, where python3 has it: numpy").one_of({"numpy"});
  show.add("--svg", o.svg, "also draw the trees in this file");
  return [others = std::vector{add_show_fork(show), add_show_playback(show)}] {
    for (const auto& [other, run] : others)
      if (other.given()) return run();
    if (o.op.empty()) throw ExitStatus(2, "[show] OP is required");
    run_show(o);
  };
}

}  // namespace

const Command kShow{"show", "Draw the order in which an operation adds, and count its results: ordo show index_add",
                    add_show};

// ordo show fork: one training, run twice at each of two levels; how far apart are the two runs after each step?
#include <fmt/format.h>
#include <ordo/engine/run/emulation.h>
#include <ordo/ordo.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "tools/demo/schedules.h"
#include "tools/demo/training.h"
#include "tools/ordo/json.h"
#include "tools/ordo/pages.h"
#include "tools/ordo/say.h"
#include "tools/ordo/show.h"

namespace {

using namespace ordo;

struct Options {
  std::string model = "text", device = "cpu", svg, html, json;
  int64_t steps = 0;  // 0: 500, on a simulated device 8
  int threads = 0;
} o;

struct Snapshot {
  std::vector<float> weights;
  float loss;
};

/// What differs, by step.
struct Fork {
  Determinism level;
  std::vector<double> weights = {};     ///< square root of the sum of squared differences
  std::vector<int64_t> different = {};  ///< weights whose bits differ
  std::vector<double> losses = {};      ///< absolute difference
  size_t of = 0;                        ///< weights of the model

  size_t steps() const { return weights.size(); }
  /// The first step after which a weight differs, from 1; 0: none does.
  size_t first() const {
    const auto at = std::find_if(different.begin(), different.end(), [](int64_t n) { return n > 0; });
    return at == different.end() ? 0 : size_t(at - different.begin()) + 1;
  }
  std::string verdict() const {
    return first() ? fmt::format("the weights part at step {}", first())
                   : "the weights are equal, bit for bit, after every step";
  }

  void add(const Snapshot& a, const Snapshot& b) {
    double squares = 0;
    int64_t differ = 0;
    for (size_t i = 0; i < a.weights.size(); ++i) {
      differ += std::bit_cast<uint32_t>(a.weights[i]) != std::bit_cast<uint32_t>(b.weights[i]);
      squares += std::pow(double(a.weights[i]) - b.weights[i], 2);
    }
    weights.push_back(std::sqrt(squares)), different.push_back(differ), of = a.weights.size();
    losses.push_back(std::abs(double(a.loss) - b.loss));
  }
};

void train(const demo::Task& task, int64_t steps, int schedule, const std::function<void(Snapshot)>& after_step) {
  demo::TrainingOptions options{.epochs = 1000, .seed = 1};
  options.steps = steps;
  options.observe = [&](const Tensor& loss, const TensorList& parameters) {
    Snapshot s{{}, loss.item<float>()};
    for (const Tensor& p : parameters) {
      const std::vector<float> values = p.detach().to_vector<float>();
      s.weights.insert(s.weights.end(), values.begin(), values.end());
    }
    after_step(std::move(s));
  };
  demo::use_schedule(schedule);
  demo::train(task, options);
}

/// Trains twice with one seed at that level. On a simulated device the second run has the schedules of the next seed.
Fork fork_of(const demo::Task& task, Determinism level, int64_t steps) {
  const DeterminismGuard guard(level);
  std::vector<Snapshot> first;
  Fork fork{.level = level};
  train(task, steps, 0, [&](Snapshot s) { first.push_back(std::move(s)); });
  train(task, steps, 1, [&](const Snapshot& s) { fork.add(first[fork.steps()], s); });
  return fork;
}

/// A character for each of at most 60 groups of steps, for the greatest distance in it: a space for none, and
/// ".:-=+*#%@" from 1e-9 or less to 1 or more.
std::string sparkline(const Fork& fork) {
  constexpr std::string_view kMarks = ".:-=+*#%@";
  std::string line;
  const size_t n = fork.steps(), groups = std::min<size_t>(n, 60);
  for (size_t g = 0; g < groups; ++g) {
    const auto first = fork.weights.begin();
    const double most = *std::max_element(first + int64_t(g * n / groups), first + int64_t((g + 1) * n / groups));
    line += most == 0 ? ' ' : kMarks[size_t(std::clamp(std::log10(most) + 9, 0.0, 8.0))];
  }
  return line;
}

void print(const Fork& fork) {
  say("\n{}: {}\n  |{}|\n", name(fork.level), fork.verdict(), sparkline(fork));
  say("  {:>6} {:>14} {:>24} {:>14}\n", "step", "weights apart", "weights that differ", "losses apart");
  const size_t rows = std::min<size_t>(fork.steps(), 10);
  for (size_t r = 1; r <= rows; ++r) {
    const size_t i = r * fork.steps() / rows - 1;
    say("  {:>6} {:>14.3g} {:>24} {:>14.3g}\n", i + 1, fork.weights[i],
        fmt::format("{} of {}", fork.different[i], fork.of), fork.losses[i]);
  }
}

/// Three digits of each distance, as in docs/fork.json.
Json to_json(const Fork& fork) {
  const auto distance = [](double value) { return std::stod(fmt::format("{:.3g}", value)); };
  return {{"level", name(fork.level)},
          {"first", fork.first()},
          {"verdict", fork.verdict()},
          {"weights", json_list(fork.weights, distance)},
          {"losses", json_list(fork.losses, distance)},
          {"different", fork.different},
          {"of", fork.of}};
}

void run_fork() {
  if (o.threads) set_num_threads(o.threads);
  const Device device = usable_device("show", o.device);
  const bool simulated = device.is_cuda() && cuda::is_simulated();
  demo::Task task = o.model == "digits" ? demo::digits_task("") : demo::text_task();
  if (simulated) task.train = task.train.first(256);
  task.train = task.train.to(device);
  task.test = task.test.first(100).to(device);
  const int64_t steps = o.steps ? o.steps : simulated ? 8 : 500;
  const std::string title = fmt::format("Two runs of {}, {} steps on {}", task.model, steps, o.device);
  say("{}, seed 1, {} thread{}.\n", title, num_threads(), num_threads() == 1 ? "" : "s");
  say("{}\n", simulated ? "The second run has the schedules of the next seed."
              : num_threads() == 1 && !device.is_cuda()
                  ? "With one thread nothing changes from run to run at any level."
                  : "Only the order in which threads arrive differs between the runs.");
  std::vector<Fork> forks;
  for (Determinism level : {Determinism::not_guaranteed, Determinism::run_to_run}) {
    forks.push_back(fork_of(task, level, steps));
    print(forks.back());
  }
  const Json json{{"title", title}, {"threads", num_threads()}, {"levels", json_list(forks, to_json)}};
  if (!o.json.empty()) write_file("show", o.json, json.text() + "\n");
  if (!o.svg.empty()) write_file("show", o.svg, drawn("show", "fork.svg", json));
  if (!o.html.empty()) write_file("show", o.html, drawn("show", "fork", json));
}

}  // namespace

Subcommand add_show_fork(Arguments show) {
  const Arguments fork = show.command("fork", "Train a small model twice at each level and plot how far the runs part");
  fork.add("--model", o.model, "text (a bag of embeddings) or digits (a convolutional network)")
      .one_of({"text", "digits"});
  fork.add("--steps", o.steps, "of the training (500; 8 on a simulated device)").range(1, 1000);
  fork.add("--device", o.device, "cpu, or cuda");
  fork.add("--threads", o.threads, "of the CPU").range(1, 1024);
  fork.add("--svg", o.svg, "also write the picture to this file");
  fork.add("--html", o.html, "also write a page to this file");
  fork.add("--json", o.json, "also write the distances to this file");
  return {fork, run_fork};
}

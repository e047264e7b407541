// ordo show fork: one training, run twice at each of two levels; how far apart are the two runs?
#include <fmt/format.h>
#include <ordo/ordo.h>

#include <CLI/CLI.hpp>
#include <memory>

#include <ordo/engine/emulation.h>
#include "tools/ordo/fork.h"
#include "tools/ordo/page.h"
#include "tools/ordo/say.h"
#include "tools/ordo/show_commands.h"

namespace {

using namespace ordo;
using namespace ordo::show;

struct Options {
  std::string model = "text", device = "cpu", svg, html, json;
  int64_t steps = 0;  // 0: 500, on a simulated device 8
  int threads = 0;
};

void run_fork(const Options& options) {
  if (options.threads) set_num_threads(options.threads);
  const Device device = usable_device("show", options.device);
  const bool simulated = device.is_cuda() && cuda::is_simulated();
  demo::Task task = options.model == "digits" ? demo::digits_task("") : demo::text_task();
  if (simulated) task.train = task.train.first(256);
  task.train = task.train.to(device);
  task.test = task.test.first(100).to(device);
  const int64_t steps = options.steps ? options.steps : simulated ? 8 : 500;
  const std::string title = fmt::format("Two runs of {}, {} steps on {}", task.model, steps, options.device);
  say("{}, seed 1, {} thread{}.\n", title, num_threads(), num_threads() == 1 ? "" : "s");
  say("{}\n", simulated ? "The second run has the schedules of the next seed."
              : num_threads() == 1 && !device.is_cuda()
                  ? "With one thread nothing changes from run to run at any level."
                  : "Only the order in which threads arrive differs between the runs.");
  std::vector<Fork> forks;
  std::string body;
  for (Determinism level : {Determinism::not_guaranteed, Determinism::run_to_run}) {
    forks.push_back(fork_of(task, level, steps));
    const Fork& fork = forks.back();
    const int64_t first = fork.first();
    const std::string verdict = first ? fmt::format("the weights part at step {}", first)
                                      : "the weights are equal, bit for bit, after every step";
    say("\n{}: {}\n  |{}|\n", name(level), verdict, sparkline(fork));
    say("  {:>6} {:>14} {:>24} {:>14}\n", "step", "weights apart", "weights that differ", "losses apart");
    body += fmt::format(
        "<section><h2>{}: {}</h2>\n<div class=\"wide\"><table><tr><th>step</th><th>weights apart</th>"
        "<th>weights that differ</th><th>losses apart</th></tr>\n",
        name(level), verdict);
    const int64_t n = int64_t(fork.steps.size()), rows = std::min<int64_t>(n, 10);
    for (int64_t r = 1; r <= rows; ++r) {
      const int64_t step = r * n / rows;
      const Apart& apart = fork.steps[size_t(step - 1)];
      const std::string share = fmt::format("{} of {}", apart.different, fork.weights);
      say("  {:>6} {:>14.3g} {:>24} {:>14.3g}\n", step, apart.weights, share, apart.loss);
      body += fmt::format("<tr><td>{}</td><td>{:.3g}</td><td>{}</td><td>{:.3g}</td></tr>\n", step, apart.weights, share,
                          apart.loss);
    }
    body += "</table></div></section>\n";
  }
  const std::string picture = svg(forks, title);
  if (!options.svg.empty()) write_file("show", options.svg, picture);
  if (!options.json.empty()) write_file("show", options.json, json(forks, title));
  if (!options.html.empty())
    write_file("show", options.html,
               html_page(title,
                         "<p>The distance between the two runs after each step, on a logarithmic scale: of the "
                         "weights, the root of the sum of squares.</p>\n" +
                             picture + body));
}

}  // namespace

std::pair<CLI::App*, Command> add_show_fork(CLI::App& show) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      show.add_subcommand("fork", "Train a small model twice at each level and plot how far the runs part");
  command->add_option("--model", options->model, "text (a bag of embeddings) or digits (a convolutional network)")
      ->check(CLI::IsMember({"text", "digits"}));
  command->add_option("--steps", options->steps, "of the training (500; 8 on a simulated device)")
      ->check(CLI::Range(1, 1000));
  command->add_option("--device", options->device, "cpu, or cuda");
  command->add_option("--threads", options->threads, "of the CPU")->check(CLI::Range(1, 1024));
  command->add_option("--svg", options->svg, "also write the picture to this file");
  command->add_option("--html", options->html, "also write a page to this file");
  command->add_option("--json", options->json, "also write the distances to this file");
  return {command, [options] { run_fork(*options); }};
}

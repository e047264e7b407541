#include "tools/ordo/fork.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "tools/demo/schedules.h"
#include "tools/ordo/escaped.h"

namespace ordo::show {

namespace {

struct Snapshot {
  std::vector<float> weights;
  float loss;
};

void train(const demo::Task& task, int64_t steps, const std::function<void(const Snapshot&)>& after_step) {
  demo::TrainingOptions options{.epochs = 1000, .seed = 1};
  options.steps = steps;
  options.observe = [&](const Tensor& loss, const TensorList& parameters) {
    Snapshot s{{}, loss.item<float>()};
    for (const Tensor& p : parameters) {
      const std::vector<float> values = p.detach().to_vector<float>();
      s.weights.insert(s.weights.end(), values.begin(), values.end());
    }
    after_step(s);
  };
  demo::train(task, options);
}

Apart apart(const Snapshot& a, const Snapshot& b) {
  Apart result{.weights = 0, .different = 0, .loss = std::abs(double(a.loss) - b.loss)};
  for (size_t i = 0; i < a.weights.size(); ++i) {
    result.different += std::bit_cast<uint32_t>(a.weights[i]) != std::bit_cast<uint32_t>(b.weights[i]);
    const double difference = double(a.weights[i]) - b.weights[i];
    result.weights += difference * difference;
  }
  result.weights = std::sqrt(result.weights);
  return result;
}

constexpr double kLeast = 1e-10, kMost = 1e2;  // of the picture
constexpr const char* kColours[] = {"#c0392b", "#2e8b57", "#5b6ee1"};

}  // namespace

int64_t Fork::first() const {
  for (size_t i = 0; i < steps.size(); ++i)
    if (steps[i].different) return int64_t(i) + 1;
  return 0;
}

Fork fork_of(const demo::Task& task, Determinism level, int64_t steps) {
  const DeterminismGuard guard(level);
  std::vector<Snapshot> first;
  Fork fork{.level = level, .steps = {}, .weights = 0};
  demo::use_schedule(0);
  train(task, steps, [&](const Snapshot& s) { first.push_back(s); });
  demo::use_schedule(1);
  train(task, steps, [&](const Snapshot& s) { fork.steps.push_back(apart(first[fork.steps.size()], s)); });
  demo::use_schedule(0);
  if (!first.empty()) fork.weights = int64_t(first[0].weights.size());
  return fork;
}

std::string sparkline(const Fork& fork, size_t width) {
  constexpr std::string_view kMarks = ".:-=+*#%@";
  std::string line;
  const size_t n = fork.steps.size(), groups = std::min(n, width);
  for (size_t g = 0; g < groups; ++g) {
    double most = 0;
    for (size_t i = g * n / groups; i < (g + 1) * n / groups; ++i) most = std::max(most, fork.steps[i].weights);
    line += most == 0 ? ' ' : kMarks[size_t(std::clamp(std::log10(most) + 9, 0.0, 8.0))];
  }
  return line;
}

std::string json(const std::vector<Fork>& forks, const std::string& title) {
  std::string levels;
  for (const Fork& fork : forks) {
    std::string weights, losses;
    for (const Apart& apart : fork.steps) {
      weights += fmt::format("{}{:.3g}", weights.empty() ? "" : ", ", apart.weights);
      losses += fmt::format("{}{:.3g}", losses.empty() ? "" : ", ", apart.loss);
    }
    levels += fmt::format("{}\n  {{\"level\": \"{}\", \"first\": {},\n   \"weights\": [{}],\n   \"losses\": [{}]}}",
                          levels.empty() ? "" : ",", name(fork.level), fork.first(), weights, losses);
  }
  return fmt::format("{{\"title\": \"{}\", \"threads\": {}, \"levels\": [{}\n]}}\n", title, num_threads(), levels);
}

std::string svg(const std::vector<Fork>& forks, const std::string& title) {
  const double left = 60, right = 980, top = 36, bottom = 370;
  const auto height = [&](double value) {
    const double share = std::log(std::clamp(value, kLeast, kMost) / kLeast) / std::log(kMost / kLeast);
    return value == 0 ? bottom + 22 : bottom - share * (bottom - top);
  };
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1000 450\" role=\"img\" aria-label=\"{0}\">\n"
      "<title>{0}</title>\n<style>.ordo-fork text {{ font: 15px system-ui, sans-serif; fill: #555; }} .ordo-fork path "
      "{{ fill: none; stroke-width: 2.5; }} @media (prefers-color-scheme: dark) {{ .ordo-fork text {{ fill: #bbb; }} "
      "}}</style>\n<g class=\"ordo-fork\">\n",
      escaped(title));
  const auto line = [&](double y, const std::string& label) {
    out += fmt::format(
        "<path d=\"M{} {:.1f}H{}\" stroke=\"#8884\" style=\"stroke-width:1\"/><text x=\"4\" y=\"{:.1f}\">{}</text>\n",
        left, y, right, y + 5, label);
  };
  line(bottom + 22, "equal");
  for (int power = -10; power <= 2; power += 2) line(height(std::pow(10.0, power)), fmt::format("1e{}", power));
  double legend = left;
  for (size_t k = 0; k < forks.size(); ++k) {
    const Fork& fork = forks[k];
    const char* colour = kColours[k % std::size(kColours)];
    for (const bool loss : {false, true}) {
      std::string path;
      const size_t n = fork.steps.size();
      for (size_t i = 0; i < n; ++i)
        path += fmt::format("{}{:.1f} {:.1f}", i ? "L" : "M", left + (right - left) * double(i + 1) / double(n),
                            height(loss ? fork.steps[i].loss : fork.steps[i].weights));
      out += fmt::format("<path d=\"{}\" stroke=\"{}\"{}/>\n", path, colour, loss ? " stroke-dasharray=\"2 5\"" : "");
      out += fmt::format("<path d=\"M{0} 16h30\" stroke=\"{1}\"{2}/><text x=\"{3}\" y=\"21\">{4}: {5}</text>\n", legend,
                         colour, loss ? " stroke-dasharray=\"2 5\"" : "", legend + 36, name(fork.level),
                         loss ? "loss" : "weights");
      legend += 230;
    }
  }
  const size_t n = forks.empty() ? 0 : forks[0].steps.size();
  out +=
      fmt::format("<text x=\"{}\" y=\"430\">step 1</text><text x=\"{}\" y=\"430\" text-anchor=\"end\">step {}</text>\n",
                  left, right, n);
  return out + "</g></svg>\n";
}

}  // namespace ordo::show

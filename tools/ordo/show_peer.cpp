#include "tools/ordo/show_peer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

#include "tools/ordo/cli.h"
#include "tools/ordo/pages.h"
#include "tools/ordo/process.h"

NumpySums numpy_sums(const ShownSum& settings, const std::vector<double>& values, int runs) {
  constexpr int kMost = 1024;
  const int count = settings.count();
  if (count > kMost)
    throw ExitStatus(2, fmt::format("[show] --peer numpy takes at most {} values, not {}", kMost, count));
  const TemporaryFolder folder("show");
  const std::string input = folder.path / "values", output = folder.path / "sums";
  write_file("show", input, fmt::format("{}\n", fmt::join(values, "\n")));
  const ProcessEnd end =
      run_process({"python3", "-B", script_file("tools/scripts/numpy_sums.py"), settings.op,
                   std::string(name(settings.dtype)), fmt::format("{}", settings.mass()), std::to_string(runs), input},
                  {}, 600, output);
  if (end.how == ProcessEnd::How::not_started)
    throw ExitStatus(2, "[show] --peer numpy needs python3, which " + end.str());
  if (end.how == ProcessEnd::How::exited && end.status == 9)
    throw ExitStatus(2, "[show] --peer numpy needs a python3 that has NumPy (package python3-numpy)");
  std::ifstream file(output);
  NumpySums sums;
  std::vector<double> pairs;  // of all i < j
  std::getline(file, sums.version);
  for (double sum; file >> sum;) (int(sums.results.size()) < runs ? sums.results : pairs).push_back(sum);
  const size_t n = size_t(count), all = n * (n - 1) / 2;
  if (!end.good() || int(sums.results.size()) != runs || pairs.size() != all)
    throw ExitStatus(2, fmt::format("[show] python3 {}; it gave {} sums of {}, and last \"{}\"", end.str(),
                                    pairs.size(), all, sums.version));
  sums.sum = [n, pairs](const std::vector<double>& v) {
    const auto is_mass = [](double value) { return value != 1; };
    const auto i = size_t(std::find_if(v.begin(), v.end(), is_mass) - v.begin());
    const auto j = size_t(std::find_if(v.begin() + int64_t(i) + 1, v.end(), is_mass) - v.begin());
    return pairs[i * n - i * (i + 1) / 2 + j - i - 1];
  };
  return sums;
}

#include "tools/ordo/show_peer.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "tools/ordo/commands.h"
#include "tools/ordo/process.h"

namespace {

namespace fs = std::filesystem;

// Prints NumPy's version, the results of the values, and the sum for each pair i < j, one a line.
constexpr const char* kProgram = R"(
import sys
try:
    import numpy as np
except ImportError:
    sys.exit(9)
op, dtype, mass, runs, file = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
values = np.array([float(line) for line in open(file)]).astype(dtype)
n = len(values)
ones, first = np.ones((n, 1), dtype), np.zeros(n - 1, np.int64)
def add(x):
    if op == "sum": return x.sum()
    if op == "cumsum": return np.cumsum(x)[-1]
    if op == "matmul": return (x.reshape(1, n) @ ones)[0, 0]
    place = x[-1:].copy()
    np.add.at(place, first, x[:-1])
    return place[0]
print(np.__version__)
for _ in range(runs): print(repr(float(add(values))))
x = np.ones(n, dtype)
for i in range(n):
    for j in range(i + 1, n):
        x[i], x[j] = mass, -mass
        print(repr(float(add(x))))
        x[i] = x[j] = 1
)";

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "ordo-show-XXXXXX").string();
    if (!mkdtemp(name.data())) throw ordo::DataError("[show] cannot make a temporary folder in " + name);
    path = name;
  }
  ~Folder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

}  // namespace

NumpySums::NumpySums(const ShownSum& settings, const std::vector<double>& values, int runs)
    : count_(settings.count()), mass_(settings.mass()) {
  if (count_ > kMost)
    throw ExitStatus(2, fmt::format("[show] --peer numpy takes at most {} values, not {}", kMost, count_));
  const Folder folder;
  const std::string input = (folder.path / "values").string(), output = (folder.path / "sums").string();
  {
    std::ofstream file(input);
    for (double v : values) file << fmt::format("{}\n", v);
    if (!file.flush()) throw ordo::DataError(fmt::format("[show] cannot write {}", input));
  }
  const ProcessEnd end = run_process({"python3", "-B", "-c", kProgram, settings.op, std::string(name(settings.dtype)),
                                      fmt::format("{}", mass_), std::to_string(runs), input},
                                     {}, 600, output);
  if (end.how == ProcessEnd::How::not_started)
    throw ExitStatus(2, "[show] --peer numpy needs python3, which " + end.str());
  if (end.how == ProcessEnd::How::exited && end.status == 9)
    throw ExitStatus(2, "[show] --peer numpy needs a python3 that has NumPy (package python3-numpy)");
  std::ifstream file(output);
  std::getline(file, version_);
  double sum;
  while (file >> sum) (int(results_.size()) < runs ? results_ : pairs_).push_back(sum);
  const size_t pairs = size_t(count_) * size_t(count_ - 1) / 2;
  if (!end.good() || int(results_.size()) != runs || pairs_.size() != pairs)
    throw ExitStatus(2, fmt::format("[show] python3 {}; it gave {} sums of {}, and last \"{}\"", end.str(),
                                    pairs_.size(), pairs, version_));
}

double NumpySums::operator()(const std::vector<double>& values) const {
  size_t pair[2] = {}, found = 0;
  for (size_t i = 0; i < values.size() && found < 2; ++i)
    if (values[i] == mass_ || values[i] == -mass_) pair[found++] = i;
  const size_t n = size_t(count_), before = pair[0] * n - pair[0] * (pair[0] + 1) / 2;
  return pairs_[before + pair[1] - pair[0] - 1];
}

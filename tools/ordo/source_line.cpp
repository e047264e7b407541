#include "tools/ordo/source_line.h"

#include <fmt/format.h>

#include <fstream>
#include <vector>

#include "tools/ordo/process.h"

namespace fs = std::filesystem;

namespace {

/// Headers of the library and of the system, which are inlined into a program's functions.
bool is_foreign(const std::string& file) {
  return file.starts_with("?") || file.starts_with("/usr/include/") || file.starts_with("/usr/lib/") ||
         file.find("/include/ordo/") != file.npos;
}

/// libc and its like, which call main().
bool is_system(const std::string& module) {
  return module.starts_with("/lib") || module.starts_with("/usr/lib") || module.starts_with("linux-vdso");
}

/// Without the arguments of its template and its own, and without an unnamed namespace.
std::string short_name(std::string function) {
  const std::string unnamed = "(anonymous namespace)::";
  for (size_t at; (at = function.find(unnamed)) != function.npos;) function.erase(at, unnamed.size());
  return function.substr(0, function.find_first_of("(<"));
}

}  // namespace

std::string source_line(const fs::path& calls, const fs::path& scratch) {
  std::vector<std::vector<std::string>> groups;  // consecutive calls of one module
  std::ifstream file(calls);
  for (std::string line; std::getline(file, line);) {
    const size_t tab = line.rfind('\t');
    if (tab == line.npos) continue;
    const std::string module = line.substr(0, tab);
    if (is_system(module)) continue;
    if (groups.empty() || groups.back()[2] != module) groups.push_back({"addr2line", "-iCfe", module});
    groups.back().push_back(line.substr(tab + 1));
  }
  std::string without_line;
  for (const auto& command : groups) {
    if (!run_process(command, {}, 60, scratch.string()).good()) continue;
    std::ifstream answer(scratch);
    for (std::string function, place; std::getline(answer, function) && std::getline(answer, place);) {
      place = place.substr(0, place.find(" ("));  // "(discriminator 2)"
      if (!is_foreign(place) && !place.ends_with(":?"))
        return fmt::format("{} ({})", fs::path(place).filename().string(), short_name(function));
      if (without_line.empty() && place.starts_with("?") && !function.starts_with("?") &&
          !function.starts_with("_start"))
        without_line = short_name(function) + " (compiled without lines: -g1 gives them)";
    }
  }
  return without_line;
}

#include "tools/ordo/pages.h"

#include <fmt/format.h>
#include <ordo/nn/state/data_file.h>
#include <ordo/nn/state/whole_file.h>

#include <cstdlib>
#include <filesystem>

#include "tools/ordo/cli.h"
#include "tools/ordo/process.h"

std::string script_file(const std::string& name) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const std::filesystem::path& folder :
       {program.parent_path().parent_path() / "share/ordo", std::filesystem::path(ORDO_SOURCE_DIR)})
    if (std::filesystem::exists(folder / name, error)) return folder / name;
  return "";
}

std::vector<std::string> pythons() {
  if (const char* named = std::getenv("ORDO_PYTHON"); named && *named) return {named};
  return {"python3", "/usr/bin/python3"};
}

void run_script(const std::string& command, const std::string& script, std::vector<std::string> arguments,
                const std::string& module, const std::string& package) {
  const std::string file = script_file("tools/scripts/" + script);
  if (file.empty()) throw ExitStatus(3, fmt::format("[{}] its program {} is not installed", command, script));
  std::fflush(stdout);
  for (const std::string& python : pythons()) {
    if (!run_process({python, "-c", "import " + module}, {}, 0, "/dev/null").good()) continue;
    arguments.insert(arguments.begin(), {python, "-B", file});
    const ProcessEnd end = run_process(arguments, {}, 0, "");
    if (!end.good()) throw ExitStatus(end.how == ProcessEnd::How::exited ? end.status : 1, "");  // it has said why
    return;
  }
  throw ExitStatus(3, fmt::format("[{}] needs Python with {} (Debian: apt-get install {})", command, module, package));
}

std::string drawn_from(const std::string& command, const std::string& kind, const std::string& file) {
  const TemporaryFolder folder(command);
  const std::string to = folder.path / "page";
  run_script(command, "show.py", {kind, file, to});
  return ordo::nn::read_whole_file(to, command.c_str());
}

std::string drawn(const std::string& command, const std::string& kind, const Json& data) {
  const TemporaryFolder folder(command);
  const std::string file = folder.path / "data";
  write_file(command, file, data.text());
  return drawn_from(command, kind, file);
}

void write_file(const std::string& command, const std::string& file, const std::string& text) {
  ordo::nn::WholeFile out(file, command);
  out.write(text);
  out.commit();
}

// ordo report: result files of `ordo bench`, or logs of training runs, as one HTML page. Matplotlib draws it, in
// bench/report/report.py and run_page.py.
#include <fmt/format.h>
#include <ordo/engine/files.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>

#include "bench/peer.h"
#include "bench/results.h"
#include "tools/ordo/commands.h"
#include "tools/ordo/say.h"

namespace {

using namespace ordo::bench;

struct Options {
  std::vector<std::string> files;
  std::string output = "report.html";
};

// The exit status of a program; its standard error is shown when `quiet` is false.
int run_program(const std::vector<std::string>& words, bool quiet) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t process = fork();
  if (process == 0) {
    if (quiet) fclose(stderr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/// A Trainer's log: JSON lines, the first of which says so.
bool is_log(const std::string& file) {
  ordo::detail::expect_file("report", file);
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  const Json first = Json::parse(line, nullptr, false);
  return first.is_object() && first.value("format", Json()) == "ordo run";
}

void run_report(const Options& options) {
  size_t logs = 0;
  for (const std::string& file : options.files) {
    if (is_log(file))
      ++logs;
    else if (read_results(file).at("results").empty())
      throw ordo::DataError(fmt::format("[report] {} has no results", file));
  }
  if (logs > 0 && logs < options.files.size())
    throw ordo::DataError("[report] makes a page of results or of training runs, not of both");
  const std::string folder = script_folder();
  if (folder.empty()) throw ExitStatus(3, "[report] its program is not installed");
  for (const std::string& python : pythons()) {
    if (run_program({python, "-c", "import matplotlib"}, true) != 0) continue;
    std::vector<std::string> words{python, "-B", folder + (logs > 0 ? "/report/run_page.py" : "/report/report.py"),
                                   "-o", options.output};
    words.insert(words.end(), options.files.begin(), options.files.end());
    if (const int status = run_program(words, false)) throw ExitStatus(status, "[report] the page was not written");
    say("wrote {}\n", options.output);
    return;
  }
  throw ExitStatus(3, "[report] needs Python with Matplotlib (Debian: apt-get install python3-matplotlib)");
}

}  // namespace

Command add_report(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "report", "Make one HTML page of result files of `ordo bench --json`, or of logs of training runs");
  command->add_option("files", options->files, "result files, or logs (JSON lines)")->required();
  command->add_option("-o,--output", options->output, "the page (report.html)");
  return [options] { run_report(*options); };
}

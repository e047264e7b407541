// ordo report: result files of `ordo bench`, or logs of training runs, as one HTML page. Matplotlib draws it, in
// tools/scripts/.
#include <ordo/engine/run/files.h>

#include "tools/ordo/cli.h"
#include "tools/ordo/pages.h"
#include "tools/ordo/say.h"

namespace {

std::function<void()> add_report(Arguments arguments) {
  static std::vector<std::string> files;
  static std::string output = "report.html", exported;
  static bool slides = false;
  arguments.add("files", files, "result files, or logs (JSON lines)").required();
  arguments.add("-o,--output", output, "the page (report.html)");
  arguments.add("--export", exported,
                "also write, beside the page: csv, tex (a table), svg and pdf (each chart): csv,pdf");
  arguments.add("--slides", slides, "of results: slides of 16:9, one for each chart that fits");
  return [] {
    for (const std::string& file : files) ordo::detail::expect_file("report", file);
    std::vector<std::string> words{"-o", output};
    if (!exported.empty()) words.insert(words.end(), {"--export", exported});
    if (slides) words.emplace_back("--slides");
    words.insert(words.end(), files.begin(), files.end());
    run_script("report", "report.py", words, "matplotlib", "python3-matplotlib");
    say("wrote {}\n", output);
  };
}

}  // namespace

const Command kReport{
    "report", "Make one HTML page of result files of `ordo bench --json`, or of logs of training runs", add_report};

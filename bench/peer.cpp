#include "bench/peer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tools/ordo/pages.h"

namespace ordo::bench {

std::unique_ptr<Peer> Peer::start(const std::string& script, Device device, const Effort& effort, std::string& note,
                                  const std::string& setting) {
  const std::string file = script_file("bench/peers/" + script);
  if (file.empty()) {
    note = "the peers' programs are not installed";
    return nullptr;
  }
  signal(SIGPIPE, SIG_IGN);  // a peer that has ended is told apart by what it answers
  for (const std::string& python : pythons()) {
    std::unique_ptr<Peer> peer(new Peer);
    if (peer->launch(python, file, device, effort, setting)) return peer;
  }
  note = device.is_cuda() ? "no PyTorch with CUDA and NumPy here"
                          : "no PyTorch with NumPy here (Debian: apt-get install python3-torch python3-numpy)";
  return nullptr;
}

bool Peer::launch(const std::string& python, const std::string& script, Device device, const Effort& effort,
                  const std::string& setting) {
  int down[2], up[2];
  if (pipe2(down, O_CLOEXEC) != 0) return false;
  if (pipe2(up, O_CLOEXEC) != 0) return close(down[0]), close(down[1]), false;
  const std::string arguments[] = {python,
                                   "-B",
                                   script,
                                   "--device",
                                   device.str(),
                                   "--threads",
                                   std::to_string(num_threads()),
                                   "--repeats",
                                   std::to_string(effort.repeats),
                                   "--seconds",
                                   fmt::format("{}", effort.seconds),
                                   "--rounds",
                                   std::to_string(effort.rounds)};
  std::vector<char*> argv;
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  std::string environment = setting;
  process_ = fork();
  if (process_ == 0) {
    dup2(down[0], 0);
    dup2(up[1], 1);
    if (const int quiet = open("/dev/null", O_WRONLY); quiet >= 0) dup2(quiet, 2);
    if (!environment.empty()) putenv(environment.data());
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(down[0]);
  close(up[1]);
  to_ = down[1];
  from_ = fdopen(up[0], "r");
  std::string line;
  if (process_ < 0 || !from_ || !read_line(line)) return false;
  const Json hello = Json::parse(line, nullptr, false);
  if (hello.is_discarded()) return false;
  version_ = hello.at("version");
  return true;
}

Peer::~Peer() {
  if (to_ >= 0) close(to_);  // the end of its input ends it
  if (from_) fclose(from_);
  if (process_ > 0) waitpid(process_, nullptr, 0);
}

bool Peer::read_line(std::string& line) {
  char* text = nullptr;
  size_t size = 0;
  const ssize_t length = getline(&text, &size, from_);
  if (length > 0) line.assign(text, size_t(length));
  free(text);
  return length > 0;
}

void Peer::measure(const Row& row, const std::string& path, Measured& measured) {
  measured.path = path;
  if (!measured.error.empty()) return;
  const std::string question = Json{{"row", row.values}, {"path", path}}.dump() + "\n";
  std::string line;
  if (write(to_, question.data(), question.size()) != ssize_t(question.size()) || !read_line(line)) {
    measured.error = "the peer has ended";
    return;
  }
  const Json answer = Json::parse(line, nullptr, false);
  if (answer.is_discarded()) {
    measured.error = "the peer's answer is no JSON";
    return;
  }
  if (answer.contains("error")) {
    measured.error = answer.at("error");
    return;
  }
  for (const Json& ms : answer.at("ms")) measured.ms.push_back(ms);
  for (const Json& pattern : answer.at("patterns")) measured.patterns.insert(pattern);
  measured.compared += answer.at("compared").get<int>();
  measured.max_ulp = answer.at("max_ulp").is_null() ? -1 : answer.at("max_ulp").get<double>();
}

}  // namespace ordo::bench

#include "tools/ordo/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <ordo/engine/calls/error.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

extern char** environ;

std::string ProcessEnd::str() const {
  switch (how) {
    case How::exited:
      return fmt::format("ended with status {}", status);
    case How::killed:
      return fmt::format("was killed by signal {} ({})", status, strsignal(status));
    case How::timed_out:
      return fmt::format("had not ended after {:.0f} s, and was killed", seconds);
    case How::not_started:
      return fmt::format("cannot be started: {}", std::strerror(status));
  }
  return "";
}

ProcessEnd run_process(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables,
                       double timeout, const std::string& output) {
  // Everything that takes memory is done before the fork: busy threads may hold the heap's lock.
  std::vector<std::string> environment;
  for (char** e = environ; *e; ++e) {
    const std::string entry = *e;
    if (!variables.count(entry.substr(0, entry.find('=')))) environment.push_back(entry);
  }
  for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);
  std::vector<char*> argv, envp;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& entry : environment) envp.push_back(const_cast<char*>(entry.c_str()));
  argv.push_back(nullptr), envp.push_back(nullptr);
  int report[2];  // closed by a successful exec; else errno comes
  if (pipe2(report, O_CLOEXEC) != 0) return {ProcessEnd::How::not_started, errno, 0};
  const auto began = std::chrono::steady_clock::now();
  const pid_t process = fork();
  if (process < 0) return {ProcessEnd::How::not_started, errno, 0};
  if (process == 0) {
    setpgid(0, 0);
    const int file = output.empty() ? -1 : open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (const int none = open("/dev/null", O_RDONLY); none >= 0) dup2(none, 0);
    if (file >= 0) dup2(file, 1), dup2(file, 2);
    execvpe(argv[0], argv.data(), envp.data());
    const int error = errno;
    if (write(report[1], &error, sizeof error) < 0) _exit(126);
    _exit(127);
  }
  setpgid(process, process);  // whoever of both comes first
  close(report[1]);
  int error = 0, status = 0;
  const bool failed = read(report[0], &error, sizeof error) == ssize_t(sizeof error);
  close(report[0]);
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
  bool ended_here = false;
  while (waitpid(process, &status, failed || timeout <= 0 ? 0 : WNOHANG) == 0) {
    if (seconds() > timeout && !std::exchange(ended_here, true)) kill(-process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (failed) return {ProcessEnd::How::not_started, error, seconds()};
  if (ended_here) return {ProcessEnd::How::timed_out, 0, seconds()};
  if (WIFSIGNALED(status)) return {ProcessEnd::How::killed, WTERMSIG(status), seconds()};
  return {ProcessEnd::How::exited, WEXITSTATUS(status), seconds()};
}

TemporaryFolder::TemporaryFolder(const std::string& command) {
  std::string name = (std::filesystem::temp_directory_path() / fmt::format("ordo-{}-XXXXXX", command)).string();
  if (!mkdtemp(name.data()))
    throw ordo::DataError(fmt::format("[{}] cannot make a temporary folder in {}", command, name));
  path = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(path, error);
}

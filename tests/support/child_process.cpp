#include "tests/support/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace ordo::test {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

std::string name_of(const std::string& variable) { return variable.substr(0, variable.find('=') + 1); }

}  // namespace

Ended wait_for(int process, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  Ended ended;
  while (::waitpid(process, &ended.status, WNOHANG) == 0) {
    if (Clock::now() > end) {
      ::kill(process, SIGKILL);
      ::waitpid(process, &ended.status, 0);
      return ended;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ended.in_time = true;
  return ended;
}

Ended run_this_program(const std::vector<std::string>& arguments, const std::vector<std::string>& variables,
                       double seconds) {
  namespace fs = std::filesystem;
  const std::string self = fs::read_symlink("/proc/self/exe");
  std::vector<std::string> words{self}, environment = variables;
  words.insert(words.end(), arguments.begin(), arguments.end());
  for (char** own = environ; *own; ++own) {
    bool given = false;
    for (const std::string& variable : variables) given |= std::string(*own).starts_with(name_of(variable));
    if (!given) environment.emplace_back(*own);
  }
  std::string errors = fs::temp_directory_path() / "ordo_child_XXXXXX";
  const int file = ::mkstemp(errors.data());
  if (file < 0) throw std::runtime_error("there is no place for a child's stderr");
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, file, STDERR_FILENO);
  pid_t process = -1;
  const int error =
      ::posix_spawn(&process, self.c_str(), &files, nullptr, pointers(words).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  ::close(file);
  if (error != 0) throw std::runtime_error("this program cannot be started again");
  Ended ended = wait_for(process, seconds);
  std::ifstream text(errors);
  ended.errors.assign(std::istreambuf_iterator<char>(text), {});
  fs::remove(errors);
  return ended;
}

}  // namespace ordo::test

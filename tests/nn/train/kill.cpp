#include "tests/nn/train/kill.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/fuzz/fuzz.h"
#include "tests/nn/train/toy_run.h"

namespace ordo::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr const char* kTrain = "--train";
constexpr int kMostKillsOfOne = 12;  // then a training may end

/// What the killed processes do.
void train(const std::string& folder) {
  TrainerOptions options = toy_options(folder, true);
  options.epochs = 20;
  options.schedule = optim::warmup(5, optim::cosine(55, 0.1));
  options.randomness->deterministic = Determinism::run_to_run;
  const std::string text = text_of(ToyRun(options).go());
  std::ofstream(folder + "/result.txt") << text;
}

pid_t start(const std::string& folder) {
  static const std::string self = fs::read_symlink("/proc/self/exe");
  std::string words[] = {self, "kill", kTrain, folder};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t process = -1;
  if (::posix_spawn(&process, self.c_str(), nullptr, nullptr, arguments, environ) != 0) return -1;
  return process;
}

/// The name of the file that is being written, or nothing.
std::string half_written(const std::string& folder) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  while (!error && entries != fs::directory_iterator()) {
    std::string name = entries->path().filename().string();
    if (name.ends_with(".part")) return name;
    entries.increment(error);
  }
  return {};
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string difference(const std::string& folder, const std::string& whole) {
  for (const auto& entry : fs::directory_iterator(whole)) {
    const auto name = entry.path().filename();
    if (contents(entry.path()) != contents(fs::path(folder) / name)) return name.string() + " differs";
  }
  // A process that is killed between its last save and the removal of the oldest checkpoint leaves that one.
  int more = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (fs::exists(fs::path(whole) / name)) continue;
    if (!name.starts_with("step-") || name.ends_with(".part") || ++more > 1) return name + " is there, too";
  }
  return "";
}

/// When to kill: at a time after the start, or when the nth file from there is being written.
class Moment {
 public:
  Moment(Draw& draw, microseconds longest)
      : at_(Clock::now() + microseconds(draw.in(0, longest.count()))), files_(draw.chance(50) ? draw.in(1, 12) : 0) {
    if (files_ > 0) at_ = Clock::now() + longest;
  }
  bool has_come(const std::string& folder) {
    if (files_ > 0) {
      const std::string now = half_written(folder);
      if (!now.empty() && now != last_ && --files_ == 0) return true;
      last_ = now;
    }
    return Clock::now() >= at_;
  }

 private:
  Clock::time_point at_;
  int64_t files_;
  std::string last_;
};

/// Starts a process and waits for its end, which the moment may bring about. Returns its status.
int run(const std::string& folder, Moment* moment) {
  const pid_t process = start(folder);
  if (process < 0) return -1;
  for (int status = 0;;) {
    if (::waitpid(process, &status, moment ? WNOHANG : 0) == process) return status;
    if (moment && moment->has_come(folder)) ::kill(process, SIGKILL), moment = nullptr;
    if (moment) std::this_thread::sleep_for(microseconds(20));
  }
}

bool ended_well(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }
bool was_killed(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }

}  // namespace

KillReport kill_trainings(int64_t kills, uint64_t seed) {
  KillReport report;
  Draw draw(seed);
  const fs::path root = fs::temp_directory_path() / fmt::format("ordo_kill_{}", ::getpid());
  const std::string whole = root / "whole", folder = root / "killed";
  fs::create_directories(root);
  const auto began = Clock::now();
  if (!ended_well(run(whole, nullptr))) report.failure = "the training that nobody kills fails";
  const auto longest = std::chrono::duration_cast<microseconds>(Clock::now() - began);
  while (report.failure.empty() && report.kills < kills) {
    fs::remove_all(folder);
    for (int of_this = 0, status = -1; report.failure.empty() && !ended_well(status);) {
      Moment moment(draw, longest);
      status = run(folder, of_this < kMostKillsOfOne ? &moment : nullptr);
      if (was_killed(status)) {
        ++of_this, ++report.kills;
        if (!half_written(folder).empty()) ++report.while_writing;
      } else if (!ended_well(status)) {
        report.failure = fmt::format("after {} kills the resumed training fails", of_this);
      }
    }
    ++report.trainings;
    if (report.failure.empty()) report.failure = difference(folder, whole);
    if (!report.failure.empty()) report.failure += fmt::format(" (training {} of seed {})", report.trainings, seed);
  }
  fs::remove_all(root);
  return report;
}

int kill_command(const std::vector<std::string>& arguments) {
  int64_t runs = 1000;
  uint64_t seed = 0;
  for (size_t i = 0; i < arguments.size(); i += 2) {
    const std::string &option = arguments[i], value = i + 1 < arguments.size() ? arguments[i + 1] : "";
    if (option == kTrain && !value.empty()) {
      try {
        return train(value), 0;
      } catch (const std::exception& error) {
        return std::fprintf(stderr, "%s\n", error.what()), 1;
      }
    }
    char* end = nullptr;
    const uint64_t number = std::strtoull(value.c_str(), &end, 10);
    if (value.empty() || *end || (option != "--runs" && option != "--seed"))
      return std::fputs("usage: ordo_tests kill [--runs N] [--seed N]\n", stderr), 2;
    option == "--runs" ? void(runs = int64_t(number)) : void(seed = number);
  }
  const KillReport report = kill_trainings(runs, seed);
  fmt::print("{} kills, {} of them while a checkpoint was being written; {} trainings{}\n", report.kills,
             report.while_writing, report.trainings,
             report.failure.empty() ? " ended like the one that nobody killed" : ": " + report.failure);
  return report.failure.empty() ? 0 : 1;
}

}  // namespace ordo::test

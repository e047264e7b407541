// Runs a lesson's check in a child process, so that whatever the learner's code does ends with a verdict: the parent
// says where the child crashed, or in which line it still loops after the time that a check may take.
#include <execinfo.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"
#if ORDO_EMULATED
#include <ordo/simulators/emulator/checker.h>
#include <ordo/simulators/emulator/code_place.h>
#endif

namespace {

constexpr int kProcessorSeconds = 5;  ///< that a check may take
constexpr int kSeconds = 12;          ///< by the clock
constexpr int kSamples = 8;           ///< of where the child is, when its time is over

/// Where the child is: the addresses of its calls, innermost first.
struct Backtrace {
  int signal;  ///< 0: exit()
  int depth;
  void* address;  ///< that could not be accessed
  void* calls[40];
};
int g_pipe = -1;
int g_out_number = STDOUT_FILENO;

void send(const Backtrace& trace) {
  if (write(g_pipe, &trace, sizeof trace) != sizeof trace) _exit(3);
}

/// Where the program dies of what the checker has seen before, such as a write beside an array, that is the verdict.
/// Takes no memory: what manages it may be broken.
void tell_found() {
#if ORDO_EMULATED
  const std::string& found = ordo::cuda::emulator::checker::found_so_far();
  if (found.empty()) return;
  const char* verdict = lesson::verdict_of(found);
  for (const char* text : {verdict, ": ", found.c_str(), lesson::explanation(verdict), "\n"})
    if (write(g_out_number, text, std::strlen(text)) < 0) break;
  _exit(1);
#endif
}

void at_signal(int signal, siginfo_t* information, void*) {
  static int samples = 0;
  static volatile bool inside = false;
  static sigjmp_buf back;
  if (signal == SIGABRT) tell_found();  // others say by their address what was wrong
  if (inside) siglongjmp(back, 1);      // the stack cannot be read to its end, as between two fibers
  inside = true;
  Backtrace trace{signal, 0, information->si_addr, {}};
  if (sigsetjmp(back, 1) == 0) trace.depth = backtrace(trace.calls, 40);
  send(trace);
  inside = false;
  if (signal != SIGPROF || ++samples == kSamples) _exit(1);
  const itimerval soon{{0, 0}, {0, 5000}};
  setitimer(ITIMER_PROF, &soon, nullptr);
}

/// The learner's code calls exit(): a check ends by _exit().
void at_exit() {
  Backtrace trace{0, 0, nullptr, {}};
  trace.depth = backtrace(trace.calls, 40);
  send(trace);
}

void watch_signals() {
  std::atexit(at_exit);
  static std::array<char, 1 << 16> stack;
  const stack_t alternate{stack.data(), 0, stack.size()};
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = at_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF}) sigaction(signal, &action, nullptr);
  void* loads_its_library[1];
  backtrace(loads_its_library, 1);
  const itimerval limit{{0, 0}, {kProcessorSeconds, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

int run_check() {
  watch_signals();
  return lesson::judge(lesson::check);
}

/// The first of the calls that is in the learner's file, as "yours.cu:12"; empty when there is none.
std::string line_of(const Backtrace& trace, const std::string& file) {
#if ORDO_EMULATED
  for (int i = 0; i < trace.depth; ++i) {
    const char* code =
        static_cast<const char*>(trace.calls[i]) + (i == 2 && trace.signal);  // calls[2] is where it came
    const std::string line = ordo::cuda::emulator::checker::place_of_code(code);
    if (line.compare(0, file.size() + 1, file + ":") == 0) return line;
  }
#else
  (void)trace, (void)file;
#endif
  return "";
}

std::string what_happened(int signal) {
  switch (signal) {
    case 0:
      return "the program called exit(), before its check was done,";
    case SIGSEGV:
    case SIGBUS:
      return "a read or write of memory that is not the program's";
    case SIGFPE:
      return "a division of an integer by zero";
    case SIGABRT:
      return "the program called abort()";
    default:
      return strsignal(signal);
  }
}

int report(const std::vector<Backtrace>& traces, int status, const std::string& file) {
  std::string line;
  for (const Backtrace& trace : traces)
    if (line.empty()) line = line_of(trace, file);
  const std::string where = line.empty() ? " (in no line of " + file + ")" : " at " + line;
  const bool loops = traces.empty() ? !WIFSIGNALED(status) || WTERMSIG(status) == SIGKILL : traces[0].signal == SIGPROF;
  if (loops)
    std::printf("ENDLESS LOOP: after %d seconds it still runs%s. Does the loop there come to an end?\n",
                kProcessorSeconds, where.c_str());
  else
    std::printf("CRASH: %s%s\n", what_happened(traces.empty() ? WTERMSIG(status) : traces[0].signal).c_str(),
                where.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string file = argc > 1 ? argv[1] : "yours.cu";
  int ends[2];
  if (pipe(ends) != 0) return 3;
  std::fflush(stdout);
  FILE* printed = lesson::only_seed() ? nullptr : std::tmpfile();  // by the learner's code, 20 times
  const pid_t child = fork();
  if (child < 0) return 3;
  if (child == 0) {
    close(ends[0]);
    g_pipe = ends[1];
    if (printed) {
      g_out_number = dup(STDOUT_FILENO);
      lesson::g_out = fdopen(g_out_number, "w");
      dup2(fileno(printed), STDOUT_FILENO);
    }
    setvbuf(stdout, nullptr, _IOLBF, 0);
    _exit(run_check());
  }
  close(ends[1]);
  std::vector<Backtrace> traces;
  Backtrace trace;
  bool asked = false;
  for (pollfd end{ends[0], POLLIN, 0};;) {
    const int ready = poll(&end, 1, asked ? 2000 : kSeconds * 1000);
    if (ready > 0) {
      if (read(ends[0], &trace, sizeof trace) != sizeof trace) break;
      traces.push_back(trace);
    } else if (!asked) {
      asked = true;
      kill(child, SIGPROF);
    } else {
      kill(child, SIGKILL);
      break;
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (printed && lseek(fileno(printed), 0, SEEK_END) > 0)
    std::printf("(%s prints; --seed 1 shows what, of one schedule)\n", file.c_str());
  if (traces.empty() && WIFEXITED(status)) {
    if (WEXITSTATUS(status) == lesson::kDone) return 0;
    if (WEXITSTATUS(status) == lesson::kLooked) return lesson::kLooked;
    if (WEXITSTATUS(status) != 1) std::printf("CRASH: the program ended before its check did\n");
    return 1;
  }
  return report(traces, status, file);
}

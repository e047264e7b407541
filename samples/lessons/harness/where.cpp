// Linked to a lesson's program that uses the whole library. It writes to the file $LESSON_CALLS, a line each,
//   EVENT BITS|ADDRESSES     what each operation of the main thread gave, each draw of random numbers, and each seed
//   !N|ADDRESSES             where the program is when signal N comes; !0: when it calls exit()
// ADDRESSES are those of the calls that are in the program itself, innermost first, as addr2line takes them. A program
// that runs for longer than it may ends with some lines of SIGPROF.
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include <ordo/ordo.h>

namespace {

constexpr int kProcessorSeconds = 5;
constexpr int kSamples = 8;

const pthread_t g_main = pthread_self();
int g_file = -1;

/// `interrupted`: which of the calls is where a signal came, and no call.
void write_line(const char* what, int interrupted = -1) {
  static Dl_info self;
  static const int known = dladdr(&g_file, &self);
  void* calls[64];
  const int depth = backtrace(calls, 64);
  char line[2048];
  int length = std::snprintf(line, 200, "%s|", what);
  Dl_info module;
  for (int i = 0; i < depth && length < 2000; ++i)
    if (known && dladdr(calls[i], &module) && module.dli_fbase == self.dli_fbase)
      length +=
          std::snprintf(line + length, 32, " %zx",
                        size_t(static_cast<char*>(calls[i]) - static_cast<char*>(self.dli_fbase)) - (i != interrupted));
  line[length++] = '\n';
  if (write(g_file, line, size_t(length)) != length) _exit(3);
}

void at_signal(int signal) {
  static int samples = 0;
  if (signal == SIGPROF && !pthread_equal(pthread_self(), g_main)) {
    pthread_kill(g_main, SIGPROF);
    return;
  }
  char what[16];
  std::snprintf(what, sizeof what, "!%d", signal);
  write_line(what, 3);
  if (signal != SIGPROF) {  // the program ends by it
    ::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  if (++samples == kSamples) _exit(1);
  const itimerval soon{{0, 0}, {0, 5000}};
  setitimer(ITIMER_PROF, &soon, nullptr);
}

struct Watch {
  Watch() {
    const char* file = std::getenv("LESSON_CALLS");
    if (file) g_file = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    if (g_file < 0) return;
    void* loads_its_library[1];
    backtrace(loads_its_library, 1);
    static char stack[1 << 16];
    const stack_t alternate{stack, 0, sizeof stack};
    sigaltstack(&alternate, nullptr);
    struct sigaction action = {};
    action.sa_handler = at_signal;
    action.sa_flags = SA_ONSTACK | SA_RESTART;
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF}) sigaction(signal, &action, nullptr);
    const itimerval limit{{0, 0}, {kProcessorSeconds, 0}};
    setitimer(ITIMER_PROF, &limit, nullptr);
    std::atexit([] { write_line("!0"); });
  }

  ordo::OpListener listener{[](const ordo::OpEvent& e) {
                              if (g_file < 0 || !pthread_equal(pthread_self(), g_main)) return;
                              ordo::TensorList outputs;
                              for (const ordo::Tensor& t : e.outputs)
                                if (t.defined()) outputs.push_back(t);
                              const std::string bits = outputs.empty() ? "" : ordo::sha256_hex(outputs).substr(0, 16);
                              write_line((std::string(e.name) + " " + bits).c_str());
                            },
                            {},
                            [](const ordo::RandomDraw& d) {
                              if (g_file < 0 || !pthread_equal(pthread_self(), g_main)) return;
                              char what[80];
                              std::snprintf(what, sizeof what, "random numbers %llx:%llx",
                                            (unsigned long long)d.from.seed, (unsigned long long)d.from.offset);
                              write_line(what);
                            }};
} g_watch;

void write_seed(uint64_t seed) {
  if (g_file < 0 || !pthread_equal(pthread_self(), g_main)) return;
  char what[40];
  std::snprintf(what, sizeof what, "seed %llx", (unsigned long long)seed);
  write_line(what);
}

}  // namespace

// The linker sends the program's calls that set a seed here (lesson.py: --wrap): the constructor of Generator, its
// manual_seed() and the free one.
extern "C" {
void __real__ZN4ordo9GeneratorC1Emm(void* generator, uint64_t seed, uint64_t stream);
void __real__ZN4ordo9Generator11manual_seedEm(void* generator, uint64_t seed);
void __real__ZN4ordo11manual_seedEm(uint64_t seed);
void __wrap__ZN4ordo9GeneratorC1Emm(void* generator, uint64_t seed, uint64_t stream) {
  write_seed(seed);
  __real__ZN4ordo9GeneratorC1Emm(generator, seed, stream);
}
void __wrap__ZN4ordo9Generator11manual_seedEm(void* generator, uint64_t seed) {
  write_seed(seed);
  __real__ZN4ordo9Generator11manual_seedEm(generator, seed);
}
void __wrap__ZN4ordo11manual_seedEm(uint64_t seed) {
  write_seed(seed);
  __real__ZN4ordo11manual_seedEm(seed);
}
}

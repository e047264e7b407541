#include <ordo/simulators/emulator/recording.h>

#include <dlfcn.h>
#include <fcntl.h>

#include <cstdio>
#include <map>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/run/files.h>
#include <ordo/simulators/emulator/threads.h>

namespace ordo::cuda::emulator::recording {

namespace {
FILE* g_file = nullptr;
int64_t g_events = 0;
const Thread* g_running = nullptr;
std::map<const void*, int> g_places;  // of the launch, in the order of their first use

// The name in the program's table of symbols, which has static functions, too.
std::string name_of_kernel([[maybe_unused]] const void* kernel) {
#if defined(__EMSCRIPTEN__)
  return "?";
#else
  Dl_info module;
  if (!dladdr(kernel, &module)) return "?";
  char command[4096], line[1024] = "?";
  std::snprintf(command, sizeof command, "addr2line -fsC -e '%s' %#zx 2>/dev/null", module.dli_fname,
                size_t(static_cast<const char*>(kernel) - static_cast<const char*>(module.dli_fbase)));
  if (FILE* answer = popen(command, "r")) {
    if (!std::fgets(line, sizeof line, answer)) line[0] = '?', line[1] = 0;
    pclose(answer);
  }
  std::string name = line;
  while (!name.empty() && (name.back() == '\n' || name.back() == ' ')) name.pop_back();
  if (const size_t end = name.find('('); end != name.npos && end > 0 && name.find("(anonymous") != end)
    name.resize(end);
  std::string plain;
  for (char c : name)
    if (c != '"' && c != '\\') plain += c;
  return plain;
#endif
}

bool room() {
  if (g_events++ < kMostEvents) return true;
  std::fprintf(g_file, "{\"cut\": %lld}\n", static_cast<long long>(kMostEvents));
  to_file("");
  return false;
}

void write(const char* what, const Thread& t) {
  if (room()) std::fprintf(g_file, "[\"%s\", %u, %u]\n", what, t.block->number, t.number);
}
}  // namespace

bool on = false;

void to_file(const std::string& file) {
  if (g_file) std::fclose(g_file);
  g_file = nullptr;
  on = false;
  if (file.empty()) return;
  g_file = ::fdopen(
      ordo::detail::open_to_write("emulator", file, O_WRONLY | O_CREAT | O_TRUNC, "the recording " + file), "w");
  ORDO_CHECK(g_file, DataError, "emulator", "the recording {}: cannot be opened", file);
  g_events = 0;
  g_running = nullptr;
  std::fputs("{\"format\": \"ordo recording\", \"version\": 1}\n", g_file);
  on = true;
}

void launch(const LaunchCall& call, const Launch& l) {
  g_running = nullptr;
  g_places.clear();
  const char* order = l.options.order == Order::random    ? "random"
                      : l.options.order == Order::forward ? "forward"
                                                          : "reverse";
  if (room())
    std::fprintf(
        g_file,
        "{\"launch\": %llu, \"kernel\": \"%s\", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"seed\": %llu, "
        "\"order\": \"%s\"}\n",
        static_cast<unsigned long long>(l.number), name_of_kernel(call.kernel).c_str(), l.grid.x, l.grid.y, l.grid.z,
        l.block.x, l.block.y, l.block.z, static_cast<unsigned long long>(l.options.seed), order);
}

void runs(const Thread& thread) {
  if (g_running != &thread) write("run", thread);
  g_running = &thread;
}

void ends(const Thread& thread) {
  write("end", thread);
  g_running = nullptr;  // its slot may get a thread of the next block
}

void waits(const Thread& t, const char* at, const Where& where) {
  if (room()) std::fprintf(g_file, "[\"%s\", %u, %u, \"%s\"]\n", at, t.block->number, t.number, place(where).c_str());
}

void opens(const Thread& thread) { write("open", thread); }

void atomic(const void* address, double before, double after) {
  const Thread* t = g_launch.current;
  if (!t) return;
  const int number = g_places.try_emplace(address, int(g_places.size())).first->second;
  if (room())
    std::fprintf(g_file, "[\"atomic\", %u, %u, %d, \"%.9g\", \"%.9g\"]\n", t->block->number, t->number, number, before,
                 after);
}

}  // namespace ordo::cuda::emulator::recording

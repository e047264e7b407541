#include <ordo/simulators/emulator/code_place.h>

#if ORDO_RACE_CHECKER && defined(__EMSCRIPTEN__)
#include <cstdint>

namespace ordo::cuda::emulator::checker {
std::string place_of_code(const void* code) {
  const auto line = reinterpret_cast<uintptr_t>(code);
  return line ? "yours.cu:" + std::to_string(line) : "?";
}
std::string place_of_function(const void*) { return "?"; }
}  // namespace ordo::cuda::emulator::checker

#elif ORDO_RACE_CHECKER
#include <dlfcn.h>

#include <cstdio>
#include <map>
#include <string_view>

namespace ordo::cuda::emulator::checker {

namespace {
std::string ask(const Dl_info& module, const void* code) {
  char offset[32];
  std::snprintf(
      offset, sizeof offset, "%#lx",
      static_cast<unsigned long>(static_cast<const char*>(code) - static_cast<const char*>(module.dli_fbase) - 1));
  const std::string command = "addr2line -i -e '" + std::string(module.dli_fname) + "' " + offset + " 2>/dev/null";
  std::string place = "?";
  FILE* answer = popen(command.c_str(), "r");
  if (!answer) return place;
  char line[1024];
  while (std::fgets(line, sizeof line, answer)) {
    std::string_view text = line;
    text = text.substr(0, text.find_first_of(" \n"));
    const bool outer = text.find("engine/cuda/") == text.npos && text.find("simulators/emulator/") == text.npos &&
                       text.find("/usr/") != 0;
    if (text.empty() || text[0] == '?') continue;
    if (const size_t slash = text.rfind('/'); slash != text.npos) text.remove_prefix(slash + 1);
    if (place == "?" || outer) place = text;
    if (outer) break;
  }
  pclose(answer);
  return place;
}
}  // namespace

std::string place_of_code(const void* code) {
  static std::map<const void*, std::string> known;
  auto [at, is_new] = known.try_emplace(code);
  if (is_new) {
    Dl_info module;
    at->second = dladdr(code, &module) ? ask(module, code) : "?";
  }
  return at->second;
}

std::string place_of_function(const void* function) { return place_of_code(static_cast<const char*>(function) + 1); }

}  // namespace ordo::cuda::emulator::checker
#endif

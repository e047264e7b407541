#include "check.h"

#include <ordo/engine/calls/error.h>
#include <ordo/engine/cuda/cuda.h>

#include <unistd.h>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <algorithm>
#include <set>

#if ORDO_EMULATED
#include <ordo/simulators/emulator/checker.h>
#include <ordo/simulators/emulator/code_place.h>
#include <ordo/simulators/emulator/recording.h>
#include <ordo/simulators/emulator/scheduler.h>
#include <ordo/simulators/emulator/streams.h>
#endif

namespace ordo::cuda {
void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
#if ORDO_EMULATED
  emulator::throw_failure();  // what a kernel met with
#endif
  throw CudaError(std::string("[cuda] ") + what + ": " + cudaGetErrorString(status));
}
}  // namespace ordo::cuda

namespace lesson {

FILE* g_out = stdout;

namespace {
void end_recording() {
#if ORDO_EMULATED
  ordo::cuda::emulator::recording::to_file("");
#endif
}
}  // namespace

void fail(const std::string& verdict, const std::string& what) {
  std::fprintf(g_out, "%s: %s\n", verdict.c_str(), what.c_str());
  std::fflush(g_out);
  end_recording();
  _exit(1);
}

void say(const std::string& line) {
  std::fprintf(g_out, "%s\n", line.c_str());
  std::fflush(g_out);
}

std::string bits_text(float value) {
  char text[48];
  std::snprintf(text, sizeof text, "%.9g (0x%08x)", double(value), std::bit_cast<uint32_t>(value));
  return text;
}

namespace {
std::string bytes_of(const std::vector<float>& v) {
  std::string bytes(v.size() * sizeof(float), 0);
  if (!v.empty()) std::memcpy(bytes.data(), v.data(), bytes.size());
  return bytes;
}
bool same_bits(float a, float b) { return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b); }
std::string times(int n, const char* one, const char* many) { return std::to_string(n) + " " + (n == 1 ? one : many); }
std::vector<const void*> g_writers;  // of what values() has read in this run

// " Floats are added atomically at yours.cu:12."
std::string float_atomics_at() {
  std::set<std::string> places;
#if ORDO_EMULATED
  for (const void* code : ordo::cuda::emulator::checker::float_atomics())
    places.insert(ordo::cuda::emulator::checker::place_of_code(code));
#endif
  std::string text;
  for (const std::string& place : places) text += (text.empty() ? " Floats are added atomically at " : " and ") + place;
  return text.empty() ? text : text + ".";
}
}  // namespace

std::string written_at(const Runs& runs, size_t run, size_t i) {
#if ORDO_EMULATED
  if (i < runs.writers[run].size()) {
    const void* code = runs.writers[run][i];
    if (!code) return " No kernel wrote it.";
    return " It was last written at " + ordo::cuda::emulator::checker::place_of_code(code) + ".";
  }
#endif
  (void)runs, (void)run, (void)i;
  return "";
}

void note_writers(const void* data, size_t count, size_t element_bytes) {
#if ORDO_EMULATED
  for (size_t i = 0; i < count; ++i)
    g_writers.push_back(ordo::cuda::emulator::checker::last_writer(static_cast<const char*>(data) + i * element_bytes));
#endif
  (void)data, (void)count, (void)element_bytes;
}

std::string place_of(const void* function, const char* name) {
#if ORDO_EMULATED
  const std::string place = ordo::cuda::emulator::checker::place_of_function(function);
  if (place != "?") return place + " (" + name + ")";
#endif
  (void)function;
  return name;
}

uint64_t only_seed() {
  const char* text = std::getenv("LESSON_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 0;
}

namespace {
#if ORDO_EMULATED
// Small devices: where a grid is made for the device, its size shows even with little data.
int multiprocessors_of(uint64_t seed) { return 1 + int(seed * 3 % 7); }

void begin_schedule(uint64_t seed, int multiprocessors) {
  namespace emulator = ordo::cuda::emulator;
  emulator::restart();
  emulator::options().seed = seed;
  emulator::options().resident = 0;
  emulator::options().multiprocessors = multiprocessors;
  emulator::options().preempt = 0;  // else a schedule would depend on which accesses a compiler keeps
}
#endif

void print(const std::vector<float>& result) {
  constexpr size_t kMost = 12;
  std::string text = "The schedule of seed " + std::to_string(only_seed()) + " gave";
  for (size_t i = 0; i < std::min(kMost, result.size()); ++i) text += "\n  " + bits_text(result[i]);
  if (result.size() > kMost) text += "\n  and " + std::to_string(result.size() - kMost) + " more";
  say(text);
}
}  // namespace

Runs run_schedules(const std::function<std::vector<float>()>& run) {
  Runs runs;
  runs.run = run;
  std::set<std::string> seen;
  for (uint64_t i = 0; i < (only_seed() ? 1 : kSchedules); ++i) {
#if ORDO_EMULATED
    namespace emulator = ordo::cuda::emulator;
    const uint64_t seed = only_seed() ? only_seed() : i + 1;
    begin_schedule(seed, multiprocessors_of(seed));
    const uint64_t before = emulator::stats().float_atomics;
    emulator::checker::take_work();
#endif
    g_writers.clear();
    runs.results.push_back(run());
    if (g_writers.size() != runs.results.back().size()) g_writers.clear();
    runs.writers.push_back(g_writers);
    seen.insert(bytes_of(runs.results.back()));
#if ORDO_EMULATED
    runs.float_atomics = emulator::stats().float_atomics - before;
    const emulator::checker::Work work = emulator::checker::take_work();
    runs.in_a_row = work.in_a_row;
    runs.busiest_at = work.at ? " at " + emulator::checker::place_of_code(work.at) : "";
#endif
  }
  runs.distinct = int(seen.size());
  if (only_seed()) {
    print(runs.first());
    return runs;
  }
#if ORDO_EMULATED
  say(std::to_string(kSchedules) + " schedules gave " + times(runs.distinct, "result", "different results") +
      ", with " + times(int(runs.float_atomics), "atomic addition", "atomic additions") +
      " of floats in each. The busiest threads used memory " + times(int(runs.in_a_row), "time", "times") +
      ", one after the other.");
#else
  say(std::to_string(kSchedules) + " runs gave " + times(runs.distinct, "result", "different results") + ".");
#endif
  return runs;
}

namespace {
void expect_size(size_t is, size_t must) {
  if (is != must)
    fail("WRONG RESULT", "there are " + std::to_string(is) + " numbers; it must be " + std::to_string(must) + ".");
}
}  // namespace

void expect_close(const Runs& runs, const std::vector<double>& reference, const std::vector<double>& tolerance) {
  for (size_t run = 0; run < runs.results.size(); ++run) {
    const std::vector<float>& result = runs.results[run];
    expect_size(result.size(), reference.size());
    for (size_t i = 0; i < result.size(); ++i)
      if (!(std::abs(double(result[i]) - reference[i]) <= tolerance[i])) {
        char text[160];
        std::snprintf(text, sizeof text, "element %zu is %.9g; the plain reference, in double, is %.9g.", i,
                      double(result[i]), reference[i]);
        fail("WRONG RESULT", text + written_at(runs, run, i));
      }
  }
}

void expect_bits(const std::vector<float>& result, const std::vector<float>& reference, const std::string& place,
                 const std::string& why) {
  expect_size(result.size(), reference.size());
  for (size_t i = 0; i < result.size(); ++i)
    if (!same_bits(result[i], reference[i]))
      fail("WRONG RESULT", "element " + std::to_string(i) + " of " + place + " is " + bits_text(result[i]) +
                               "; it must be " + bits_text(reference[i]) + ": " + why + ".");
}

namespace {
// The same schedules again, on a device of one size: if all agree then, the size decides.
std::string what_decides([[maybe_unused]] const Runs& runs) {
#if ORDO_EMULATED
  std::set<std::string> seen;
  for (uint64_t seed = 1; seed <= kSchedules && seen.size() < 2; ++seed) {
    begin_schedule(seed, 4);
    seen.insert(bytes_of(runs.run()));
  }
  if (seen.size() < 2) return "the number of multiprocessors that the device has";
#endif
  return "the order in which threads run";
}
}  // namespace

void expect_one_result(const Runs& runs) {
  for (size_t run = 0; run < runs.results.size(); ++run)
    for (size_t i = 0; i < runs.results[run].size(); ++i)
      if (!same_bits(runs.results[run][i], runs.first()[i]))
        fail("ORDER", "the bits depend on " + what_decides(runs) + ". Element " + std::to_string(i) + " was " +
                          bits_text(runs.first()[i]) + " and " + bits_text(runs.results[run][i]) + "." +
                          written_at(runs, run, i) + float_atomics_at());
}

void expect_float_atomics(const Runs& runs, uint64_t most) {
  if (runs.float_atomics > most)
    fail("ATOMICS", "there were " + std::to_string(runs.float_atomics) + " atomic additions of floats; at most " +
                        std::to_string(most) + " are allowed." + float_atomics_at());
}

void expect_shared_work(const Runs& runs, uint64_t most) {
  if (runs.in_a_row > most)
    fail("SERIAL", "the busiest threads used memory " + std::to_string(runs.in_a_row) + " times, one after the other" +
                       (runs.busiest_at.empty() ? "" : ", most of them") + runs.busiest_at +
                       ". With the work shared among all threads " + std::to_string(most) +
                       " times are more than enough.");
}

namespace {
// splitmix64
uint64_t mixed(uint64_t i, uint64_t seed) {
  uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull + seed * 0xd1342543de82ef95ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}
}  // namespace

std::vector<int> random_indices(size_t count, int n, uint64_t seed) {
  std::vector<int> v(count);
  for (size_t i = 0; i < count; ++i) v[i] = int(mixed(i, seed) % uint64_t(n));
  return v;
}

std::vector<float> random_floats(size_t count, uint64_t seed) {
  std::vector<float> v(count);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t bits = mixed(i, seed + 1000);
    v[i] = std::ldexp(float(bits & 0x7fffff) / 8388608 + 0.5f, int(bits >> 24 & 7) - 4) * (bits >> 28 & 1 ? 1.f : -1.f);
  }
  return v;
}

Reference reference_sums(const std::vector<int>& destination, const std::vector<float>& values, int destinations) {
  const size_t n = size_t(destinations);
  Reference r{std::vector<double>(n), std::vector<double>(n)};
  std::vector<double> counts(n);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t d = size_t(destination[i]);
    r.sums[d] += double(values[i]);
    r.tolerance[d] += std::abs(double(values[i]));
    counts[d] += 1;
  }
  for (size_t d = 0; d < n; ++d) r.tolerance[d] *= counts[d] * std::ldexp(1.0, -24);
  return r;
}

const char* verdict_of(const std::string& message) {
  static const std::pair<const char*, const char*> words[] = {{"checker saw no access", "NOTHING DONE"},
                                                              {"data race", "RACE"},
                                                              {"out of bounds", "OUT OF BOUNDS"},
                                                              {"host memory", "HOST MEMORY"},
                                                              {"nobody wrote", "UNWRITTEN MEMORY"},
                                                              {"livelock", "ENDLESS LOOP"},
                                                              {"deadlock", "BARRIER"},
                                                              {"__syncthreads", "BARRIER"},
                                                              {"warp operation", "BARRIER"}};
  for (auto [part, verdict] : words)
    if (message.find(part) != std::string::npos) return verdict;
  return "ERROR";
}

const char* explanation(const std::string_view verdict) {
  return verdict == "HOST MEMORY"
             ? "\n  It is in no array of the device and in no shared variable: an index far outside of "
               "one, or a pointer of the host."
             : "";
}

namespace {
#if ORDO_EMULATED
void host_uses_device(ordo::cuda::emulator::checker::Kind kind, const void* code) {
  namespace checker = ordo::cuda::emulator::checker;
  fail("HOST CODE", std::string(kind == checker::Kind::read ? "a read" : "a write") + " of the device's memory at " +
                        checker::place_of_code(code) +
                        ", which is no kernel's. The host cannot reach that memory: a kernel must do it.");
}
#endif
}  // namespace

int judge(void (*check)()) {
#if ORDO_EMULATED
  ordo::cuda::emulator::checker::g_host_uses_device = host_uses_device;
#endif
  try {
    check();
  } catch (const std::exception& error) {
    std::string message = error.what();
    const std::string from = "[emulator] ";
    if (message.compare(0, from.size(), from) == 0) message.erase(0, from.size());
    fail(verdict_of(message), message + explanation(verdict_of(message)));
  }
  end_recording();
  if (only_seed()) {
    say("ONE SCHEDULE: it ended without an error, which is no verdict. Without --seed all 20 are judged.");
    return kLooked;
  }
  say("DONE");
  return kDone;
}

}  // namespace lesson

#if ORDO_EMULATED
// The learner's calls of these come here (build.py): the compiler reports no access of theirs.
extern "C" {
void* lesson_memset(void* to, int value, size_t bytes) {
  ordo::cuda::emulator::checker::access(to, bytes, ordo::cuda::races::Kind::write, ORDO_CALLER);
  return std::memset(to, value, bytes);
}
void* lesson_memmove(void* to, const void* from, size_t bytes) {
  ordo::cuda::emulator::checker::access(from, bytes, ordo::cuda::races::Kind::read, ORDO_CALLER);
  ordo::cuda::emulator::checker::access(to, bytes, ordo::cuda::races::Kind::write, ORDO_CALLER);
  return std::memmove(to, from, bytes);
}
void* lesson_memcpy(void* to, const void* from, size_t bytes) __attribute__((alias("lesson_memmove")));
}
#endif

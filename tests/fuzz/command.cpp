// fuzzers and fuzz_command: see fuzz.h.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <ordo/ordo.h>
#include "tests/fuzz/fuzz.h"

namespace ordo::test {
namespace {

int usage() {
  std::fputs("usage: ordo_tests fuzz [NAME] [--device D] [--seconds N] [--programs N] [--seed N]\n\n", stderr);
  for (const auto& [name, fuzzer] : fuzzers()) std::fprintf(stderr, "  %-10s %s\n", name.c_str(), fuzzer.summary);
  return 2;
}

bool run(const std::string& name, const Fuzzer& fuzzer, Device device, uint64_t seed, uint64_t programs,
         double seconds) {
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  uint64_t done = 0, complete = 0;
  for (; done < programs && elapsed() < seconds; ++done) {
    const FuzzResult result = fuzzer.run(seed + done, device);
    if (!result.failure.empty()) {
      std::printf("%s: %s\nreplay: ordo_tests fuzz %s --device %s --seed %llu --programs 1\n", name.c_str(),
                  result.failure.c_str(), name.c_str(), device.str().c_str(),
                  static_cast<unsigned long long>(seed + done));
      return false;
    }
    complete += result.complete;
  }
  std::printf("%s on %s: %llu programs from seed %llu, %llu of them to the end, in %.1f s; none failed\n", name.c_str(),
              device.str().c_str(), static_cast<unsigned long long>(done), static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(complete), elapsed());
  return true;
}

}  // namespace

const std::map<std::string, Fuzzer>& fuzzers() {
  static const std::map<std::string, Fuzzer> all = {
      {"calls",
       {"operations with bent inputs: a result that repeats, or an error of the library; changes in place are noticed",
        1500, fuzz_calls}},
      {"products", {"products by `exact`, byte for byte by ordering rule 5", 400, fuzz_products, true}},
      {"sums", {"sums by `exact`, byte for byte by ordering rule 5", 300, fuzz_sums, true}},
      {"views", {"views, in-place and ordinary operations, values, gradients and second gradients", 2000, fuzz_views}},
  };
  return all;
}

int fuzz_command(const std::vector<std::string>& arguments) {
  std::string only;
  uint64_t seed = 0, programs = UINT64_MAX;
  double seconds = -1;
  Device device("cpu");
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (!argument.starts_with("--")) {
      if (!only.empty() || !fuzzers().contains(argument)) return usage();
      only = argument;
      continue;
    }
    char* end = nullptr;
    if (i + 1 == arguments.size()) return usage();
    const char* text = arguments[++i].c_str();
    if (argument == "--device") try {
        device = Device(text);
        zeros({1}, device);
        continue;
      } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
      }
    if (argument == "--seconds")
      seconds = std::strtod(text, &end);
    else if (argument == "--programs")
      programs = std::strtoull(text, &end, 10);
    else if (argument == "--seed")
      seed = std::strtoull(text, &end, 10);
    else
      return usage();
    if (end == text || *end) return usage();
  }
  if (!only.empty() && !device.is_cpu() && !fuzzers().at(only).on_cuda) return usage();
  if (seconds < 0) seconds = programs == UINT64_MAX ? 60 : 1e9;
  bool good = true;
  for (const auto& [name, fuzzer] : fuzzers())
    if ((only.empty() || only == name) && (device.is_cpu() || fuzzer.on_cuda))
      good = run(name, fuzzer, device, seed, programs, seconds) && good;
  return good ? 0 : 1;
}

}  // namespace ordo::test

#include "bench/results.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <ordo/engine/files.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace ordo::bench {

namespace {

constexpr const char* kFormat = "ordo bench";
constexpr int kVersion = 1;

// The value of the first line of /proc/cpuinfo or the like that starts with `key`.
std::string line_of(const char* file, std::string_view key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with(key)) {
      const size_t start = line.find_first_not_of(" \t:=\"", key.size());
      const size_t end = line.find_last_not_of(" \t\"");
      return start == std::string::npos ? "" : line.substr(start, end - start + 1);
    }
  return {};
}

// What a program prints, its first line; empty when it fails.
std::string output_of(const std::string& command) {
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (!pipe) return {};
  char text[256] = "";
  const bool any = fgets(text, sizeof text, pipe) != nullptr;
  const bool well = pclose(pipe) == 0;
  std::string line = any && well ? text : "";
  while (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

// How many programs want to run, on average over the last minute: times measured beside others say less.
double load() {
  double loads[1] = {0};
  return getloadavg(loads, 1) == 1 ? loads[0] : 0;
}

double rounded(double value) {
  return value == 0 || !std::isfinite(value) ? value : std::stod(fmt::format("{:.5g}", value));
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const double place = share * double(values.size() - 1);
    const size_t below = size_t(place), above = std::min(below + 1, values.size() - 1);
    return values[below] + (values[above] - values[below]) * (place - double(below));
  };
  if (values.empty()) return {};
  return {values.front(), at(0.25), at(0.5), at(0.75), values.back(), int(values.size())};
}

bool multiplies_bfloat16() {
  const std::string flags = line_of("/proc/cpuinfo", "flags");
  return flags.find("avx512_bf16") != std::string::npos || flags.find("amx_bf16") != std::string::npos;
}

Json describe(const std::vector<std::string>& command) {
  Json libraries = Json::object(), list = Json::array();
  for (const LibraryVersion& l : ordo::libraries()) libraries[l.name] = l.version;
  for (const DeviceDescription& d : devices())
    list.push_back({{"device", d.device.str()}, {"name", d.name}, {"memory_bytes", d.memory_bytes}});
  std::string line;
  for (const std::string& word : command) line += (line.empty() ? "" : " ") + word;
  return {{"format", kFormat},
          {"version", kVersion},
          {"command", line},
          {"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
          {"commit", output_of("git -C '" ORDO_BENCH_SOURCE "' describe --always --dirty --abbrev=12")},
          {"ordo", version()},
          {"cuda", cuda::build()},
          {"libraries", libraries},
          {"machine",
           {{"processor", line_of("/proc/cpuinfo", "model name")},
            {"cores", std::thread::hardware_concurrency()},
            {"memory", line_of("/proc/meminfo", "MemTotal")},
            {"system", line_of("/etc/os-release", "PRETTY_NAME")},
            {"devices", list}}},
          {"threads", num_threads()},
          {"load", load()}};
}

Json to_json(const Row& row, Device device, const Measured& measured) {
  Json one{{"name", row.name(measured.path, device)},
           {"family", row.text("family")},
           {"op", row.operation()},
           {"path", measured.path},
           {"device", device.is_cpu() ? "cpu" : "cuda"},
           {"dtype", row.text("dtype")},
           {"distribution", row.distribution()},
           {"shape", row.shape()},
           {"row", row.values}};
  if (!measured.error.empty()) {
    one["error"] = measured.error;
    return one;
  }
  const Spread s = spread_of(measured.ms);
  one["ms"] = {{"least", rounded(s.least)}, {"low", rounded(s.low)},   {"median", rounded(s.median)},
               {"high", rounded(s.high)},   {"most", rounded(s.most)}, {"repeats", s.repeats}};
  if (measured.bytes > 0) {
    one["bytes"] = measured.bytes;
    one["bytes_per_second"] = rounded(measured.bytes / (s.median / 1e3));
  }
  one["patterns"] = {{"distinct", measured.patterns.size()}, {"repeats", measured.compared}};
  if (measured.max_ulp >= 0 && std::isfinite(measured.max_ulp)) one["max_ulp"] = rounded(measured.max_ulp);
  return one;
}

Json read_results(const std::string& file) {
  detail::expect_file("bench", file);
  std::ifstream stream(file);
  const Json root = Json::parse(stream, nullptr, false);
  if (root.is_discarded()) throw DataError(fmt::format("[bench] {} is not JSON", file));
  const auto foreign = [&](std::string_view why) {
    throw DataError(fmt::format("[bench] {} was not written by `ordo bench --json`: {}", file, why));
  };
  if (!root.is_object() || !root.contains("format") || root.at("format") != kFormat) foreign("it does not say so");
  if (!root.contains("version") || root.at("version") != kVersion)
    foreign(fmt::format("this program reads version {} only", kVersion));
  if (!root.contains("results") || !root.at("results").is_array()) foreign("there are no results");
  for (const Json& r : root.at("results")) {
    const auto numbers = [&](const char* object, std::initializer_list<const char*> keys) {
      if (!r.contains(object) || !r.at(object).is_object()) return false;
      for (const char* key : keys)
        if (!r.at(object).contains(key) || !r.at(object).at(key).is_number()) return false;
      return true;
    };
    const bool named = r.is_object() && r.contains("name") && r.at("name").is_string() && r.contains("path") &&
                       r.at("path").is_string();
    if (!named ||
        !(r.contains("error") || (numbers("ms", {"low", "median", "high"}) && numbers("patterns", {"distinct"}))))
      foreign("a result has no name, path, times or patterns");
  }
  return root;
}

}  // namespace ordo::bench

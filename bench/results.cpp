#include "bench/results.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <ordo/engine/run/files.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
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

/// The value below which a share of the sorted values lies.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * double(sorted.size() - 1);
  const size_t below = size_t(place), above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - double(below));
}

}  // namespace

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
  std::vector<double> ms = measured.ms;
  std::sort(ms.begin(), ms.end());
  const std::pair<const char*, double> quantiles[] = {
      {"least", 0}, {"low", 0.25}, {"median", 0.5}, {"high", 0.75}, {"most", 1}};
  for (const auto& [name, share] : quantiles) one["ms"][name] = rounded(ms.empty() ? 0 : quantile(ms, share));
  one["ms"]["repeats"] = ms.size();
  if (measured.bytes > 0) {
    one["bytes"] = measured.bytes;
    one["bytes_per_second"] = rounded(measured.bytes / (one["ms"]["median"].get<double>() / 1e3));
  }
  one["patterns"] = {{"distinct", measured.patterns.size()}, {"repeats", measured.compared}};
  if (measured.max_ulp >= 0 && std::isfinite(measured.max_ulp)) one["max_ulp"] = rounded(measured.max_ulp);
  return one;
}

Json read_results(const std::string& file) {
  detail::expect_file("bench", file);
  std::ifstream stream(file);
  const Json root = Json::parse(stream, nullptr, false);
  const bool known =
      root.is_object() && root.value("format", Json()) == kFormat && root.value("version", Json()) == kVersion;
  if (!known || !root.value("results", Json()).is_array())
    throw DataError(
        fmt::format("[bench] {} was not written by `ordo bench --json`, or by another version of it", file));
  return root;
}

Json control_of(const Json& results) {
  constexpr int kLeastRows = 20;  // fewer say nothing of the bias
  constexpr double kMostBias = 0.03;
  const auto key = [](const Json& r) { return r.value("device", "") + r.at("row").dump(); };
  const auto median = [](const Json& r) { return r.at("ms").at("median").get<double>(); };
  const auto judged = [](const Json& r, const char* path) {
    if (r.at("path") != path || !r.contains("ms") || !r.contains("row")) return false;
    const OpInfo* op = find_op(r.at("row").value("op", ""));
    return op && std::all_of(op->algorithms.begin(), op->algorithms.end(),
                             [](const AlgorithmLevel& a) { return a.algorithm == Algorithm::direct; });
  };
  std::map<std::string, double> fast;  // by device and row
  for (const Json& r : results)
    if (judged(r, "not_guaranteed")) fast[key(r)] = median(r);
  int rows = 0;
  double logarithms = 0;
  for (const Json& r : results)
    if (const auto at = judged(r, "run_to_run") ? fast.find(key(r)) : fast.end(); at != fast.end()) {
      logarithms += std::log(median(r) / at->second);
      ++rows;
    }
  const double ratio = rows > 0 ? std::exp(logarithms / rows) : 1;
  const bool biased = rows >= kLeastRows && std::abs(ratio - 1) > kMostBias;
  std::string text =
      fmt::format("deterministic / fast is {:.3f} over {} rows that run the same code at both levels", ratio, rows);
  if (rows < kLeastRows) text += fmt::format("; {} rows are needed to know the bias of a file", kLeastRows);
  if (biased)
    text +=
        fmt::format(", and further from 1 than {}: the machine was not quiet, or the measurement is biased", kMostBias);
  return {{"rows", rows}, {"ratio", ratio}, {"biased", biased}, {"text", text}};
}

}  // namespace ordo::bench

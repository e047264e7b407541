#include "bench/suite.h"

#include <fmt/format.h>
#include <ordo/engine/run/files.h>
#include <ordo/nn/state/whole_file.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "bench/peer.h"
#include "bench/results.h"
#include "tools/demo/progress.h"
#include "tools/ordo/say.h"

namespace ordo::bench {

namespace {

// PyTorch in processes of its own. oneDNN, which multiplies its bfloat16, reads the setting.
const char* const kWithout = "pytorch_without_bfloat16";
const char* const kWithoutSetting = "ONEDNN_MAX_CPU_ISA=AVX512_CORE";
const char* const kPeerPaths[] = {"pytorch", "pytorch_deterministic", kWithout};

bool has_path(const Row& row, Device device, const std::string& peer_path) {
  if (peer_path != kWithout) return true;
  return device.is_cpu() && row.text("family") == "matmul" && row.dtype() == bfloat16 && multiplies_bfloat16();
}

struct Peers {
  std::unique_ptr<Peer> usual, without;
  Peer& of(const std::string& path) const { return path == kWithout ? *without : *usual; }
};

// The wanted paths of a row, in turn, round after round. Whoever comes first in a round may find caches and cores as
// the peer left them: every path does in turn, and the row is run for a while before.
Json measure_row(const Row& row, const std::vector<Path>& paths, const std::vector<std::string>& peer_paths,
                 Device device, const Peers& peers, const Effort& effort, size_t number) {
  std::vector<Measured> ours(paths.size()), theirs(peers.usual ? peer_paths.size() : 0);
  const auto fail = [](Measured& m, const std::string& path, const Error& error) {
    m.path = path, m.error = error.what();
  };
  std::unique_ptr<RowRun> run;
  try {
    run = std::make_unique<RowRun>(row, device, effort);
  } catch (const OutOfMemoryError& error) {
    for (size_t i = 0; i < ours.size(); ++i) fail(ours[i], paths[i].name, error);
  }
  for (int round = 0; round < effort.rounds; ++round) {
    for (size_t turn = 0; turn < ours.size(); ++turn) {
      const size_t i = (number + size_t(round) + turn) % ours.size();
      try {
        if (!ours[i].error.empty()) continue;
        if (turn == 0) run->warm_up(paths[i]);
        run->measure(paths[i], ours[i]);
      } catch (const OutOfMemoryError& error) {
        fail(ours[i], paths[i].name, error);
      } catch (const NondeterministicError& error) {
        fail(ours[i], paths[i].name, error);
      }
    }
    for (size_t i = 0; i < theirs.size(); ++i) peers.of(peer_paths[i]).measure(row, peer_paths[i], theirs[i]);
  }
  run.reset();
  Json entries = Json::array();
  for (const Measured& m : ours) entries.push_back(to_json(row, device, m));
  for (Measured& m : theirs) {
    m.bytes = ours.empty() ? 0 : ours[0].bytes;  // the same operation
    entries.push_back(to_json(row, device, m));
  }
  return entries;
}

const Json* entry_of(const Json& entries, std::initializer_list<const char*> paths) {
  for (const char* path : paths)
    for (const Json& entry : entries)
      if (entry.at("path") == path) return &entry;
  return nullptr;
}

std::string time_text(const Json* entry) {
  if (!entry) return "";
  if (entry->contains("error"))
    return entry->at("error").get<std::string>().starts_with("the peer") ? "ended" : "throws";
  return fmt::format("{:.3f}", entry->at("ms").at("median").get<double>());
}

constexpr const char* kLine = "{:<22} {:<18} {:<8} {:<13} {:>8} {:>8} {:>5} {:>8} {:>8} {:>8} {:>8}\n";

void print_head() {
  const auto print = [](auto... words) { say(fmt::runtime(kLine), words...); };
  print("operation", "shape", "dtype", "values", "fast", "determ.", "ratio", "patterns", "exact", "PyTorch",
        "its det.");
}

void print_row(const Json& entries) {
  const Json *fast = entry_of(entries, {"atomic", "not_guaranteed"}), *ordered = entry_of(entries, {"run_to_run"});
  const auto word = [&](const char* key) { return entries.at(0).at(key).get<std::string>(); };
  const auto patterns = [](const Json* entry) {
    return entry && entry->contains("patterns") ? std::to_string(entry->at("patterns").at("distinct").get<int>()) : "";
  };
  std::string ratio;
  if (fast && ordered && fast->contains("ms") && ordered->contains("ms"))
    ratio =
        fmt::format("{:.2f}", ordered->at("ms").at("median").get<double>() / fast->at("ms").at("median").get<double>());
  say(fmt::runtime(kLine), word("op"), word("shape"), word("dtype"), word("distribution"), time_text(fast),
      time_text(ordered), ratio, patterns(fast) + "/" + patterns(ordered),
      time_text(entry_of(entries, {"exact", "device_to_device"})), time_text(entry_of(entries, {"pytorch"})),
      time_text(entry_of(entries, {"pytorch_deterministic"})));
  if (const Json* without = entry_of(entries, {"pytorch_without_bfloat16"}))
    say("  PyTorch without the processor's instructions for bfloat16: {}\n", time_text(without));
  std::fflush(stdout);
}

// A run that is ended leaves a whole file. A line for each result.
void save(const Json& file, const std::string& name, bool only_try = false) {
  if (name.empty()) return;
  if (!detail::place_to_write("bench", name).replaceable)
    throw DataError(fmt::format("[bench] {}: must be a file, as each row of results replaces it", name));
  nn::WholeFile whole(name, "bench");
  if (only_try) return;
  std::ostringstream out;
  out << "{";
  for (const auto& [key, value] : file.items()) {
    if (key == "results") continue;
    out << Json(key) << ": " << value << ",\n";
  }
  out << "\"results\": [";
  const char* separator = "\n";
  if (file.contains("results"))
    for (const Json& result : file.at("results")) out << std::exchange(separator, ",\n") << result;
  out << "\n]}\n";
  whole.write(out.str());
  whole.commit();
}

}  // namespace

void run_suite(const Suite& suite, Json& file) {
  save(file, suite.json, /*only_try=*/true);
  struct Job {
    const Row* row;
    Device device;
    std::vector<Path> paths;
    std::vector<std::string> peer_paths;
  };
  std::vector<Job> jobs;
  for (const Device device : suite.devices)
    for (const Row& row : suite.rows) {
      const auto wanted = [&](const std::string& path) {
        return std::regex_search(row.name(path, device), suite.filter);
      };
      Job job{&row, device, {}, {}};
      for (const Path& path : row.paths())
        if (wanted(path.name)) job.paths.push_back(path);
      for (const char* path : kPeerPaths)
        if (suite.peers && wanted(path) && has_path(row, device, path)) job.peer_paths.push_back(path);
      if (!job.paths.empty() || !job.peer_paths.empty()) jobs.push_back(job);
    }
  if (jobs.empty())
    throw ValueError("[bench] the filter matches no benchmark; names look like " +
                     suite.rows.at(0).name("run_to_run", suite.devices.at(0)));

  // What an earlier run has measured stays.
  std::set<std::string> measured;
  if (file.contains("results"))
    for (const Json& r : file["results"]) measured.insert(r.at("name"));
  std::erase_if(jobs, [&](const Job& job) {
    const std::string path = job.paths.empty() ? job.peer_paths[0] : job.paths[0].name;
    return measured.contains(job.row->name(path, job.device));
  });

  file["effort"] = {
      {"repeats", suite.effort.repeats}, {"seconds", suite.effort.seconds}, {"rounds", suite.effort.rounds}};
  for (const char* key : {"bandwidth", "peers"})
    if (!file.contains(key)) file[key] = Json::object();
  for (const char* key : {"notes", "results"})
    if (!file.contains(key)) file[key] = Json::array();
  demo::ProgressBar bar("bench");
  const auto add_note = [&](const std::string& note) {
    file["notes"].push_back(note);
    bar.clear();
    say("{}\n", note);
  };
  const double load = file.at("load"), cores = file.at("machine").at("cores");
  if (load > cores / 2)
    add_note(fmt::format("the machine is busy (load {:.1f} on {} cores): times say less, those of PyTorch least", load,
                         cores));
  Peers peers;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const Job& job = jobs[i];
    bar.update(double(i) / double(jobs.size()), job.row->operation() + " " + job.row->shape());
    if (i == 0 || job.device != jobs[i - 1].device) {
      file["bandwidth"][job.device.is_cpu() ? "cpu" : "cuda"] = copy_bytes_per_second(job.device);
      peers = {};
      std::string note;
      if (suite.peers && !(job.device.is_cuda() && cuda::build() == "emulated"))
        peers.usual = Peer::start("pytorch.py", job.device, suite.effort, note);
      if (peers.usual) file["peers"][job.device.is_cpu() ? "cpu" : "cuda"] = peers.usual->version();
      if (!note.empty()) add_note(fmt::format("no peer on {}: {}", job.device.str(), note));
    }
    std::vector<std::string> peer_paths = job.peer_paths;
    const bool asks = std::find(peer_paths.begin(), peer_paths.end(), kWithout) != peer_paths.end();
    if (std::string note; asks && peers.usual && !peers.without) {
      peers.without = Peer::start("pytorch.py", job.device, suite.effort, note, kWithoutSetting);
      if (!peers.without) add_note(note);
    }
    if (!peers.without) std::erase(peer_paths, kWithout);
    const Json entries = measure_row(*job.row, job.paths, peer_paths, job.device, peers, suite.effort, i);
    for (const Json& entry : entries) file["results"].push_back(entry);
    file["control"] = control_of(file["results"]);
    bar.clear();
    if (i == 0) print_head();
    print_row(entries);
    save(file, suite.json);
  }
  bar.update(1);
  save(file, suite.json);
  bar.clear();
  if (const Json control = control_of(file["results"]); control.at("rows") > 0)
    say("\nControl: {}.\n", control.at("text").get<std::string>());
}

}  // namespace ordo::bench

#include "bench/suite.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/peer.h"

namespace ordo::bench {

namespace {

const char* const kPeerPaths[] = {"pytorch", "pytorch_deterministic"};

// The wanted paths of a row, in turn, round after round.
Json measure_row(const Row& row, const std::vector<Path>& paths, const std::vector<std::string>& peer_paths,
                 Device device, Peer* peer, const Effort& effort) {
  std::vector<Measured> ours(paths.size()), theirs(peer ? peer_paths.size() : 0);
  {
    RowRun run(row, device, effort);
    for (int round = 0; round < effort.rounds; ++round) {
      for (size_t i = 0; i < ours.size(); ++i) run.measure(paths[i], ours[i]);
      for (size_t i = 0; i < theirs.size(); ++i) peer->measure(row, peer_paths[i], theirs[i]);
    }
  }
  Json entries = Json::array();
  for (const Measured& m : ours) entries.push_back(to_json(row, device, m));
  for (Measured& m : theirs) {
    m.bytes = ours.empty() ? 0 : ours[0].bytes;  // the same operation
    entries.push_back(to_json(row, device, m));
  }
  return entries;
}

}  // namespace

void run_suite(const Suite& suite, Json& file) {
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
        if (suite.peers && wanted(path)) job.peer_paths.push_back(path);
      if (!job.paths.empty() || !job.peer_paths.empty()) jobs.push_back(job);
    }
  if (jobs.empty())
    throw ValueError("[bench] the filter matches no benchmark; names look like " +
                     suite.rows.at(0).name("run_to_run", suite.devices.at(0)));

  file["effort"] = {
      {"repeats", suite.effort.repeats}, {"seconds", suite.effort.seconds}, {"rounds", suite.effort.rounds}};
  file["bandwidth"] = Json::object();
  file["peers"] = Json::object();
  file["notes"] = Json::array();
  file["results"] = Json::array();
  const auto add_note = [&](const std::string& note) {
    file["notes"].push_back(note);
    suite.on_note(note);
  };
  const double load = file.at("load"), cores = file.at("machine").at("cores");
  if (load > cores / 2)
    add_note(fmt::format("the machine is busy (load {:.1f} on {} cores): times say less, those of PyTorch least", load,
                         cores));
  std::unique_ptr<Peer> peer;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const Job& job = jobs[i];
    suite.on_progress(double(i) / double(jobs.size()), job.row->operation() + " " + job.row->shape());
    if (i == 0 || job.device != jobs[i - 1].device) {
      file["bandwidth"][job.device.is_cpu() ? "cpu" : "cuda"] = copy_bytes_per_second(job.device);
      peer.reset();
      std::string note;
      if (suite.peers && cuda::build() != "emulated") peer = Peer::start("pytorch.py", job.device, suite.effort, note);
      if (peer) file["peers"][job.device.is_cpu() ? "cpu" : "cuda"] = peer->version();
      if (!note.empty()) add_note(fmt::format("no peer on {}: {}", job.device.str(), note));
    }
    const Json entries = measure_row(*job.row, job.paths, job.peer_paths, job.device, peer.get(), suite.effort);
    for (const Json& entry : entries) file["results"].push_back(entry);
    suite.on_row(entries);
  }
  suite.on_progress(1, "");
}

}  // namespace ordo::bench

// Another library, measured by a program of its own that answers every row with a line of JSON (bench/peers/).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/measure.h"

namespace ordo::bench {

class Peer {
 public:
  /// The first interpreter in which the peer starts, with `setting` ("NAME=value") in its environment if that is not
  /// empty; null when there is none, and `note` says why.
  static std::unique_ptr<Peer> start(const std::string& script, Device device, const Effort& effort, std::string& note,
                                     const std::string& setting = {});
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  const std::string& version() const { return version_; }  ///< "PyTorch 1.13.0"
  /// One round of that path of the row.
  void measure(const Row& row, const std::string& path, Measured& measured);

 private:
  Peer() = default;
  bool launch(const std::string& python, const std::string& script, Device device, const Effort& effort,
              const std::string& setting);
  bool read_line(std::string& line);

  int process_ = -1, to_ = -1;
  FILE* from_ = nullptr;
  std::string version_;
};

}  // namespace ordo::bench

// Time, bits and error of one row.
#pragma once

#include <ordo/engine/run/emulation.h>

#include <set>
#include <string>
#include <vector>

#include "bench/cases.h"

namespace ordo::bench {

struct Effort {
  int repeats = 100;   ///< of every path
  double seconds = 3;  ///< for one path: fewer repeats when they would take longer, at least five
  int rounds = 3;      ///< repeats are spread over so many turns, in which paths and peers alternate
};

/// What one path of a row gave; a peer gives the same.
struct Measured {
  std::string path;
  std::vector<double> ms;          ///< of one run, for every repeat
  std::set<std::string> patterns;  ///< digests of the results' bytes
  int compared = 0;                ///< how many repeats' results were compared
  int batch = 0;                   ///< runs in a repeat
  double max_ulp = -1;             ///< largest error, -1: not measured
  double bytes = 0;                ///< that one run at least reads and writes; 0: not known
  std::string error;               ///< why there is none of this
};

/// A row's data on a device, and what comes out of it.
class RowRun {
 public:
  RowRun(const Row& row, Device device, const Effort& effort);
  /// Runs it for 50 ms: threads of a peer that still spin have gone to sleep then.
  void warm_up(const Path& path);
  /// Repeats of one round, appended to `measured`.
  void measure(const Path& path, Measured& measured);

 private:
  void reset();
  double max_ulp(const TensorList& result);
  Case& next() { return cases_[size_t(calls_++) % cases_.size()]; }

  Row row_;
  Device device_;
  Effort effort_;
  std::vector<Case> cases_;  ///< on CUDA as many as exceed the cache
  int64_t calls_ = 0;
  TensorList reference_;
};

/// What one path of a row does on the PTX machine: the counts of its kernels, with inputs that are in no cache, and the
/// bytes of what it reads and writes.
struct KernelWork {
  std::vector<cuda::KernelCounts> kernels;
  double bytes = 0;
};
KernelWork count_kernels(const Row& row, const Path& path, Device device);

/// Bytes read and written per second by a copy of 256 MiB.
double copy_bytes_per_second(Device device);

}  // namespace ordo::bench

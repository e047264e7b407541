// What the places of one side of an axis read of its other side, as runs of equal steps whose loops vectorise: the
// table behind pooling, padding, unfold and fold on the CPU. Internal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ordo/kernels/windows/windows.h>

namespace ordo::kernels {

/// Places that are computed together; their sums stay in the first-level cache.
inline constexpr int64_t kRunBlock = 512;

/// The places [begin, end) and what they read; in the runs, places count from `begin`.
struct RunBlock {
  int64_t begin, end;
  std::vector<AxisRun> runs;
};

/// All places of one side, each of which reads at most `most` times.
class AxisRuns {
 public:
  AxisRuns(int64_t places, int64_t most);
  /// A place reads in the order in which its runs were added.
  void add(AxisRun run);
  int64_t places() const { return places_; }
  int64_t most() const { return most_; }
  const std::vector<RunBlock>& blocks() const { return blocks_; }

 private:
  int64_t places_, most_;
  std::vector<RunBlock> blocks_;
};

/// The runs of an axis as a list for each place. Positions are multiplied by `scale`.
class ReadLists {
 public:
  ReadLists(const AxisRuns& runs, int64_t scale);
  std::span<const int64_t> operator[](int64_t place) const {
    const size_t first = size_t(start_[size_t(place)]), last = size_t(start_[size_t(place) + 1]);
    return std::span(reads_).subspan(first, last - first);
  }
  int64_t places() const { return int64_t(start_.size()) - 1; }

 private:
  std::vector<int64_t> start_, reads_;
};

/// Element k of the kernel of a sliding window: the outputs that have it inside, and the cells where it is.
AxisRun element_run(const WindowAxis& axis, int64_t k);

/// The cells that each output covers, ascending.
AxisRuns cells_of_outputs(const WindowAxis& axis);
/// The outputs that cover each cell, ascending.
AxisRuns outputs_of_cells(const WindowAxis& axis);

}  // namespace ordo::kernels

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <ordo/kernels/accumulate/exact/exact_cells_cpu.h>
#include <ordo/kernels/accumulate/exact/exact_range_cpu.h>
#include <ordo/kernels/accumulate/exact/exact_total_cpu.h>
#include <ordo/kernels/accumulate/shared/sort_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {
namespace {

using exact_detail::round_to;
using exact_detail::round_to_odd;

constexpr size_t kBlock = ValueBlock::kSize;
using Doubles = std::array<double, kBlock>;

/// Whether t, the rounded sum of a and b, is their sum: the larger one's difference from t is exact.
bool is_exact(double a, double b, double t) { return t - a == b && t - b == a; }

/// t + e = a + b, t being the rounded sum (Knuth's TwoSum).
void two_sum(double a, double b, double& t, double& e) {
  t = a + b;
  const double z = t - a;
  e = (a - (t - z)) + (b - z);
}

/// q[k] = before[k] + the sums of all windows, rounded to odd. Finite ones only. Of others, and where a rounding error
/// might matter, is_sure[k] is false; returns whether there are any.
bool total(std::span<const double* const> windows, const Doubles& before, size_t count, Doubles& q,
           std::array<int64_t, kBlock>& is_sure) {
  // What a sum of doubles has rounded away is a double, too (two_sum). The sum of these is not, but its error is far
  // smaller than they are.
  Doubles lost, all_lost;
  for (size_t k = 0; k < count; ++k) two_sum(before[k], windows[0][k], q[k], lost[k]);
  if (windows.size() == 1) {
    for (size_t k = 0; k < count; ++k) is_sure[k] = std::fabs(q[k]) <= std::numeric_limits<double>::max();
  } else {
    for (size_t k = 0; k < count; ++k) all_lost[k] = std::fabs(lost[k]);
    for (const double* window : windows.subspan(1))
      for (size_t k = 0; k < count; ++k) {
        double more;
        two_sum(q[k], window[k], q[k], more);
        lost[k] += more;
        all_lost[k] += std::fabs(more);
      }
    // At most 16 additions, each off by 2^-53 of all that was lost: the rest's sign is sure if it is larger than that.
    for (size_t k = 0; k < count; ++k) {
      two_sum(q[k], lost[k], q[k], lost[k]);
      const int64_t finite = std::fabs(q[k]) <= std::numeric_limits<double>::max();
      const int64_t has_sign = std::fabs(lost[k]) > all_lost[k] * 0x1p-48, is_zero = all_lost[k] == 0;
      is_sure[k] = finite & (has_sign | is_zero);
    }
  }
  int64_t all_sure = 1;
  for (size_t k = 0; k < count; ++k) all_sure &= is_sure[k];
  for (size_t k = 0; k < count; ++k) q[k] = round_to_odd(q[k], lost[k]);
  return all_sure == 0;
}

}  // namespace

bool RoundingFlag::works() {
  static const bool works = [] {
    RoundingFlag flag;
    volatile double sum = 1;
    sum = sum + 1;
    const bool quiet = !flag.raised(const_cast<double*>(&sum));
    sum = sum + 0x1p-60;
    return quiet && flag.raised(const_cast<double*>(&sum));
  }();
  return works;
}

SumWindows SumWindows::for_values_like(std::span<const float> looks, double items_per_cell) {
  SumWindows windows;
  int low = kExactNotFinite, high = 0;
  for (float v : looks)
    if (const int e = exact_exponent(v); v != 0 && e != kExactNotFinite)
      low = std::min(low, e), high = std::max(high, e);
  if (high == 0) return windows;
  // A value is spilled, or nearly, when it is that much smaller than the sum it meets: there are values that no look
  // finds.
  constexpr double kNearly = 0x1p-25;
  const size_t cell = size_t(std::min(items_per_cell, double(looks.size()))) + 1;
  for (const int windows_count : {1, 2, 3, 4, 6, 8, 12, kMost}) {
    windows.count = windows_count;
    windows.width = (high - low) / windows.count + 1;
    windows.base = low;
    std::array<double, kMost> sums{};
    size_t spilled = 0;
    for (size_t k = 0; k < looks.size(); ++k) {
      if (k % cell == 0) sums = {};
      const double v = std::fabs(looks[k]);
      if (!(v > 0 && v <= std::numeric_limits<float>::max())) continue;
      double& sum = sums[size_t((exact_exponent(looks[k]) - windows.base) / windows.width)];
      sum += v;
      if (v < sum * kNearly) ++spilled, sum = v;
    }
    // To spill one costs about as much as to add a hundred.
    if (spilled * 256 <= looks.size()) break;
  }
  return windows;
}

void ExactCells::begin(int64_t count, const SumWindows& windows, int64_t most_spilled, int64_t hot) {
  windows_ = windows;
  count_ = count;
  stride_ = count + kPadding;
  most_spilled_ = most_spilled;
  hot_ = hot;
  if (const int64_t size = stride_ * windows.count; size > capacity_) {
    memory_ = std::make_unique<Scratch<double>>(size, Device());
    capacity_ = size;
  }
  for (int w = 0; w < windows.count; ++w) std::fill_n(*memory_ + w * stride_, count + SumFinder::kTurns, 0.0);
  spilled_.clear();
}

ExactCells::Adder::Adder(ExactCells& cells, bool trusts_flag)
    : cells_(cells),
      sums_(*cells.memory_),
      finder_(cells.windows_, cells.count_, cells.stride_, cells.hot_),
      trusts_flag_(trusts_flag),
      fetches_(cells.count_ * cells.windows_.count * int64_t(sizeof(double)) > kFetchedBytes) {}

void ExactCells::Adder::add_block() {
  flag_.clear();
  for (size_t k = 0; k < block_.count; ++k) {
    double& sum = sums_[block_.sums[k]];
    before_[k] = sum;
    sum += block_.values[k];
  }
  if (!trusts_flag_ || flag_.raised(sums_)) add_carefully(block_);
  block_.count = 0;
}

void ExactCells::Adder::add_carefully(const ValueBlock& block) {
  for (size_t k = block.count; k-- > 0;) sums_[block.sums[k]] = before_[k];
  for (size_t k = 0; k < block.count; ++k) {
    double& sum = sums_[block.sums[k]];
    const double v = block.values[k], t = sum + v;
    if (is_exact(sum, v, t)) {
      sum = t;
    } else {
      const int64_t cell = block.sums[k] % cells_.stride_;
      cells_.spilled_.push_back({cell < cells_.count_ ? cell : cells_.hot_, sum});
      sum = v;
    }
  }
}

std::vector<ExactCells::Spilled> ExactCells::spilled(std::span<const ExactCells> all) {
  std::vector<Spilled> spilled;
  for (const ExactCells& cells : all) {
    spilled.insert(spilled.end(), cells.spilled_.begin(), cells.spilled_.end());
    for (int w = 0; w < cells.windows_.count && cells.hot_ >= 0; ++w)
      for (int64_t turn = 0; turn < SumFinder::kTurns; ++turn)
        spilled.push_back({cells.hot_, cells.window(w)[cells.count_ + turn]});
  }
  std::sort(spilled.begin(), spilled.end(), [](const Spilled& a, const Spilled& b) { return a.cell < b.cell; });
  return spilled;
}

bool ExactCells::sum_rounds(std::span<const ExactCells> all, int64_t cell) {
  for (int w = 0; w < all[0].windows_.count; ++w) {
    double sum = all[0].window(w)[cell];
    for (const ExactCells& cells : all.subspan(1)) {
      const double more = cells.window(w)[cell], t = sum + more;
      if (!is_exact(sum, more, t)) return true;
      sum = t;
    }
  }
  return false;
}

template <class T, class Output>
void ExactCells::finish(std::span<const ExactCells> all, std::span<const Spilled> spilled, int64_t first, int64_t last,
                        const Output& output) {
  const int windows = all[0].windows_.count;
  const bool trusts_flag = RoundingFlag::works();
  RoundingFlag flag;
  auto next = std::lower_bound(spilled.begin(), spilled.end(), first,
                               [](const Spilled& s, int64_t cell) { return s.cell < cell; });
  std::array<Doubles, SumWindows::kMost> sums;
  std::array<const double*, SumWindows::kMost> pointers;
  const std::span<const double*> rows(pointers.data(), size_t(windows));
  Doubles before, q;
  std::array<T, kBlock> old;
  std::array<int64_t, kBlock> is_sure;
  for (int64_t begin = first; begin < last; begin += int64_t(kBlock)) {
    const size_t count = size_t(std::min(last - begin, int64_t(kBlock)));
    for (size_t w = 0; w < rows.size(); ++w) rows[w] = all[0].window(int(w)) + begin;
    bool rounded = false;  // were sums of several threads
    if (all.size() > 1) {
      flag.clear();
      for (size_t w = 0; w < rows.size(); ++w) {
        for (size_t k = 0; k < count; ++k) sums[w][k] = rows[w][k];
        for (const ExactCells& cells : all.subspan(1)) {
          const double* more = cells.window(int(w)) + begin;
          for (size_t k = 0; k < count; ++k) sums[w][k] += more[k];
        }
        rows[w] = sums[w].data();
      }
      rounded = !trusts_flag || flag.raised(&sums);
    }
    for (size_t k = 0; k < count; ++k) old[k] = output(begin + int64_t(k));
    for (size_t k = 0; k < count; ++k) before[k] = double(float(old[k]));
    const bool unsure = total(rows, before, count, q, is_sure);
    // A sum of zero leaves a zero as it is, bit for bit.
    for (size_t k = 0; k < count; ++k) {
      const T result = round_to<T>(q[k]);
      output(begin + int64_t(k)) = q[k] == 0 && before[k] == 0 ? old[k] : result;
    }
    if (!rounded && !unsure && (next == spilled.end() || next->cell >= begin + int64_t(count))) continue;
    for (size_t k = 0; k < count; ++k) {
      const int64_t cell = begin + int64_t(k);
      const bool has_spilled = next != spilled.end() && next->cell == cell;
      if (is_sure[k] && !has_spilled && !(rounded && sum_rounds(all, cell))) continue;
      ExactTotal exact;
      for (; next != spilled.end() && next->cell == cell; ++next) exact.add(next->sum);
      for (const ExactCells& cells : all)
        for (int w = 0; w < windows; ++w) exact.add(cells.window(w)[cell]);
      output(cell) = exact.result(old[k]);
    }
  }
}

template <class T, bool kSingle>
void finish_cells(std::span<const ExactCells> all, std::span<const ExactCells::Spilled> spilled, int64_t first,
                  int64_t last, const CellsOutput<T, kSingle>& output) {
  ExactCells::finish<T>(all, spilled, first, last, output);
}

template void add_items<true>(FromDealtValues, int64_t, int64_t, ExactCells&);
template void add_items<true>(FromDealtValues, int64_t, int64_t, IntervalCells&);

template void finish_cells(std::span<const ExactCells>, std::span<const ExactCells::Spilled>, int64_t, int64_t,
                           const CellsOutput<float, true>&);
template void finish_cells(std::span<const ExactCells>, std::span<const ExactCells::Spilled>, int64_t, int64_t,
                           const CellsOutput<float, false>&);
template void finish_cells(std::span<const ExactCells>, std::span<const ExactCells::Spilled>, int64_t, int64_t,
                           const CellsOutput<Half, true>&);
template void finish_cells(std::span<const ExactCells>, std::span<const ExactCells::Spilled>, int64_t, int64_t,
                           const CellsOutput<Half, false>&);
template void finish_cells(std::span<const ExactCells>, std::span<const ExactCells::Spilled>, int64_t, int64_t,
                           const CellsOutput<BFloat16, true>&);
template void finish_cells(std::span<const ExactCells>, std::span<const ExactCells::Spilled>, int64_t, int64_t,
                           const CellsOutput<BFloat16, false>&);

}  // namespace ordo::kernels::cpu::accumulate_detail

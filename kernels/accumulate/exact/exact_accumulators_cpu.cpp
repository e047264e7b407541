#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <ordo/kernels/accumulate/exact/exact_accumulators_cpu.h>
#include <ordo/kernels/accumulate/exact/exact_range_cpu.h>
#include <ordo/kernels/accumulate/radix_sort_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {
namespace {

using exact_detail::round_to;
using exact_detail::round_to_odd;

constexpr size_t kBlock = ValueBlock::kSize;
using Doubles = ValueBlock::Doubles;

bool is_finite(double v) { return std::fabs(v) <= std::numeric_limits<double>::max(); }

/// q[k] = before[k] + the sums of accumulator first + k at all levels, rounded to odd. Finite ones only. Of others, and
/// where a rounding error might matter, is_sure[k] is false; returns whether all are sure.
bool total(std::span<const double* const> levels, int64_t first, const Doubles& before, size_t count, Doubles& q,
           std::array<int64_t, kBlock>& is_sure) {
  // What a sum of doubles has rounded away is a double, too (lost_in). The sum of these is not, but its error is far
  // smaller than they are.
  Doubles lost, all_lost;
  const double* const one = levels[0] + first;
  for (size_t k = 0; k < count; ++k) {
    lost[k] = lost_in(before[k], one[k]);
    q[k] = before[k] + one[k];
  }
  if (levels.size() == 1) {
    for (size_t k = 0; k < count; ++k) is_sure[k] = is_finite(q[k]);
  } else {
    for (size_t k = 0; k < count; ++k) all_lost[k] = std::fabs(lost[k]);
    for (const double* level : levels.subspan(1))
      for (size_t k = 0; k < count; ++k) {
        const double v = level[first + int64_t(k)], more = lost_in(q[k], v);
        q[k] += v;
        lost[k] += more;
        all_lost[k] += std::fabs(more);
      }
    // Fewer additions to lost[k] than there are levels, each off by at most 2^-53 of the sum of magnitudes, of which
    // all_lost[k] is off by as little: beyond four times that, the rest's sign is sure.
    const double off = double(levels.size()) * 0x1p-51;
    for (size_t k = 0; k < count; ++k) {
      const double rest = lost_in(q[k], lost[k]);
      q[k] += lost[k];
      lost[k] = rest;
      const int64_t has_sign = std::fabs(lost[k]) > all_lost[k] * off, is_zero = all_lost[k] == 0;
      is_sure[k] = int64_t(is_finite(q[k])) & (has_sign | is_zero);
    }
  }
  int64_t all_sure = 1;
  for (size_t k = 0; k < count; ++k) all_sure &= is_sure[k];
  for (size_t k = 0; k < count; ++k) q[k] = round_to_odd(q[k], lost[k]);
  return all_sure != 0;
}

}  // namespace

void ExactAccumulators::begin(int64_t count, int64_t hot) {
  count_ = count;
  hot_ = hot;
  used_ = 0;
  level(0);
}

double* ExactAccumulators::level(int k) {
  for (; used_ <= k; ++used_) {
    Level& next = levels_[size_t(used_)];
    const int64_t size = count_ + kTurns;
    if (size > next.capacity) {
      next.sums = std::make_unique<Scratch<double>>(size, Device());
      next.capacity = size;
    }
    std::fill_n(next.sums->data(), size, 0.0);
  }
  return levels_[size_t(k)].sums->data();
}

void ExactAccumulators::add(int level, const ValueBlock& block) {
  double* const sums = this->level(level);
  alignas(64) Doubles before;
  for (size_t k = 0; k < block.count; ++k) {
    double& sum = sums[block.sums[k]];
    before[k] = sum;
    sum += block.values[k];
  }
  add_lost(level, before, block);
}

size_t ExactAccumulators::add_lost(int level, const Doubles& before, const ValueBlock& block) {
  const size_t count = block.count;
  alignas(64) Doubles values;
  uint64_t any = 0;
  for (size_t k = 0; k < count; ++k) {
    values[k] = lost_in(before[k], block.values[k]);
    any |= std::bit_cast<uint64_t>(values[k]);
  }
  if (any << 1 == 0) return 0;  // the sign of a zero does not count
  ValueBlock lost;
  for (size_t k = 0; k < count; ++k) {
    lost.values[lost.count] = values[k];
    lost.sums[lost.count] = block.sums[k];
    lost.count += size_t(std::fabs(values[k]) > 0);  // not what infinities lose
  }
  if (lost.count > 0) add(level + 1, lost);
  return lost.count;
}

void ExactAccumulators::add(int level, int64_t sum, double v) {
  for (; v != 0; ++level) {
    v = add_rounded(this->level(level)[sum], v);
    if (v != v) return;  // the sum is not finite
  }
}

ExactAccumulators::Adder::Adder(ExactAccumulators& accumulators)
    : accumulators_(accumulators),
      level0_(accumulators.level(0)),
      hot_(accumulators.hot_),
      turns_(accumulators.count_),
      fetches_(accumulators.count_ * int64_t(sizeof(double)) > kFetchedBytes) {}

void ExactAccumulators::Adder::add_block() {
  accumulators_.add(0, block_);
  block_.count = 0;
}

void ExactAccumulators::Adder::add_lost(const Doubles& before, const ValueBlock& block) {
  if (level1_ != nullptr)
    accumulators_.add_lost(1, before, block);
  else if (accumulators_.add_lost(0, before, block) > kBlock / 8)
    level1_ = accumulators_.level(1);
}

void ExactAccumulators::Adder::end() {
  add_block();
  for (int k = 0; has_hot() && k < accumulators_.used_; ++k)
    for (int64_t turn = turns_; turn < turns_ + kTurns; ++turn) {
      accumulators_.add(k, hot_, accumulators_.level(k)[turn]);
      accumulators_.level(k)[turn] = 0;
    }
}

/// Of one accumulator, whatever its values are.
template <class T>
T ExactAccumulators::result(std::span<const ExactAccumulators> all, int64_t accumulator, T old) {
  std::array<double, kMostExactLevels> sums{};
  bool plus = false, minus = false, finite = exact_exponent(float(old)) != kExactNotFinite;
  for (const ExactAccumulators& accumulators : all)
    for (int k = 0; k < accumulators.used_; ++k) {
      double v = accumulators.levels_[size_t(k)].sums->data()[accumulator];
      if (k == 0 && !is_finite(v)) {
        plus |= !(v < 0), minus |= !(v > 0);
        finite = false;
      }
      for (size_t to = size_t(k); finite && v != 0; ++to) v = add_rounded(sums[to], v);
    }
  if (!finite) return exact_not_finite_result(old, plus, minus);
  return exact_result(old, kMostExactLevels, [&](int k) { return sums[size_t(k)]; });
}

std::vector<const double*> ExactAccumulators::levels(std::span<const ExactAccumulators> all) {
  std::vector<const double*> levels;
  for (const ExactAccumulators& accumulators : all)
    for (int k = 0; k < accumulators.used_; ++k) levels.push_back(accumulators.levels_[size_t(k)].sums->data());
  return levels;
}

template <class T, bool kSingle>
void ExactAccumulators::finish(std::span<const ExactAccumulators> all, std::span<const double* const> levels,
                               int64_t first, int64_t last, const ExactOutput<T, kSingle>& output) {
  Doubles before, q;
  std::array<T, kBlock> old;
  std::array<int64_t, kBlock> is_sure;
  for (int64_t begin = first; begin < last; begin += int64_t(kBlock)) {
    const size_t count = size_t(std::min(last - begin, int64_t(kBlock)));
    for (size_t k = 0; k < count; ++k) old[k] = output(begin + int64_t(k));
    for (size_t k = 0; k < count; ++k) before[k] = double(float(old[k]));
    const bool all_sure = total(levels, begin, before, count, q, is_sure);
    // A sum of zero leaves a zero as it is, bit for bit.
    for (size_t k = 0; k < count; ++k) {
      const T result = round_to<T>(q[k]);
      output(begin + int64_t(k)) = q[k] == 0 && before[k] == 0 ? old[k] : result;
    }
    for (size_t k = 0; k < count && !all_sure; ++k)
      if (!is_sure[k]) output(begin + int64_t(k)) = result(all, begin + int64_t(k), old[k]);
  }
}

template void add_items<true>(FromPartitionedValues, int64_t, int64_t, ExactAccumulators&);

#define ORDO_FINISH(T, kSingle)                                                                                        \
  template void ExactAccumulators::finish(std::span<const ExactAccumulators>, std::span<const double* const>, int64_t, \
                                          int64_t, const ExactOutput<T, kSingle>&);
ORDO_FINISH(float, true)
ORDO_FINISH(float, false)
ORDO_FINISH(Half, true)
ORDO_FINISH(Half, false)
ORDO_FINISH(BFloat16, true)
ORDO_FINISH(BFloat16, false)
#undef ORDO_FINISH

}  // namespace ordo::kernels::cpu::accumulate_detail

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <ordo/kernels/accumulate/exact/exact.h>
#include <ordo/kernels/accumulate/exact/interval_cells_cpu.h>
#include <ordo/kernels/accumulate/shared/sort_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

using Bounds = IntervalCells::Bounds;
using exact_detail::round_to;

namespace {

template <class T>
bool same_bits(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

}  // namespace

bool RoundsDown::works() {
  static const bool works = [] {
    volatile double up = -1, down = 1;  // minus the sum rounded up, and the sum
    {
      const RoundsDown rounds(const_cast<double*>(&up));
      up = up - 0x1p-60;
      down = down + 0x1p-60;
    }
    return up < -1 && down == 1;
  }();
  return works;
}

template <class T>
bool IntervalCells::suit_values_like(std::span<const float> looks, double items_per_cell) {
  if (!RoundsDown::works()) return false;
  const size_t cell = size_t(std::min(items_per_cell, double(looks.size()))) + 1;
  std::vector<Bounds> sums(looks.size() / cell + 1);
  {
    const RoundsDown down(sums.data());
    for (size_t k = 0; k < looks.size(); ++k) sums[k / cell] += Bounds::of(double(looks[k]));
  }
  return std::all_of(sums.begin(), sums.end(),
                     [](const Bounds& sum) { return round_to<T>(sum.low) == round_to<T>(-sum.minus_high); });
}

void IntervalCells::begin(int64_t count, int64_t hot) {
  count_ = count;
  hot_ = hot;
  if (const int64_t size = count + SumFinder::kTurns; size > capacity_) {
    memory_ = std::make_unique<Scratch<Bounds>>(size, Device());
    capacity_ = size;
  }
  std::fill_n(memory_->data(), count + SumFinder::kTurns, Bounds{});
}

IntervalCells::Adder::Adder(IntervalCells& cells)
    : sums_(cells.memory_->data()),
      finder_(SumWindows{}, cells.count_, 0, cells.hot_),
      fetches_(cells.count_ * int64_t(sizeof(Bounds)) > kFetchedBytes) {}

void IntervalCells::Adder::add_block() {
  const RoundsDown down(sums_);
  for (size_t k = 0; k < block_.count; ++k) sums_[block_.sums[k]] += Bounds::of(block_.values[k]);
  block_.count = 0;
}

template <class T>
std::vector<int64_t> finish_intervals(std::span<IntervalCells> all, int64_t first, int64_t last,
                                      const CellsOutput<T, true>& output) {
  constexpr size_t kBlock = ValueBlock::kSize;
  std::vector<int64_t> unsure;
  std::array<T, kBlock> old, result;
  std::array<double, kBlock> before, low, high;
  std::array<Bounds, kBlock> sums;
  std::array<uint8_t, kBlock> sure;
  const int64_t hot = all[0].hot_, turns = all[0].count_;
  for (int64_t begin = first; begin < last; begin += int64_t(kBlock)) {
    const size_t count = size_t(std::min(last - begin, int64_t(kBlock)));
    Bounds* const own = all[0].memory_->data() + begin;
    for (size_t k = 0; k < count; ++k) old[k] = output(begin + int64_t(k));
    for (size_t k = 0; k < count; ++k) before[k] = double(float(old[k]));
    {
      const RoundsDown down(sums.data());
      for (size_t k = 0; k < count; ++k) sums[k] = own[k], sums[k] += Bounds::of(before[k]);
      for (const IntervalCells& cells : all.subspan(1)) {
        const Bounds* const more = cells.memory_->data() + begin;
        for (size_t k = 0; k < count; ++k) sums[k] += more[k];
      }
      if (hot >= begin && hot < begin + int64_t(count))
        for (const IntervalCells& cells : all)
          for (int64_t turn = 0; turn < SumFinder::kTurns; ++turn)
            sums[size_t(hot - begin)] += cells.memory_->data()[turns + turn];
    }
    // Zeros become positive: minus zero is what rounding down makes of a difference of equals.
    for (size_t k = 0; k < count; ++k) low[k] = sums[k].low + 0.0, high[k] = -sums[k].minus_high + 0.0;
    uint8_t all_sure = 1;
    for (size_t k = 0; k < count; ++k) {
      result[k] = round_to<T>(low[k]);
      const bool is_finite = low[k] - low[k] == 0 && high[k] - high[k] == 0;
      sure[k] = uint8_t(same_bits(result[k], round_to<T>(high[k]))) & uint8_t(is_finite);
      all_sure &= sure[k];
    }
    // A sum of zero leaves a zero as it is, bit for bit.
    for (size_t k = 0; k < count; ++k) result[k] = low[k] == 0 && before[k] == 0 ? old[k] : result[k];
    for (size_t k = 0; k < count; ++k) std::memcpy(static_cast<void*>(&own[k]), &old[k], sizeof(T));
    for (size_t k = 0; k < count; ++k)
      if (sure[k]) output(begin + int64_t(k)) = result[k];
    for (size_t k = 0; k < count && !all_sure; ++k)
      if (!sure[k]) unsure.push_back(begin + int64_t(k));
  }
  return unsure;
}

template <class T>
void undo_intervals(std::span<const IntervalCells> all, int64_t first, int64_t last,
                    const CellsOutput<T, true>& output) {
  for (int64_t c = first; c < last; ++c)
    std::memcpy(static_cast<void*>(&output(c)), all[0].memory_->data() + c, sizeof(T));
}

template bool IntervalCells::suit_values_like<float>(std::span<const float>, double);
template bool IntervalCells::suit_values_like<Half>(std::span<const float>, double);
template bool IntervalCells::suit_values_like<BFloat16>(std::span<const float>, double);
#define ORDO_INTERVALS(T)                                                                    \
  template std::vector<int64_t> finish_intervals(std::span<IntervalCells>, int64_t, int64_t, \
                                                 const CellsOutput<T, true>&);               \
  template void undo_intervals(std::span<const IntervalCells>, int64_t, int64_t, const CellsOutput<T, true>&);
ORDO_INTERVALS(float)
ORDO_INTERVALS(Half)
ORDO_INTERVALS(BFloat16)
#undef ORDO_INTERVALS

}  // namespace ordo::kernels::cpu::accumulate_detail

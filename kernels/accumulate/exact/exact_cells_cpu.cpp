#include <ordo/kernels/accumulate/exact/exact_cells_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

void ExactCells::totals(const Adder& adder, int64_t begin, std::span<const float> before,
                        std::array<int64_t, kBlock>& total, std::array<int64_t, kBlock>& unit) const {
  const size_t count = before.size();
  const int highest = main_.count() - 1, width = windows_.width;
  const int64_t* const sums = main_sums_->data() + (begin << main_.shift);
  std::array<int64_t, kBlock> addend;
  std::array<uint32_t, kBlock> own;
  for (size_t k = 0; k < count; ++k) own[k] = adder.window(before[k]);
  for (size_t k = 0; k < count; ++k) addend[k] = adder.addend(before[k], own[k]);
  // From the lowest window up: the digits below the highest window, and what remains for that one.
  const int64_t digit = (int64_t(1) << width) - 1;
  std::array<std::array<int64_t, kBlock>, 1 << MainWindows::kMostShift> digits;
  std::fill_n(total.begin(), count, 0);
  for (int w = 0; w <= highest; ++w)
    for (size_t k = 0; k < count; ++k) {
      const int64_t here = sums[(k << main_.shift) + size_t(w)] + (own[k] == uint32_t(w) ? addend[k] : 0) + total[k];
      digits[size_t(w)][k] = here & digit;
      total[k] = w < highest ? here >> width : here;
    }
  // Down again, until 30 bits are known, more than any format keeps; then a last bit says whether there are others.
  constexpr int64_t kEnough = int64_t(1) << 30;
  std::fill_n(unit.begin(), count, int64_t(base_ + highest * width - 150));
  for (int w = highest - 1; w >= 0; --w)
    for (size_t k = 0; k < count; ++k) {
      const int64_t t = total[k], next = digits[size_t(w)][k];
      const bool goes_on = t < kEnough && t > -kEnough;
      total[k] = goes_on ? int64_t(uint64_t(t) << width) + next : t | int64_t(next != 0);
      unit[k] -= goes_on ? width : 0;
    }
}

template <class T, bool kSingle>
void finish_cells(ExactCells& cells, int64_t first, int64_t last, const CellsOutput<T, kSingle>& output) {
  cells.finish<T>(first, last, output);
}

template void finish_cells(ExactCells&, int64_t, int64_t, const CellsOutput<float, true>&);
template void finish_cells(ExactCells&, int64_t, int64_t, const CellsOutput<float, false>&);
template void finish_cells(ExactCells&, int64_t, int64_t, const CellsOutput<Half, true>&);
template void finish_cells(ExactCells&, int64_t, int64_t, const CellsOutput<Half, false>&);
template void finish_cells(ExactCells&, int64_t, int64_t, const CellsOutput<BFloat16, true>&);
template void finish_cells(ExactCells&, int64_t, int64_t, const CellsOutput<BFloat16, false>&);

}  // namespace ordo::kernels::cpu::accumulate_detail

#include <ordo/kernels/accumulate/exact/exact_cells_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

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

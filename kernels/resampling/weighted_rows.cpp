#include <ordo/kernels/resampling/weighted_rows.h>

#include <ordo/engine/dispatch.h>
#include <ordo/kernels/accumulate/accumulate_cpu.h>

namespace ordo::kernels::cpu {

void add_weighted_rows(const WeightedRows& items, const Tensor& rows, const Tensor& output, Algorithm algorithm) {
  const int64_t columns = rows.size(-1);
  dispatch_floating("add_weighted_rows", rows.dtype(), [&]<class T>() {
    accumulate(weighted_row_items<T>(items, rows), output.data<T>(), {output.numel() / columns, 1, columns}, algorithm);
  });
}

}  // namespace ordo::kernels::cpu

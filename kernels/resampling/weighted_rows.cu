#include <ordo/engine/dispatch.h>
#include <ordo/kernels/resampling/weighted_rows.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>

namespace ordo::kernels::cuda {

void add_weighted_rows(const WeightedRows& items, const Tensor& rows, const Tensor& output, Algorithm algorithm) {
  const int64_t columns = rows.size(-1);
  dispatch_floating("add_weighted_rows", rows.dtype(), [&]<class T>() {
    accumulate(weighted_row_items<T>(items, rows), output.data<T>(), {output.numel() / columns, 1, columns}, algorithm,
               rows.device());
  });
}

}  // namespace ordo::kernels::cuda

#include <ordo/kernels/accumulate/keyed_items.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>

namespace ordo::kernels::cuda {

void add_by_key(const KeyedItems& a, Algorithm algorithm) {
  with_summands(a, [&](const auto& items, auto* output, const AccumulateShape& shape) {
    if (a.order)
      accumulate(items, output, shape, *a.order, a.device);
    else
      accumulate(items, output, shape, algorithm, a.device);
  });
}

void multiply_by_key(const KeyedItems& a) {
  with_factors(a, [&](const auto& items, auto* output, const AccumulateShape& shape) {
    accumulate_sorted(items, output, shape, a.device);
  });
}

}  // namespace ordo::kernels::cuda

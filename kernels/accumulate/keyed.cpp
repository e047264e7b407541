#include <ordo/kernels/accumulate/keyed.h>

#include <ordo/kernels/accumulate/accumulate_cpu.h>
#include <ordo/kernels/accumulate/keyed_items.h>

namespace ordo::kernels {

void add_by_key(const KeyedItems& a, Algorithm algorithm) { ORDO_ON_DEVICE(a.device, add_by_key, a, algorithm); }
void multiply_by_key(const KeyedItems& a) { ORDO_ON_DEVICE(a.device, multiply_by_key, a); }

namespace cpu {

void add_by_key(const KeyedItems& a, Algorithm algorithm) {
  with_summands(a, [&](const auto& items, auto* output, const AccumulateShape& shape) {
    if (a.order)
      accumulate(items, output, shape, *a.order);
    else
      accumulate(items, output, shape, algorithm);
  });
}

void multiply_by_key(const KeyedItems& a) {
  with_factors(a, [](const auto& items, auto* output, const AccumulateShape& shape) {
    accumulate_sorted(items, output, shape);
  });
}

}  // namespace cpu
}  // namespace ordo::kernels

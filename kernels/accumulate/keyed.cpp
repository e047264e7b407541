#include <ordo/kernels/accumulate/keyed.h>

#include <ordo/engine/calls/dispatch.h>

namespace ordo::kernels {

void add_by_key(const KeyedItems& a, Algorithm algorithm) { ORDO_ON_DEVICE(a.device, add_by_key, a, algorithm); }
void multiply_by_key(const KeyedItems& a) { ORDO_ON_DEVICE(a.device, multiply_by_key, a); }

}  // namespace ordo::kernels

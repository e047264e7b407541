// By itself: with the other kind of windows in one file, GCC inlines less of both.
#include <ordo/kernels/pooling/avg_pool_cpu.h>

namespace ordo::kernels::cpu {

template void avg_pool(const Tensor&, const Tensor&, const AdaptiveWindows&);
template void avg_pool_backward(const Tensor&, const Tensor&, const AdaptiveWindows&, Algorithm);

}  // namespace ordo::kernels::cpu

#include <ordo/kernels/matmul/gemm.h>

#include <ordo/engine/determinism.h>
#include <ordo/engine/dispatch.h>

namespace ordo::kernels {

void ordered_gemm(const Gemm& g, Device device) {
  if (g.m == 0 || g.n == 0 || g.batch == 0) return;
  ORDO_ON_DEVICE(device, ordered_gemm, g, device);
}

void gemm(const Gemm& g, Device device) {
  if (g.m == 0 || g.n == 0 || g.batch == 0) return;
  if (!is_floating(g.dtype) || determinism() == Determinism::device_to_device)
    ORDO_ON_DEVICE(device, ordered_gemm, g, device);
  else
    ORDO_ON_DEVICE(device, library_gemm, g, device);
}

}  // namespace ordo::kernels

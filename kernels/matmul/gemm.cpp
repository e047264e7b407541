#include <ordo/kernels/matmul/gemm.h>

#include <ordo/engine/dispatch.h>
#include <ordo/kernels/matmul/gemm_cpu.h>

namespace ordo::kernels {

void cpu::gemm(const Gemm& g, Device) { is_floating(g.dtype) ? floating_gemm(g) : integer_gemm(g); }

void gemm(const Gemm& g, Device device) {
  if (g.m == 0 || g.n == 0 || g.batch == 0) return;
  ORDO_ON_DEVICE(device, gemm, g, device);
}

}  // namespace ordo::kernels

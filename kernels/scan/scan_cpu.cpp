#include <ordo/kernels/scan/scan_cpu.h>

namespace ordo::kernels::cpu {

void scan(ScanKind kind, const ScanShape& s, const Tensor& t, const Tensor& out) {
  with_scan(kind, t, out, [&](const auto& op) { scan_lines(op, s); });
}

}  // namespace ordo::kernels::cpu

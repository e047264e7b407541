#include <ordo/kernels/scan/scan_cpu.h>

namespace ordo::kernels::cpu {

void scan_extremum(bool max, const ScanShape& s, const Tensor& t, const Tensor& values, const Tensor& indices) {
  with_extremum_scan(max, t, values, indices, [&](const auto& op) { scan_lines(op, s); });
}

}  // namespace ordo::kernels::cpu

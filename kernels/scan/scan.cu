#include <ordo/kernels/scan/scan_cuda.cuh>

namespace ordo::kernels::cuda {

void scan(ScanKind kind, const ScanShape& s, const Tensor& t, const Tensor& out) {
  with_scan(kind, t, out, [&](const auto& op) { scan_lines(op, s, t.device()); });
}

}  // namespace ordo::kernels::cuda

#include <ordo/kernels/scan/scan_cuda.cuh>

namespace ordo::kernels::cuda {

void scan_extremum(bool max, const ScanShape& s, const Tensor& t, const Tensor& values, const Tensor& indices) {
  with_extremum_scan(max, t, values, indices, [&](const auto& op) { scan_lines(op, s, t.device()); });
}

}  // namespace ordo::kernels::cuda

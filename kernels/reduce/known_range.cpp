#include <ordo/kernels/reduce/known_range.h>

#include <ordo/kernels/reduce/reduce.h>

namespace ordo::kernels {

std::optional<std::pair<double, double>> known_range(const Tensor& t) {
  if (!t.is_cpu() || t.numel() == 0) return {};
  return std::pair(amin(t).item<double>(), amax(t).item<double>());
}

}  // namespace ordo::kernels

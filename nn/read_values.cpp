#include <ordo/nn/read_values.h>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/shape/cat.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::detail {

std::vector<double> values_of(const TensorList& tensors) {
  if (tensors.empty()) return {};
  const NoGrad guard;
  TensorList parts;
  for (const Tensor& t : tensors) parts.push_back(kernels::to(t, tensors[0].device(), float64).flatten());
  return cat(parts, 0).to_vector<double>();
}

}  // namespace ordo::detail

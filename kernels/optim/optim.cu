#include <ordo/kernels/optim/functors.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

void optimizer_step(const StepTensors& tensors, const OptimizerStep& step) {
  with_element(tensors, step, [&](const auto& element, int64_t n) { each(n, element, tensors.parameter.device()); });
}

}  // namespace ordo::kernels::cuda

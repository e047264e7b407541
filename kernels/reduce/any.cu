#include <ordo/kernels/reduce/any.h>
#include <ordo/kernels/reduce/truth_reducer.h>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

namespace ordo::kernels::cuda {

void truth(bool any, const Tensor& t, const Tensor& out, const ReduceShape& g) {
  with_truth_reducer(any, t, out, [&](const auto& r) { reduce(r, g, t.device()); });
}

}  // namespace ordo::kernels::cuda

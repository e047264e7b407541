#include "bench/forms/forms.h"

#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>

namespace ordo::bench {

void accumulate_as(const kernels::cuda::ExactPlan& plan, const FormItems& items, float* output,
                   const kernels::AccumulateShape& shape) {
  kernels::cuda::accumulate_exact(items, output, shape, plan, "cuda", cuda::current_stream("cuda"));
}

void accumulate_as(const kernels::cuda::AtomicPlan& plan, const FormItems& items, float* output,
                   const kernels::AccumulateShape& shape) {
  const auto run = plan.vector == 4 ? kernels::cuda::accumulate_atomic_as<FormItems, 4>
                                    : kernels::cuda::accumulate_atomic_as<FormItems, 1>;
  run(plan, items, output, shape, cuda::current_stream("cuda"));
}

}  // namespace ordo::bench

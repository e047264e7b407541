#include <ordo/autograd/ops/one_hot.h>

#include <ordo/kernels/indexing/gather.h>

namespace ordo {

Tensor one_hot(const Tensor& target, int64_t num_classes) { return kernels::one_hot(target, num_classes); }

}  // namespace ordo

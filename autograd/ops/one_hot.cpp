#include <ordo/autograd/ops/one_hot.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/indexing/gather.h>

namespace ordo {

Tensor one_hot(const Tensor& target, int64_t num_classes) {
  const OpCall call("one_hot", target, num_classes);
  return call.done(kernels::one_hot(target, num_classes));
}

}  // namespace ordo

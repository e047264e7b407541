// Collectives of tensors: kernels without autograd. autograd/ops/distributed/collectives.h has the rules.
#pragma once

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/distributed/distributed.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

Tensor all_reduce(const Tensor& t, distributed::ReduceOp op, const distributed::Group& group,
                  Algorithm algorithm = Algorithm::automatic);
Tensor all_reduce(const TensorList& own, int64_t parts, const distributed::Group& group);
Tensor reduce_scatter(const Tensor& t, distributed::ReduceOp op, const distributed::Group& group,
                      Algorithm algorithm = Algorithm::automatic);
Tensor all_gather(const Tensor& t, const distributed::Group& group);
Tensor broadcast(const Tensor& t, int64_t src, const distributed::Group& group);
Tensor all_to_all(const Tensor& t, const distributed::Group& group);

}  // namespace ordo::kernels

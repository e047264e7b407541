// Values added where an index says: slices (index_add) or elements (scatter_add). Plain: no autograd.
#pragma once

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/accumulate/index_plan.h>

namespace ordo::kernels {

/// self[..., index[i], ...] += alpha * source[..., i, ...] at dimension `dim`. autograd/ops/index/index_add.h has the
/// rules.
void index_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha = 1,
                Algorithm algorithm = Algorithm::automatic);
Tensor index_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha = 1,
                 Algorithm algorithm = Algorithm::automatic);
/// With an index that has been sorted for dimension `dim`.
Tensor index_add(const Tensor& input, int64_t dim, const IndexPlan& plan, const Tensor& source, Scalar alpha = 1);

/// self[..., index[..., i, ...], ...] += src[..., i, ...] at dimension `dim`. autograd/ops/index/scatter.h has the
/// rules.
void scatter_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                  Algorithm algorithm = Algorithm::automatic);
Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src,
                   Algorithm algorithm = Algorithm::automatic);

}  // namespace ordo::kernels

// Vector norms: kernels without autograd.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo::kernels {

struct ReduceShape;

/// (sum |x|^p)^(1/p) over `dims` (none: all).
Tensor norm(const Tensor& t, double p = 2, const Dims& dims = {}, bool keepdim = false);
/// sum x^2, likewise.
Tensor square_sum(const Tensor& t, const Dims& dims = {}, bool keepdim = false);

/// Without `root`, which only p = 2 can do, the squares' sum.
namespace cpu {
void norm(const Tensor& t, const Tensor& out, const ReduceShape& g, double p, bool root);
}
namespace cuda {
void norm(const Tensor& t, const Tensor& out, const ReduceShape& g, double p, bool root);
}

}  // namespace ordo::kernels

// Vector norms: kernels without autograd.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo::kernels {

struct ReduceShape;

/// (sum |x|^p)^(1/p) over `dims` (none: all).
Tensor norm(const Tensor& t, double p = 2, const Dims& dims = {}, bool keepdim = false);

namespace cpu {
void norm(const Tensor& t, const Tensor& out, const ReduceShape& g, double p);
}
namespace cuda {
void norm(const Tensor& t, const Tensor& out, const ReduceShape& g, double p);
}

}  // namespace ordo::kernels

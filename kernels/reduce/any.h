// Tests over elements: kernels without autograd.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo::kernels {

struct ReduceShape;

/// Over `dims` (none: all); bool.
Tensor any(const Tensor& t, const Dims& dims = {}, bool keepdim = false);
Tensor all(const Tensor& t, const Dims& dims = {}, bool keepdim = false);

namespace cpu {
void truth(bool any, const Tensor& t, const Tensor& out, const ReduceShape& g);
}
namespace cuda {
void truth(bool any, const Tensor& t, const Tensor& out, const ReduceShape& g);
}

}  // namespace ordo::kernels

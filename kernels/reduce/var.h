// Variance and standard deviation: kernels without autograd.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo::kernels {

struct ReduceShape;

/// Over `dims` (none: all); two passes by rule 2 of docs/ordering.md, the mean carried unrounded between them.
Tensor var(const Tensor& t, const Dims& dims = {}, double correction = 1, bool keepdim = false);
Tensor std(const Tensor& t, const Dims& dims = {}, double correction = 1, bool keepdim = false);

namespace cpu {
void var(const Tensor& t, const Tensor& out, const ReduceShape& g, double correction, bool root);
}
namespace cuda {
void var(const Tensor& t, const Tensor& out, const ReduceShape& g, double correction, bool root);
}

}  // namespace ordo::kernels

// Variance and standard deviation.
#pragma once

#include <utility>

#include <ordo/engine/tensor.h>

namespace ordo {

/// sum((x - mean(x))^2) / max(0, n - correction), over all n elements or over `dims` (none: all). correction = 1 is the
/// unbiased estimate, 0 the biased one. Floating dtypes (DTypeError). Two passes, each in the order of rule 2 of
/// docs/ordering.md: the same bits everywhere. As torch.var.
Tensor var(const Tensor& input);
Tensor var(const Tensor& input, const Dims& dims, double correction = 1, bool keepdim = false);
/// sqrt(var). As torch.std.
Tensor std(const Tensor& input);
Tensor std(const Tensor& input, const Dims& dims, double correction = 1, bool keepdim = false);
/// Both var and mean, as one operation: {var, mean}. As torch.var_mean.
std::pair<Tensor, Tensor> var_mean(const Tensor& input, const Dims& dims = {}, double correction = 1,
                                   bool keepdim = false);

}  // namespace ordo

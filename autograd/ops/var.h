// Variance and standard deviation.
#pragma once

#include <utility>

#include <ordo/engine/tensor.h>

namespace ordo {

/// sum((x - mean(x))^2) / max(0, n - correction), over all n elements or over `dims` (none: all). correction = 1 is the
/// unbiased estimate, 0 the biased one. Floating dtypes (DTypeError). Two passes, each in the order of rule 2 of
/// docs/ordering.md: the same bits everywhere. Where the sum of the elements overflows, the mean is infinite, and the
/// result infinite or NaN. As torch.var, which finds the mean otherwise.
Tensor var(const Tensor& input);
Tensor var(const Tensor& input, const Dims& dims, double correction = 1, bool keepdim = false);
/// sqrt(var). As torch.std. Under `using namespace ordo` the bare name `std` means two things to C++, this function and
/// the standard library's namespace: write `x.std()`, `stddev(x)`, which is the same, or `ordo::std(x)`.
Tensor std(const Tensor& input);
Tensor std(const Tensor& input, const Dims& dims, double correction = 1, bool keepdim = false);
inline Tensor stddev(const Tensor& input) { return ordo::std(input); }
inline Tensor stddev(const Tensor& input, const Dims& dims, double correction = 1, bool keepdim = false) {
  return ordo::std(input, dims, correction, keepdim);
}
/// Both var and mean, as one operation: {var, mean}. As torch.var_mean.
std::pair<Tensor, Tensor> var_mean(const Tensor& input, const Dims& dims = {}, double correction = 1,
                                   bool keepdim = false);
/// Both std and mean, as one operation: {std, mean}. As torch.std_mean.
std::pair<Tensor, Tensor> std_mean(const Tensor& input, const Dims& dims = {}, double correction = 1,
                                   bool keepdim = false);

}  // namespace ordo

// Sums, means, products, extreme values, variances and norms over some or all dimensions.
#pragma once

#include <optional>
#include <utility>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// The sum of all elements, a 0-d tensor. Floating dtypes keep theirs (half types are summed in float); integers and
/// bool give int64, which wraps around. The sum of nothing is 0.
///
/// Floating sums follow rule 2 of docs/ordering.md at every determinism level: the same bits on every device and with
/// any number of threads. As torch.sum.
Tensor sum(const Tensor& input);
/// Over `dims`, which may be negative (IndexError out of range, ValueError when one is named twice); none means all.
/// keepdim leaves them in the shape with size 1.
Tensor sum(const Tensor& input, const Dims& dims, bool keepdim = false);

/// sum divided by the number of elements; floating dtypes only (DTypeError). The mean of nothing is NaN. As torch.mean.
Tensor mean(const Tensor& input);
Tensor mean(const Tensor& input, const Dims& dims, bool keepdim = false);

/// sum and mean over `dims` (none: all) of the elements that are not NaN. nansum: all dtypes, integers and bool give
/// int64; nanmean: floating dtypes (DTypeError), NaN where every element is. A NaN gets the gradient 0.
/// Sums follow rule 2 of docs/ordering.md, with +0 in place of a NaN. As torch.nansum and torch.nanmean.
Tensor nansum(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
Tensor nanmean(const Tensor& input, const Dims& dims = {}, bool keepdim = false);

/// How many elements over `dims` (none: all) are not zero, int64; a NaN is not. No gradient. As torch.count_nonzero.
Tensor count_nonzero(const Tensor& input, const Dims& dims = {});

/// The product of all elements, or over `dims` (none: all). Floating dtypes keep theirs (half types are multiplied in
/// float); integers and bool give int64, which wraps around. The product of nothing is 1. Errors as sum.
///
/// Floating products follow rule 2 of docs/ordering.md, multiplications in place of additions: the same bits on every
/// device. The gradient of an element is the product of the others, also where there are zeros. As torch.prod.
Tensor prod(const Tensor& input);
Tensor prod(const Tensor& input, const Dims& dims, bool keepdim = false);

/// Whether any (every) element is different from zero, bool: of the tensor, or over `dims` (none: all). NaN is
/// different from zero. Of nothing, any is false and all is true. As torch.any and torch.all.
Tensor any(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
Tensor all(const Tensor& input, const Dims& dims = {}, bool keepdim = false);

/// What max, min, sort and their like over one dimension give.
struct MaxResult {
  Tensor values;
  Tensor indices;  ///< int64, along the dimension
};

/// The largest (smallest) element, a 0-d tensor. NaN when there is one. All dtypes; ValueError for empty tensors. The
/// gradient is shared evenly among equal elements. As torch.max and torch.min.
Tensor max(const Tensor& input);
Tensor min(const Tensor& input);
/// Over dimension `dim`: values, and the index of the first of equal ones (of the first NaN), which alone gets the
/// gradient. ValueError when the dimension is empty and the result is not.
MaxResult max(const Tensor& input, int64_t dim, bool keepdim = false);
MaxResult min(const Tensor& input, int64_t dim, bool keepdim = false);
/// Values only, over any dimensions (none: all). The gradient is shared evenly among equal elements.
Tensor amax(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
Tensor amin(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
/// The index of the first largest (smallest) element, int64: along `dim`, or into the flattened tensor.
Tensor argmax(const Tensor& input, std::optional<int64_t> dim = {}, bool keepdim = false);
Tensor argmin(const Tensor& input, std::optional<int64_t> dim = {}, bool keepdim = false);

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

/// (sum |x|^p)^(1/p) over all elements, or over `dims` (none: all). p = 0 counts the elements that are not zero,
/// p = infinity (-infinity) takes the largest (smallest) |x|. Floating dtypes (DTypeError). Sums follow rule 2 of
/// docs/ordering.md: the same bits everywhere. At x = 0 the gradient is 0. As torch.norm.
Tensor norm(const Tensor& input, double p = 2);
Tensor norm(const Tensor& input, double p, const Dims& dims, bool keepdim = false);
/// sum x^2 over all elements, or over `dims` (none: all): norm(input, 2, dims)^2 without the rounding of the root.
/// Halves are squared and summed as float32.
Tensor square_sum(const Tensor& input, const Dims& dims = {}, bool keepdim = false);

/// log(sum(exp(x))) over `dims` (none: all), computed as log(sum(exp(x - m))) + m; m is the maximum, or 0 where that is
/// infinite. Floating dtypes (DTypeError); dimensions as in sum. Of nothing: -infinity. The sum follows rule 2 of
/// docs/ordering.md: the same bits everywhere. The gradient is exp(x - result), which is NaN where the maximum is
/// infinite. As torch.logsumexp.
Tensor logsumexp(const Tensor& input, const Dims& dims, bool keepdim = false);

}  // namespace ordo

// Sums, means, products, extreme values, variances and norms over some or all dimensions.
#pragma once

#include <optional>
#include <utility>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// The sum of all elements, or over `dims`, which may be negative; none means all. keepdim leaves them in the shape
/// with size 1. The sum of nothing is 0.
///
/// Shapes: any -> 0-d, or input's without `dims`.
/// Dtypes: any. Floating dtypes keep theirs, half types being summed in float; integers and bool give int64, which
/// wraps.
/// Throws: IndexError when a dimension is out of range; ValueError when one is named twice.
/// Determinism: the same bits on every device at every level and with any number of threads; ordering rule 2.
/// Gradient: grad to every element.
/// PyTorch: torch.sum.
Tensor sum(const Tensor& input);
/// Over `dims`, which may be negative (IndexError out of range, ValueError when one is named twice); none means all.
/// keepdim leaves them in the shape with size 1.
Tensor sum(const Tensor& input, const Dims& dims, bool keepdim = false);
/// sum, mean and prod with a dtype: of input.to(dtype).
Tensor sum(const Tensor& input, const Dims& dims, bool keepdim, DType dtype);
Tensor sum(const Tensor& input, std::same_as<DType> auto dtype) { return sum(input.to(dtype)); }

/// The sum divided by the number of elements. The mean of nothing is NaN.
///
/// Shapes: as sum.
/// Dtypes: floating.
/// Throws: as sum; DTypeError when input is not floating.
/// Determinism: as sum.
/// Gradient: grad, divided by the number, to every element.
/// PyTorch: torch.mean.
Tensor mean(const Tensor& input);
Tensor mean(const Tensor& input, const Dims& dims, bool keepdim = false);
Tensor mean(const Tensor& input, const Dims& dims, bool keepdim, DType dtype);
Tensor mean(const Tensor& input, std::same_as<DType> auto dtype) { return mean(input.to(dtype)); }

/// sum and mean over `dims` (none: all) of the elements that are not NaN; nanmean is NaN where every element is.
///
/// Shapes: as sum.
/// Dtypes: nansum as sum; nanmean floating.
/// Throws: as sum; DTypeError when input of nanmean is not floating.
/// Determinism: as sum, with +0 in place of a NaN.
/// Gradient: as sum and mean; a NaN gets 0.
/// PyTorch: torch.nansum, torch.nanmean.
Tensor nansum(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
Tensor nanmean(const Tensor& input, const Dims& dims = {}, bool keepdim = false);

/// How many elements over `dims` (none: all) are not zero; a NaN is not zero.
///
/// Shapes: as sum.
/// Dtypes: any; the result is int64.
/// Throws: as sum.
/// Determinism: the same bits on every device at every level.
/// Gradient: none.
/// PyTorch: torch.count_nonzero.
Tensor count_nonzero(const Tensor& input, const Dims& dims = {});

/// The product of all elements, or over `dims` (none: all). The product of nothing is 1.
///
/// Shapes, Dtypes, Throws: as sum.
/// Determinism: as sum, with multiplications in place of additions.
/// Gradient: of an element, grad times the product of the others, also where there are zeros.
/// PyTorch: torch.prod.
Tensor prod(const Tensor& input);
Tensor prod(const Tensor& input, const Dims& dims, bool keepdim = false);
Tensor prod(const Tensor& input, const Dims& dims, bool keepdim, DType dtype);
Tensor prod(const Tensor& input, std::same_as<DType> auto dtype) { return prod(input.to(dtype)); }

/// Whether any (every) element is different from zero, over `dims` (none: all). NaN is different from zero. Of nothing,
/// any is false and all is true.
///
/// Shapes: as sum.
/// Dtypes: any; the result is bool.
/// Throws: as sum.
/// Determinism: the same bits on every device at every level.
/// Gradient: none.
/// PyTorch: torch.any, torch.all.
Tensor any(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
Tensor all(const Tensor& input, const Dims& dims = {}, bool keepdim = false);

/// What max, min, sort and their like over one dimension give.
struct MaxResult {
  Tensor values;
  Tensor indices;  ///< int64, along the dimension
};
using ValuesAndIndices = MaxResult;  ///< as sort, topk, median, mode and others give them

/// The largest (smallest) element, NaN when there is one. Over a dimension: values, and the index of the first of equal
/// ones (of the first NaN).
///
/// Shapes: any -> 0-d, or input's without `dim`.
/// Dtypes: any, kept; indices are int64.
/// Throws: ValueError when nothing is reduced to an element; IndexError when there is no dimension `dim`.
/// Determinism: the same bits on every device at every level.
/// Gradient: shared evenly among equal elements; over a dimension, the first of them gets it.
/// PyTorch: torch.max, torch.min.
Tensor max(const Tensor& input);
Tensor min(const Tensor& input);
/// Over dimension `dim`.
MaxResult max(const Tensor& input, int64_t dim, bool keepdim = false);
MaxResult min(const Tensor& input, int64_t dim, bool keepdim = false);
/// The largest (smallest) element over any dimensions (none: all).
///
/// Shapes: as sum.
/// Dtypes: any, kept.
/// Throws: as max and sum.
/// Determinism: the same bits on every device at every level.
/// Gradient: shared evenly among equal elements.
/// PyTorch: torch.amax, torch.amin.
Tensor amax(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
Tensor amin(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
struct AminmaxResult {
  Tensor min, max;
};
/// amin and amax over one dimension, or of all elements.
///
/// Shapes: as max.
/// Dtypes: any, kept.
/// Throws, Determinism, Gradient: as amax.
/// PyTorch: torch.aminmax.
AminmaxResult aminmax(const Tensor& input, std::optional<int64_t> dim = {}, bool keepdim = false);
/// The index of the first largest (smallest) element: along `dim`, or into the flattened tensor. A NaN is both.
///
/// Shapes: as max.
/// Dtypes: any; the result is int64.
/// Throws: as max.
/// Determinism: the same bits on every device at every level.
/// Gradient: none.
/// PyTorch: torch.argmax, torch.argmin.
Tensor argmax(const Tensor& input, std::optional<int64_t> dim = {}, bool keepdim = false);
Tensor argmin(const Tensor& input, std::optional<int64_t> dim = {}, bool keepdim = false);

/// sum((x - mean(x))^2) / max(0, n - correction), over all n elements or over `dims` (none: all). correction = 1 is the
/// unbiased estimate, 0 the biased one. Where the sum of the elements overflows, the mean is infinite, and the result
/// infinite or NaN.
///
/// Shapes: as sum.
/// Dtypes: floating.
/// Throws: as mean.
/// Determinism: the same bits on every device at every level; two passes, each by ordering rule 2.
/// Gradient: 2 (x - mean) / (n - correction) grad.
/// PyTorch: torch.var, which finds the mean otherwise.
Tensor var(const Tensor& input);
Tensor var(const Tensor& input, const Dims& dims, double correction = 1, bool keepdim = false);
/// sqrt(var). Under `using namespace ordo` the bare name `std` means two things to C++, this function and the standard
/// library's namespace: write `x.std()`, `stddev(x)` or `ordo::std(x)`.
///
/// Shapes, Dtypes, Throws, Determinism: as var.
/// Gradient: var's, over 2 std.
/// PyTorch: torch.std.
Tensor std(const Tensor& input);
Tensor std(const Tensor& input, const Dims& dims, double correction = 1, bool keepdim = false);
/// std by a name that the standard library does not have.
///
/// Shapes, Dtypes, Throws, Determinism, Gradient: as std.
/// PyTorch: torch.std.
inline Tensor stddev(const Tensor& input) { return ordo::std(input); }
inline Tensor stddev(const Tensor& input, const Dims& dims, double correction = 1, bool keepdim = false) {
  return ordo::std(input, dims, correction, keepdim);
}
/// Both var and mean, as one operation: {var, mean}.
///
/// Shapes, Dtypes, Throws, Determinism: as var.
/// Gradient: the sum of both.
/// PyTorch: torch.var_mean.
std::pair<Tensor, Tensor> var_mean(const Tensor& input, const Dims& dims = {}, double correction = 1,
                                   bool keepdim = false);
/// Both std and mean, as one operation: {std, mean}.
///
/// Shapes, Dtypes, Throws, Determinism: as var.
/// Gradient: the sum of both.
/// PyTorch: torch.std_mean.
std::pair<Tensor, Tensor> std_mean(const Tensor& input, const Dims& dims = {}, double correction = 1,
                                   bool keepdim = false);

/// (sum |x|^p)^(1/p) over all elements, or over `dims` (none: all). p = 0 counts the elements that are not zero, p =
/// infinity (-infinity) takes the largest (smallest) |x|.
///
/// Shapes: as sum.
/// Dtypes: floating.
/// Throws: as mean.
/// Determinism: as sum.
/// Gradient: the derivative; 0 at x = 0.
/// PyTorch: torch.norm.
Tensor norm(const Tensor& input, double p = 2);
Tensor norm(const Tensor& input, double p, const Dims& dims, bool keepdim = false);
/// The sum of x^2 over all elements, or over `dims` (none: all): norm(input, 2, dims)^2 without the rounding of the
/// root.
///
/// Shapes: as sum.
/// Dtypes: floating; halves are squared and summed as float32.
/// Throws: as mean.
/// Determinism: as sum.
/// Gradient: 2 x grad.
/// PyTorch: no counterpart.
Tensor square_sum(const Tensor& input, const Dims& dims = {}, bool keepdim = false);

/// log(sum(exp(x))) over `dims` (none: all), computed as log(sum(exp(x - m))) + m; m is the maximum, or 0 where that is
/// infinite. Of nothing: -infinity.
///
/// Shapes: as sum.
/// Dtypes: floating.
/// Throws: as mean.
/// Determinism: as sum.
/// Gradient: exp(x - result) grad, which is NaN where the maximum is infinite.
/// PyTorch: torch.logsumexp.
Tensor logsumexp(const Tensor& input, const Dims& dims, bool keepdim = false);

}  // namespace ordo

// Reductions over `dims` (none: all): kernels without autograd. Sums go by rule 2 of docs/ordering.md at every level,
// so every device has the same bits.
#pragma once

#include <optional>
#include <utility>

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// Integers and bools give int64. No values: 0.
Tensor sum(const Tensor& t, const Dims& dims = {}, bool keepdim = false);
/// NaNs count as 0.
Tensor nansum(const Tensor& t, const Dims& dims = {}, bool keepdim = false);
/// sum / count; floating dtypes. No values: NaN.
Tensor mean(const Tensor& t, const Dims& dims = {}, bool keepdim = false);
/// The sum of the products, each rounded, of two contiguous vectors of one size and dtype. No values: 0.
Tensor dot(const Tensor& a, const Tensor& b);
/// Rule 2 with multiplications. Integers and bools give int64, which wraps. No values: 1.
Tensor prod(const Tensor& t, const Dims& dims = {}, bool keepdim = false);

Tensor any(const Tensor& t, const Dims& dims = {}, bool keepdim = false);
Tensor all(const Tensor& t, const Dims& dims = {}, bool keepdim = false);

/// (sum |x|^p)^(1/p).
Tensor norm(const Tensor& t, double p = 2, const Dims& dims = {}, bool keepdim = false);
/// sum x^2.
Tensor square_sum(const Tensor& t, const Dims& dims = {}, bool keepdim = false);

/// Two passes; the mean is carried unrounded between them.
Tensor var(const Tensor& t, const Dims& dims = {}, double correction = 1, bool keepdim = false);
Tensor std(const Tensor& t, const Dims& dims = {}, double correction = 1, bool keepdim = false);
/// log(sum(exp(x - m))) + m, m being the maximum, or 0 where that is infinite. m and the sum are carried unrounded.
Tensor logsumexp(const Tensor& t, const Dims& dims = {}, bool keepdim = false);

Tensor amax(const Tensor& t, const Dims& dims = {}, bool keepdim = false);
Tensor amin(const Tensor& t, const Dims& dims = {}, bool keepdim = false);
/// Values and first indices along `dim`.
std::pair<Tensor, Tensor> max(const Tensor& t, int64_t dim, bool keepdim = false);
std::pair<Tensor, Tensor> min(const Tensor& t, int64_t dim, bool keepdim = false);
Tensor argmax(const Tensor& t, std::optional<int64_t> dim = {}, bool keepdim = false);
Tensor argmin(const Tensor& t, std::optional<int64_t> dim = {}, bool keepdim = false);

/// The least and the greatest element of a tensor on the CPU, for checks. Nothing where there are no elements, and on
/// devices, where looking at them would wait.
std::optional<std::pair<double, double>> known_range(const Tensor& t);

struct ReduceShape;
/// The loops of a device, from t to out. p: a norm's exponent, a variance's correction.
using ReduceLoop = void(const Tensor& t, const Tensor& out, const ReduceShape& g, double p);
namespace cpu {
ReduceLoop sum, nansum, mean, prod, any, all, norm, square_sum, var, deviation, logsumexp, amax, amin;
}
namespace cuda {
ReduceLoop sum, nansum, mean, prod, any, all, norm, square_sum, var, deviation, logsumexp, amax, amin;
}
ORDO_DEVICES(void, dot, const Tensor& a, const Tensor& b, const Tensor& out)
/// `values` may be undefined.
ORDO_DEVICES(void, arg_extremum, bool max, const Tensor& t, const Tensor& values, const Tensor& indices,
             const ReduceShape& g)

}  // namespace ordo::kernels

// sum, nansum and mean: kernels without autograd. Rule 2 of docs/ordering.md at every level, so the same bits on every
// device.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo::kernels {

struct ReduceShape;

/// Over `dims` (none: all). Integers and bools give int64. No values: 0.
Tensor sum(const Tensor& t, const Dims& dims = {}, bool keepdim = false);
/// NaNs count as 0.
Tensor nansum(const Tensor& t, const Dims& dims = {}, bool keepdim = false);
/// The sum of the products, each rounded, of two contiguous vectors of one size and dtype. No values: 0.
Tensor dot(const Tensor& a, const Tensor& b);
/// sum / count; floating dtypes. No values: NaN.
Tensor mean(const Tensor& t, const Dims& dims = {}, bool keepdim = false);

namespace cpu {
void sum(const Tensor& t, const Tensor& out, const ReduceShape& g);
void nansum(const Tensor& t, const Tensor& out, const ReduceShape& g);
void dot(const Tensor& a, const Tensor& b, const Tensor& out);
void mean(const Tensor& t, const Tensor& out, const ReduceShape& g);
}  // namespace cpu
namespace cuda {
void sum(const Tensor& t, const Tensor& out, const ReduceShape& g);
void nansum(const Tensor& t, const Tensor& out, const ReduceShape& g);
void dot(const Tensor& a, const Tensor& b, const Tensor& out);
void mean(const Tensor& t, const Tensor& out, const ReduceShape& g);
}  // namespace cuda

}  // namespace ordo::kernels

// Extreme values and where they are: kernels without autograd.
#pragma once

#include <optional>
#include <utility>

#include <ordo/engine/tensor.h>

namespace ordo::kernels {

struct ReduceShape;

/// Over `dims` (none: all).
Tensor amax(const Tensor& t, const Dims& dims = {}, bool keepdim = false);
Tensor amin(const Tensor& t, const Dims& dims = {}, bool keepdim = false);
/// Values and first indices along `dim`.
std::pair<Tensor, Tensor> max(const Tensor& t, int64_t dim, bool keepdim = false);
std::pair<Tensor, Tensor> min(const Tensor& t, int64_t dim, bool keepdim = false);
Tensor argmax(const Tensor& t, std::optional<int64_t> dim = {}, bool keepdim = false);
Tensor argmin(const Tensor& t, std::optional<int64_t> dim = {}, bool keepdim = false);

/// values may be null in arg_extremum.
namespace cpu {
void extremum(bool max, const Tensor& t, const Tensor& out, const ReduceShape& g);
void arg_extremum(bool max, const Tensor& t, const Tensor* values, const Tensor& indices, const ReduceShape& g);
}  // namespace cpu
namespace cuda {
void extremum(bool max, const Tensor& t, const Tensor& out, const ReduceShape& g);
void arg_extremum(bool max, const Tensor& t, const Tensor* values, const Tensor& indices, const ReduceShape& g);
}  // namespace cuda

}  // namespace ordo::kernels

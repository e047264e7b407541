// Running sums, products and extreme values along a dimension: kernels without autograd. Rule 6 of docs/ordering.md.
#pragma once

#include <utility>

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// With `reverse` the line is read, and the result written, from its end.
Tensor cumsum(const Tensor& t, int64_t dim, bool reverse = false);
Tensor cumprod(const Tensor& t, int64_t dim);
Tensor logcumsumexp(const Tensor& t, int64_t dim, bool reverse = false);
/// Values and the last index at which they stand.
std::pair<Tensor, Tensor> cummax(const Tensor& t, int64_t dim);
std::pair<Tensor, Tensor> cummin(const Tensor& t, int64_t dim);

/// Contiguous tensors of [outer, length, inner].
struct ScanShape {
  int64_t outer = 1, length = 1, inner = 1;
  bool reverse = false;
};
enum class ScanKind { sum, product, log_sum_exp };

ORDO_DEVICES(void, scan, ScanKind kind, const ScanShape& s, const Tensor& t, const Tensor& out)
ORDO_DEVICES(void, scan_extremum, bool max, const ScanShape& s, const Tensor& t, const Tensor& values,
             const Tensor& indices)

}  // namespace ordo::kernels

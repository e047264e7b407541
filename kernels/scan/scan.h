// Running sums, products and extreme values along a dimension: kernels without autograd. Rule 6 of docs/ordering.md.
#pragma once

#include <utility>

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/reduce/axis_shape.h>

namespace ordo::kernels {

/// With `reverse` the line is read, and the result written, from its end.
Tensor cumsum(const Tensor& t, int64_t dim, bool reverse = false);
Tensor cumprod(const Tensor& t, int64_t dim);
Tensor logcumsumexp(const Tensor& t, int64_t dim, bool reverse = false);
/// Values and the last index at which they stand.
std::pair<Tensor, Tensor> cummax(const Tensor& t, int64_t dim);
std::pair<Tensor, Tensor> cummin(const Tensor& t, int64_t dim);

// Contiguous tensors.
struct ScanShape : AxisShape {
  bool reverse = false;
};
enum class ScanKind { sum, product, log_sum_exp, max, min };
inline bool is_extreme(ScanKind kind) { return kind >= ScanKind::max; }

/// Sums and products of integers are int64's, and extreme values of bools uint8's. `indices`: of extreme values.
ORDO_DEVICES(void, scan, ScanKind kind, const ScanShape& s, const Tensor& t, const Tensor& out, const Tensor& indices)

// What scans compute; CPU loops and CUDA kernels share it. An operation has
//   State                   trivially copyable
//   combine(a, b)           a stands before b
//   load(offset, i)         value i of a line, at `offset` elements from the tensor's first
//   store(offset, state)
//   stays(a, b)             optional: true only if combine(a, b) is a, and cheaper
//   kBlock                  how many values are combined left to right; a chunk is kChunkBlocks of these blocks
//   kExact                  combine() is associative to the bit: blocks do not show
inline constexpr int kScanBlock = 64, kChunkBlocks = 64;  // rule 6 of docs/ordering.md

}  // namespace ordo::kernels

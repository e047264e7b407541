// Quantiles.
#pragma once

#include <optional>

#include <ordo/engine/tensor.h>

namespace ordo {

/// What stands between two elements: a value in proportion, either of them, their middle, or the nearer one (of two
/// equally near ones that at an even place).
enum class Interpolation { linear, lower, higher, midpoint, nearest };

/// The value at place q (n - 1) of each sorted line of n elements along `dim`, or of all elements. As torch.quantile.
///
/// input: float32 or float64 (DTypeError), lines not empty (ValueError). q: numbers from 0 to 1 (ValueError), 0-d or
/// 1-d (ShapeError); a 1-d q gives a first dimension of its size. A line with a NaN gives NaN; nanquantile does not
/// count NaNs unless there is nothing else. On CUDA the call waits for q. Determinism: the same bits everywhere.
/// Gradient: it goes to the one or two elements, in proportion.
Tensor quantile(const Tensor& input, const Tensor& q, std::optional<int64_t> dim = {}, bool keepdim = false,
                Interpolation interpolation = Interpolation::linear);
Tensor quantile(const Tensor& input, double q, std::optional<int64_t> dim = {}, bool keepdim = false,
                Interpolation interpolation = Interpolation::linear);
Tensor nanquantile(const Tensor& input, const Tensor& q, std::optional<int64_t> dim = {}, bool keepdim = false,
                   Interpolation interpolation = Interpolation::linear);
Tensor nanquantile(const Tensor& input, double q, std::optional<int64_t> dim = {}, bool keepdim = false,
                   Interpolation interpolation = Interpolation::linear);

}  // namespace ordo

// Whether a number fits a dtype: the one rule, PyTorch's, for every operation that stores a number in a tensor.
// Internal.
#pragma once

#include <cstdint>
#include <utility>

#include <ordo/engine/tensor/tensor.h>

namespace ordo::detail {

/// ValueError naming `op` unless a tensor of that dtype holds `value`:
///   - bool holds every number, as value != 0;
///   - integers hold numbers that lie in their range once the fraction is cut off, so neither infinities nor NaN. uint8
///     also holds -255 to -1 and wraps them, so that adding -1 subtracts 1;
///   - floating dtypes hold infinities, NaN, and every number up to their largest finite one, and round it.
void expect_fits(const char* op, const Scalar& value, DType dtype);

/// The least and the greatest integer that random integers of that dtype may have. Floating dtypes: within their finite
/// numbers and int64.
std::pair<int64_t, int64_t> integer_range(DType dtype);
/// The largest finite number of a floating dtype.
double largest_finite(DType dtype);
/// The largest n for which the dtype holds every integer from 0 to n exactly.
int64_t exact_up_to(DType dtype);

}  // namespace ordo::detail

// Reductions of consecutive slices.
#pragma once

#include <optional>
#include <string_view>

#include <ordo/engine/tensor.h>

namespace ordo {

/// The reduction of each segment of an axis: slice s of the result is made of the lengths[s] slices of data that follow
/// those of segment s - 1, or of slices offsets[s] to offsets[s + 1] (which is left out). As torch.segment_reduce.
///
/// reduce: "sum", "mean", "max", "min" or "prod" (ValueError). data: floating, at least 1-d. lengths or offsets, not
/// both (ValueError): int32 or int64, with data's sizes before `axis` and one dimension more, of as many segments, of
/// offsets one more (ShapeError). Lengths are not negative and add up to the axis, offsets lie in it and do not
/// descend, else IndexError. With `unsafe` lengths may add up to less; slices in no segment are not used. initial takes
/// part in every segment, after its slices; a mean is not divided by one more for it. Without it an empty segment has
/// sum 0, mean NaN, max -inf, min inf and prod 1; with it all of them are `initial`. A NaN is the greatest and the
/// least value. Half types are reduced in float and rounded once.
///
/// Determinism: sums and products are formed by ordering rule 1 (docs/ordering.md), slices in their order: the same
/// bits at every level. Gradients: max and min: in equal shares to those that equal the result, and to every NaN. prod:
/// the product of all others, zeros included; its second derivative is refused (AutogradError) where a segment has
/// several elements that are 0.
Tensor segment_reduce(const Tensor& data, std::string_view reduce, const Tensor& lengths = {},
                      const Tensor& offsets = {}, int64_t axis = 0, bool unsafe = false,
                      std::optional<double> initial = {});

}  // namespace ordo

// Reductions of elements, slices and segments that go to one place.
#pragma once

#include <optional>
#include <string_view>

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// A copy of input in which each place that index names has become the reduction of the elements of src that go there,
/// and, with include_self, of its old content; for dim = 1 of three, place [i][index[i][j][k]][k] gets src[i][j][k].
/// Places that get nothing keep their bits. As torch.scatter_reduce; in place: Tensor::scatter_reduce_.
///
/// reduce: "sum", "prod", "mean", "amax" or "amin" (ValueError). Integers: sums and products wrap, means are rounded
/// down. A NaN is the greatest and the least value; +0 is greater than -0. dtypes: all but bool (DTypeError). Rules for
/// index and src as for scatter. Half types are reduced in float and rounded once.
///
/// Determinism: sum and mean add as scatter_add does, by `algorithm`: `atomic` in the order threads arrive
/// (not_guaranteed), `sorted` and `exact` with the same bits on every device. prod multiplies the elements of a place
/// in row-major order of index, in the groups of ordering rule 1 (docs/ordering.md), the old content last; amax and
/// amin have no order. These three have the same bits at every level.
/// Gradients: mean: in equal shares. amax, amin: in equal shares among those that equal the result. prod: the product
/// of all others, zeros included. Second derivatives of prod are refused (AutogradError) where several elements of src
/// that are 0 go to one place, as in torch.
Tensor scatter_reduce(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce,
                      bool include_self = true, Algorithm algorithm = Algorithm::automatic);

/// The same for slices: a copy of input in which each slice that index names has become the reduction of the slices of
/// source that go there. index and source as for index_copy. reduce: "prod", "mean", "amax" or "amin" (ValueError); the
/// sum is index_add. As torch.index_reduce; in place: Tensor::index_reduce_.
/// Rules, determinism (of mean, as index_add) and gradients as scatter_reduce's.
Tensor index_reduce(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, bool include_self = true, Algorithm algorithm = Algorithm::automatic);

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

// Reductions of elements, slices and segments that go to one place.
#pragma once

#include <optional>

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// A copy of input in which each place that index names has become the reduction of the elements of src that go there,
/// and, with include_self, of its old content; for dim = 1 of three, place [i][index[i][j][k]][k] gets src[i][j][k].
/// Places that get nothing keep their bits. Integer sums and products
/// wrap, means are rounded down. A NaN is the greatest and the least value; +0 is greater than -0.
///
/// Shapes: as scatter.
/// Dtypes: all but bool, one for input and src; half types are reduced in float and rounded once.
/// Throws: as scatter_add; ValueError when `reduce` is no value of Reduce, for index_reduce when it is `sum`.
/// Determinism: sum and mean add as scatter_add does, by `algorithm`. prod multiplies the elements of a place in
/// row-major order of index, in the groups of ordering rule 1, the old content last; amax and amin have no order. These
/// three have the same bits at every level.
/// Gradient: sum: as scatter_add. mean: in equal shares. amax, amin: in equal shares among those that equal the result.
/// prod: the product of all others, zeros included. AutogradError for second derivatives of prod where several elements
/// of src that are 0 go to one place, as in torch.
/// PyTorch: torch.scatter_reduce; in place Tensor::scatter_reduce_.
Tensor scatter_reduce(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src, Reduce reduce,
                      bool include_self = true, Algorithm algorithm = Algorithm::automatic);

/// A copy of input in which each slice that index names has become the reduction of the slices of source that go there,
/// as in scatter_reduce. The sum is index_add.
///
/// Shapes: as index_copy.
/// Dtypes, Throws: as scatter_reduce.
/// Determinism: as scatter_reduce; mean as index_add.
/// Gradient: as scatter_reduce.
/// PyTorch: torch.index_reduce; in place Tensor::index_reduce_.
Tensor index_reduce(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, Reduce reduce,
                    bool include_self = true, Algorithm algorithm = Algorithm::automatic);

/// The reduction of each segment of an axis: slice s of the result is made of the lengths[s] slices of data that follow
/// those of segment s - 1, or of slices offsets[s] to offsets[s + 1] (which is left out). initial takes part in every
/// segment, after its slices; a mean is not divided by one more for it. Without it an empty segment has sum 0, mean
/// NaN, max -inf, min inf and prod 1; with it all of them are `initial`. A NaN is the greatest and the least value.
/// With `unsafe` lengths may add up to less; slices in no segment are not used.
///
/// Shapes: data at least 1-d; lengths or offsets with data's sizes before `axis` and one dimension more, of as many
/// segments, of offsets one more.
/// Dtypes: data floating, reduced in float for half types and rounded once; lengths and offsets int32 or int64.
/// Throws: IndexError when a length is negative, lengths do not add up to the axis, or offsets descend or leave it;
/// ValueError when `reduce` is no value of Reduce, or lengths and offsets are both given, or none; ShapeError,
/// DTypeError, DeviceError when tensors do not fit.
/// Determinism: the same bits on every device at every level; sums and products by ordering rule 1, slices in their
/// order.
/// Gradient: of data. max, min: in equal shares to those that equal the result, and to every NaN. prod: the product of
/// all others, zeros included; AutogradError for its second derivative where a segment has several elements that are 0.
/// PyTorch: torch.segment_reduce.
Tensor segment_reduce(const Tensor& data, Reduce reduce, const Tensor& lengths = {}, const Tensor& offsets = {},
                      int64_t axis = 0, bool unsafe = false, std::optional<double> initial = {});

}  // namespace ordo

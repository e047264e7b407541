// Reducing elements and slices at indices.
#pragma once

#include <string_view>

#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor.h>

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

}  // namespace ordo

// Adding elements at indices.
#pragma once

#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// A copy of input with elements of src added where index says; for dim = 1 of three:
/// out[i][index[i][j][k]][k] += src[i][j][k]. As torch.scatter_add; in place: Tensor::scatter_add_.
///
/// index: int32 or int64, entries in [0, input.size(dim)), else IndexError; negative entries do not count from the end.
/// input, index and src have as many dimensions (0-d counts as 1-d); index is nowhere larger than src, nor than input
/// but along `dim` (ShapeError); elements of src beyond index take no part. src has input's dtype, any but bool.
/// Half types add in float: `sorted` and `exact` round once, `atomic` at every addition.
///
/// Determinism: as index_add, the elements being in row-major order of index. An index that is expand()ed along all
/// other dimensions is as fast as index_add. Gradients: of input, the gradient itself; of src, gather(gradient, dim,
/// index), zero beyond index.
Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src,
                   Algorithm algorithm = Algorithm::automatic);

}  // namespace ordo

// Items written to the places that an index names, added or reduced there: scatter, scatter_add, scatter_reduce,
// index_copy, index_fill, index_add, index_reduce. Plain: no autograd.
#pragma once

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/reduce.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/accumulate/keyed.h>

namespace ordo::kernels {

/// What an index says: where every element goes, as in scatter, or where every slice goes, as in index_copy.
enum class IndexOf : unsigned char { elements, slices };

/// self's elements or slices at the index become those of src. Of several for one place the last one stays, items being
/// in row-major order. autograd/ops/index/scatter.h has the rules.
void scatter_(const char* op, IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src);
void scatter_(const char* op, IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index, Scalar value);
/// They are reduced with those of src. `algorithm` is how sums add. autograd/ops/index/scatter_reduce.h has the rules.
void scatter_reduce_(const char* op, IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index,
                     const Tensor& src, Reduce mode, bool include_self, Algorithm algorithm = Algorithm::automatic);

/// They get those of src added, times alpha. Sums of slices may have a `plan` of the index, which decides the
/// algorithm. autograd/ops/index/index_add.h and scatter.h have the rules.
void add_(const char* op, IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
          Scalar alpha, Algorithm algorithm, const IndexPlan* plan = nullptr);

/// self[..., index[i], ...] += alpha * source[..., i, ...] at dimension `dim`. autograd/ops/index/index_add.h has the
/// rules.
void index_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha = 1,
                Algorithm algorithm = Algorithm::automatic);
Tensor index_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha = 1,
                 Algorithm algorithm = Algorithm::automatic);
/// With an index that has been sorted for dimension `dim`.
Tensor index_add(const Tensor& input, int64_t dim, const IndexPlan& plan, const Tensor& source, Scalar alpha = 1);

/// self[..., index[..., i, ...], ...] += src[..., i, ...] at dimension `dim`. autograd/ops/index/scatter.h has the
/// rules.
void scatter_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                  Algorithm algorithm = Algorithm::automatic);
Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src,
                   Algorithm algorithm = Algorithm::automatic);

/// The other way round, and so the gradients of self and src: moves what is at the index out of `self`, which has 0
/// there then, into a result of src's sizes. Of several items for one place the last one gets it, the others 0. The
/// index has been checked before.
Tensor take_out_(IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index, const Dims& sizes);

ORDO_DEVICES(void, scatter_write, const KeyedItems& items)
/// From the output to `taken`, in the place of the source.
ORDO_DEVICES(void, scatter_take_out, const KeyedItems& items, void* taken)
ORDO_DEVICES(void, scatter_extremum, const KeyedItems& items, bool max)
ORDO_DEVICES(void, scatter_count, const KeyedItems& items, int64_t* counts)
ORDO_DEVICES(void, scatter_mean, const KeyedItems& items, const void* sums, const int64_t* counts, bool include_self)

}  // namespace ordo::kernels

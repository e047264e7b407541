// input with alpha * source added to the slices that index names. Plain: no autograd.
#pragma once

#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor.h>
#include <ordo/kernels/accumulate/index_plan.h>
#include <ordo/kernels/accumulate/index_view.h>

namespace ordo::kernels {

/// self[..., index[i], ...] += alpha * source[..., i, ...] at dimension `dim`. autograd/ops/index_add.h has the rules.
void index_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha = 1,
                Algorithm algorithm = Algorithm::automatic);
Tensor index_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha = 1,
                 Algorithm algorithm = Algorithm::automatic);

/// With an index that has been sorted for dimension `dim`.
Tensor index_add(const Tensor& input, int64_t dim, const IndexPlan& plan, const Tensor& source, Scalar alpha = 1);

/// What all operations have in common whose index has a slice of `source` for each entry.
void expect_slice_arguments(const char* op, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source);

/// A contiguous [outer, destinations, inner] output and a source [outer, items, inner] with rows of stride 1.
struct IndexAddArgs {
  void* output;
  const void* source;
  DType dtype;
  Device device;
  int64_t destinations, outer, inner, items;
  int64_t outer_stride, item_stride;  // of source
  IndexView index;
  Scalar alpha;
  const IndexOrder* order = nullptr;  // of the index, when it has been sorted: then it decides the algorithm
};
/// The common part of index_add_ and scatter_add_ by an expanded index: no checks.
void index_add_rows(const IndexAddArgs& args, Algorithm algorithm);

namespace cpu {
void index_add(const IndexAddArgs& args, Algorithm algorithm);
}
namespace cuda {
void index_add(const IndexAddArgs& args, Algorithm algorithm);
}

}  // namespace ordo::kernels

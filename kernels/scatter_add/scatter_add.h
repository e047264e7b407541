// input with every element of src added where index says. Plain: no autograd.
#pragma once

#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor.h>
#include <ordo/kernels/accumulate/index_view.h>

namespace ordo::kernels {

/// self[..., index[..., i, ...], ...] += src[..., i, ...] at dimension `dim`. autograd/ops/scatter.h has the rules.
void scatter_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                  Algorithm algorithm = Algorithm::automatic);
Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src,
                   Algorithm algorithm = Algorithm::automatic);

// What all operations have in common whose index has as many dimensions as the input.
void expect_scatter_arguments(const char* op, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src);
/// Whether all slices of `index` along dimension d are one and the same (an index_add in disguise).
bool is_expanded(const Tensor& index, int d);
/// The leading part of `t` that has these sizes, dimension `dim` excepted (-1: none).
Tensor leading(Tensor t, const Dims& sizes, int dim);

/// Contiguous: output [outer, destinations, inner], index and source [outer, items, inner].
struct ScatterAddArgs {
  void* output;
  const void* source;
  DType dtype;
  Device device;
  int64_t destinations, outer, inner, items;
  IndexView index;
};
namespace cpu {
void scatter_add(const ScatterAddArgs& args, Algorithm algorithm);
}
namespace cuda {
void scatter_add(const ScatterAddArgs& args, Algorithm algorithm);
}

}  // namespace ordo::kernels

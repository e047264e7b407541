// Picking elements and slices along a dimension: kernels without autograd.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/accumulate/index_view.h>

namespace ordo::kernels {

/// Of an index of `input`: both are defined and on one device, the index int32 or int64.
void check_index(const char* op, const Tensor& input, const Tensor& index);

Tensor gather(const Tensor& input, int64_t dim, const Tensor& index);
Tensor index_select(const Tensor& input, int64_t dim, const Tensor& index);
Tensor one_hot(const Tensor& target, int64_t num_classes);

/// Sizes of the (contiguous) index, and strides of the input, whose dimension `dim` the index replaces.
struct GatherShape {
  int rank = 0, dim = 0;
  int64_t sizes[kMaxDims], strides[kMaxDims];
  int64_t bound = 1;
};

/// Result [outer, count, inner] from input [outer, bound, inner], both contiguous; 0 where the index is `skip`.
struct SelectShape {
  int dim = 0;
  int64_t outer = 1, count = 1, inner = 1, bound = 1;
  int64_t skip = -1;
  const char* argument = "index";  // as errors name it
};

ORDO_DEVICES(void, gather, const Tensor& input, const Tensor& index, const Tensor& out, const GatherShape& s)
ORDO_DEVICES(void, index_select, const Tensor& input, const Tensor& index, const Tensor& out, const SelectShape& s)
ORDO_DEVICES(void, one_hot, const Tensor& target, const Tensor& out, int64_t num_classes)

}  // namespace ordo::kernels

// Index tensors and masks, and writing where they point: kernels without autograd.
//
// The dimensions that k index tensors stand for are seen as one, of `cells` places. Item i, in row-major order of the
// shape that the tensors have in common, points at place
//   linear[i] = (... (index_0[i] * size_1 + index_1[i]) * size_2 + ...) + index_{k-1}[i],
// and at -1 where an index is out of range, which only CUDA goes on with, to report it at the next synchronising call.
#pragma once

#include <vector>

#include <ordo/engine/dims.h>
#include <ordo/engine/index_check.h>
#include <ordo/engine/tensor.h>

namespace ordo::kernels {

/// The coordinates of the mask's true elements in row-major order, an int64 tensor for each of its dimensions (at least
/// one), where the mask is. Waits for the device.
TensorList mask_coordinates(const Tensor& mask);

/// `linear`, of the shape that the indices broadcast to. sizes[j] is the size of dimension dims[j], for which index j
/// stands; negative entries count from its end. IndexError names `op`.
Tensor linear_index(const char* op, const TensorList& indices, const Dims& dims, const Dims& sizes);

/// For every place its last item, -1 where there is none.
Tensor last_items(const Tensor& linear, int64_t cells);

/// to[linear[i]] = values[i], where `last[linear[i]]` is i. `to` has the `indexed` dimensions first, whose sizes
/// multiply to the places; `values`, of the same dtype, has the item first and then the other dimensions of `to`.
void index_put(const Tensor& to, int indexed, const Tensor& linear, const Tensor& last, const Tensor& values);

/// item -> its index, negative ones made positive; -1 out of range.
template <class I>
struct WrapIndex {
  const I* index;
  int64_t* out;
  int64_t size;
  IndexCheck check;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t given = int64_t(index[i]), from_start = given < 0 ? given + size : given;
    const bool good = from_start >= 0 && from_start < size;
    out[i] = good || check.ok(i, given < 0 ? given : from_start, size) ? from_start : -1;
  }
};

/// linear becomes linear * size + next.
struct CombineIndices {
  int64_t* linear;
  const int64_t* next;
  int64_t size;
  ORDO_HD void operator()(int64_t i) const {
    linear[i] = linear[i] < 0 || next[i] < 0 ? -1 : linear[i] * size + next[i];
  }
};

struct PutShape {
  int indexed = 0, rank = 0;                                              ///< of the `rank` dimensions of `to`
  int64_t sizes[kMaxDims], to_strides[kMaxDims], from_strides[kMaxDims];  ///< from_strides: of the others
  int64_t item_stride = 0, inner = 1;
};

/// Element i of the values: item i / inner.
template <class Word>
struct PutElement {
  PutShape s;
  Word* to;
  const Word* values;
  const int64_t* linear;
  const int64_t* last;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t item = i / s.inner;
    int64_t place = linear[item], rest = i % s.inner;
    if (place < 0 || last[place] != item) return;
    int64_t target = 0, source = item * s.item_stride;
    for (int d = s.rank - 1; d >= 0; --d) {
      int64_t& left = d < s.indexed ? place : rest;
      const int64_t at = left % s.sizes[d];
      left /= s.sizes[d];
      target += at * s.to_strides[d];
      if (d >= s.indexed) source += at * s.from_strides[d];
    }
    to[target] = values[source];
  }
};

namespace cpu {
void wrap_index(const Tensor& index, const Tensor& out, int64_t size, const IndexGuard& guard);
void combine_indices(const Tensor& linear, const Tensor& next, int64_t size);
void last_items(const Tensor& linear, const Tensor& last);
void index_put(const PutShape& s, const Tensor& to, const Tensor& linear, const Tensor& last, const Tensor& values);
}  // namespace cpu
namespace cuda {
void wrap_index(const Tensor& index, const Tensor& out, int64_t size, const IndexGuard& guard);
void combine_indices(const Tensor& linear, const Tensor& next, int64_t size);
void last_items(const Tensor& linear, const Tensor& last);
void index_put(const PutShape& s, const Tensor& to, const Tensor& linear, const Tensor& last, const Tensor& values);
}  // namespace cuda

}  // namespace ordo::kernels

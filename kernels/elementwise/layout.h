// How an elementwise operation walks its operands: one list of sizes, and a list of strides per operand. Operand 0 is
// the output. Internal.
#pragma once

#include <ordo/engine/tensor/host_device.h>
#include <ordo/engine/tensor/no_unroll.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo::kernels {

/// Dimension 0 is the innermost. Neighbouring dimensions that every operand walks as one have been merged, so
/// contiguous tensors have rank 1 (rank 0 only when numel is at most 1). Strides count elements; 0 repeats an element.
template <int N>
struct Layout {
  int64_t numel;
  int rank;
  int64_t sizes[kMaxDims];
  int64_t strides[N][kMaxDims];
};

/// The layout of operands that are all contiguous, of one shape; `repeated` has a bit for each that is one element
/// only.
template <int N>
Layout<N> flat_layout(int64_t numel, unsigned repeated = 0) {
  Layout<N> l;
  l.numel = numel;
  l.rank = 1;
  l.sizes[0] = numel;
  for (int k = 0; k < N; ++k) l.strides[k][0] = repeated >> k & 1u ? 0 : 1;
  return l;
}

/// operands[k] is null for one that is a number, or a tensor whose sizes broadcast to `sizes`.
template <int N>
Layout<N> broadcast_layout(const Dims& sizes, const TensorImpl* const (&operands)[N]) {
  Layout<N> l;
  l.numel = sizes.product();
  l.rank = 0;
  for (int d = sizes.size() - 1; d >= 0; --d) {
    if (sizes[d] == 1) continue;
    int64_t strides[N];
    bool merges = l.rank > 0;
    for (int k = 0; k < N; ++k) {
      strides[k] = 0;
      if (const TensorImpl* t = operands[k]) {
        const int own = d - (sizes.size() - t->sizes.size());
        if (own >= 0 && t->sizes[own] != 1) strides[k] = t->strides[own];
      }
      merges = merges && strides[k] == l.strides[k][l.rank - 1] * l.sizes[l.rank - 1];
    }
    if (merges) {
      l.sizes[l.rank - 1] *= sizes[d];
      continue;
    }
    l.sizes[l.rank] = sizes[d];
    for (int k = 0; k < N; ++k) l.strides[k][l.rank] = strides[k];
    ++l.rank;
  }
  if (l.rank == 0) {
    l.rank = 1;
    l.sizes[0] = l.numel;
    for (int k = 0; k < N; ++k) l.strides[k][0] = 0;
  }
  return l;
}

/// Element offsets of all operands at the flat (row-major) position i.
template <int N>
ORDO_HD void offsets_at(const Layout<N>& l, int64_t i, int64_t (&offsets)[N]) {
  if (l.rank == 1) {
    for (int k = 0; k < N; ++k) offsets[k] = i * l.strides[k][0];
    return;
  }
  for (int k = 0; k < N; ++k) offsets[k] = 0;
  if (l.numel <= 0x7fffffff) {  // 32-bit divisions are several times faster
    uint32_t rest = uint32_t(i);
    ORDO_NO_UNROLL
    for (int d = 0; d < l.rank; ++d) {
      const uint32_t size = uint32_t(l.sizes[d]), next = rest / size, at = rest - next * size;
      for (int k = 0; k < N; ++k) offsets[k] += at * l.strides[k][d];
      rest = next;
    }
  } else {
    ORDO_NO_UNROLL
    for (int d = 0; d < l.rank; ++d) {
      const int64_t next = i / l.sizes[d], at = i - next * l.sizes[d];
      for (int k = 0; k < N; ++k) offsets[k] += at * l.strides[k][d];
      i = next;
    }
  }
}

/// Calls row(offsets, count) for stretches along dimension 0 that together cover the positions [first, last). In one
/// place, because `row` is inlined there.
template <int N, class Row>
void for_rows(const Layout<N>& l, int64_t first, int64_t last, const Row& row) {
  int64_t offsets[N];
  if (first >= last) return;
  offsets_at(l, first, offsets);
  int64_t index[kMaxDims];
  index[0] = first;
  if (l.rank > 1) {
    for (int64_t d = 0, rest = first; d < l.rank; ++d) {
      index[d] = rest % l.sizes[d];
      rest /= l.sizes[d];
    }
  }
  while (true) {
    const int64_t count = std::min(l.sizes[0] - index[0], last - first);
    row(offsets, count);
    first += count;
    if (first >= last) return;
    for (int k = 0; k < N; ++k) offsets[k] -= index[0] * l.strides[k][0];
    index[0] = 0;
    for (int d = 1; d < l.rank; ++d) {
      for (int k = 0; k < N; ++k) offsets[k] += l.strides[k][d];
      if (++index[d] < l.sizes[d]) break;
      for (int k = 0; k < N; ++k) offsets[k] -= index[d] * l.strides[k][d];
      index[d] = 0;
    }
  }
}

}  // namespace ordo::kernels

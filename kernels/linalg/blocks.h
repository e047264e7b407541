// What rule 10 (docs/ordering.md) does column by column and row by row. It is compiled for each instruction set. Internal.
#pragma once

#include <cstdint>

#include <ordo/kernels/matmul/gemm.h>

namespace ordo::kernels::matrix {

constexpr int64_t kBlock = 32;  // columns that are eliminated one at a time

/// Of matrices a [n][n], the columns [first, first + size) from row `first` on; `size` is at most kBlock.
template <class T>
struct BlockSteps {
  /// They become their part of L and U. Row first + k changes places with row first + k + swaps[k], here only.
  void (*lu)(T* a, int64_t n, int64_t first, int64_t size, int64_t* swaps);
  /// They become their part of the factor. False when a is not positive-definite.
  bool (*cholesky)(T* a, int64_t n, int64_t first, int64_t size);
  /// x [size][k], whose rows are `apart`, becomes t^-1 x, from the first row down or the last one `up`.
  void (*solve)(const MatrixView& t, T* x, int64_t apart, int64_t size, int64_t k, bool up, bool unit);
};

template <class T>
BlockSteps<T> block_steps();

}  // namespace ordo::kernels::matrix

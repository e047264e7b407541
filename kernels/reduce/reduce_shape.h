// The geometry of a dense reduction: which values of a strided tensor belong to which result, and in which order.
#pragma once

#include <ordo/engine/tensor/dims.h>
#include <ordo/engine/tensor/divisor.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/engine/tensor/no_unroll.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

// Rule 2 of docs/ordering.md.
inline constexpr int kReduceLanes = 32;
inline constexpr int kReduceBlock = 4096;

/// Reducers whose outputs are one line of values each say so, which spares the code for other shapes.
template <class R>
inline constexpr bool kOneLine = false;
template <class R>
requires requires { R::kOneLine; }
inline constexpr bool kOneLine<R> = R::kOneLine;

/// `outputs` results of `length` values each. Loops are outermost first; neighbours that walk memory like one loop are
/// merged, loops of size 1 dropped.
struct ReduceShape {
  int64_t outputs = 1, length = 1;
  int kept = 0, reduced = 0;
  Divisor kept_sizes[kMaxDims], reduced_sizes[kMaxDims];
  int64_t kept_strides[kMaxDims], reduced_strides[kMaxDims];

  ORDO_HD int64_t blocks() const { return length <= kReduceBlock ? 1 : (length + kReduceBlock - 1) / kReduceBlock; }

  /// Where the values of an output begin.
  ORDO_HD int64_t base(int64_t output) const { return locate(output, kept, kept_sizes, kept_strides); }
  /// Where value i lies from there.
  ORDO_HD int64_t offset(int64_t i) const { return locate(i, reduced, reduced_sizes, reduced_strides); }

  /// The innermost loops; a loop of size 1 where there is none.
  ORDO_HD int64_t inner_stride() const { return reduced ? reduced_strides[reduced - 1] : 1; }
  ORDO_HD int64_t kept_inner_size() const { return kept ? kept_sizes[kept - 1].value : 1; }
  ORDO_HD int64_t kept_inner_stride() const { return kept ? kept_strides[kept - 1] : 1; }

  /// Neighbouring outputs are neighbours in memory and the values of one output are not: work on many outputs at once.
  ORDO_HD bool across_outputs() const {
    return length > 1 && kept_inner_stride() == 1 && kept_inner_size() >= 8 && inner_stride() != 1;
  }

 private:
  static ORDO_HD int64_t locate(int64_t i, int n, const Divisor* sizes, const int64_t* strides) {
    if (n == 0) return 0;
    int64_t at = 0;
    ORDO_NO_UNROLL  // callers have several copies
        for (int d = n - 1; d > 0; --d) {
      const int64_t q = sizes[d].quotient(i);
      at += (i - q * sizes[d].value) * strides[d];
      i = q;
    }
    return at + i * strides[0];
  }
};

/// Bit d of the result: dimension d is reduced. No dims: all. Throws IndexError (out of range), ValueError (twice).
unsigned reduced_mask(const char* op, int rank, const Dims& dims);
/// `sizes` without the reduced dimensions, or with ones in their place.
Dims sizes_after(const Dims& sizes, unsigned mask, bool keepdim);
ReduceShape reduce_shape(const Dims& sizes, const Dims& strides, unsigned mask);
/// One output of n consecutive values.
inline ReduceShape reduce_line(int64_t n) {
  ReduceShape g;
  g.length = n;
  g.reduced = 1;
  g.reduced_sizes[0].value = n;  // nothing is divided by the size of a single loop
  g.reduced_strides[0] = 1;
  return g;
}
inline ReduceShape reduce_shape(const Tensor& t, unsigned mask) {
  if (t.is_contiguous() && mask + 1 == 1u << t.dim()) return reduce_line(t.numel());
  return reduce_shape(t.sizes(), t.strides(), mask);
}

// Row programs: each row is folded to a few numbers, and then mapped. On both devices
//
//   row_program(shape, device, map, &fold, &fold)
//
// takes two folds, reducers (reducers.h) whose store() keeps what a row comes to, or null where one is left out. The
// second may read what the first has stored; one that does not has `kAlone`, and CUDA computes both in one pass. The
// map has
//   T                        the type of the results
//   out                      where they go
//   row(r)                   what all values of row r share
//   value(row, at, column)   the result at `at`, which is value `column` of its row

/// Contiguous values [outer, rows, inner]; value (o, r, i) is value o inner + i of row r. A map's rows are `parts`
/// equal parts of each row.
struct RowsShape {
  int64_t outer = 1, rows = 1, inner = 1, parts = 1;

  int64_t numel() const { return outer * rows * inner; }
  ReduceShape reduction() const { return reduce_shape({outer, rows, inner}, {rows * inner, inner, 1}, 0b101); }
};

}  // namespace ordo::kernels

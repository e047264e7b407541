// The accumulate engine: item i adds the row of values v(i, 0..D) to destination d(i). index_add, scatter_add, bincount
// and the backward passes of embedding and pooling are all this. An operation supplies an Items functor, shared by both
// devices, and gets every algorithm:
//
//   struct Items {                       // trivially copyable
//     using value_type = T;              // element type of the output
//     int64_t count;                     // M items
//     ORDO_HD int64_t destination(int64_t item) const;                    // in [0, N), or -1 to skip the item
//     ORDO_HD accumulate_t<T> value(int64_t item, int64_t column) const;  // column in [0, D); not of skipped items
//     // Optional, on the CPU, called once all destinations have been checked: destination() without the check. The
//     // check is a function call, around which the compiler spills the variables of the loop.
//     int64_t checked_destination(int64_t item) const;
//     // Optional, on the CPU: destination() that does not record an index out of range. So it calls no function.
//     int64_t unrecorded_destination(int64_t item) const;
//     // Optional: on the CPU, whether destination() has met an index that is out of range. Then `exact`
//     // writes nothing, and needs no check before.
//     bool met_bad_index() const;
//     // Optional, used instead where it exists: column = outer * shape.inner + inner. Spares the division.
//     ORDO_HD accumulate_t<T> value(int64_t item, int64_t outer, int64_t inner) const;
//     // Optional: where that value is read from, to fetch it ahead of its use on the CPU.
//     ORDO_HD const T* address(int64_t item, int64_t outer, int64_t inner) const;
//     // Optional, with address(): value() computed from the element that was read there; and whether each row is
//     // aligned to `bytes`. With both, CUDA reads wide rows 16 bytes at a time.
//     ORDO_HD accumulate_t<T> element(T read, int64_t item) const;
//     bool aligned(int64_t bytes) const;
//     // Optional, on the CPU: a function of j that gives value(item, outer, inner + j). It finds once what all columns
//     // of the item share.
//     auto row(int64_t item, int64_t outer, int64_t inner) const;
//     // Optional, with row(): of single columns, whether row() of an item gives those of the items after it, too.
//     bool adjoining() const;
//     // Optional: destination(i) is destination_from(i, raw_destination(i)), and the latter only reads, so that a
//     // GPU's thread can have several reads under way.
//     ORDO_HD int64_t raw_destination(int64_t item) const;
//     ORDO_HD int64_t destination_from(int64_t item, int64_t raw) const;
//     static constexpr bool kSingleColumn = true;  // Optional: D is always 1. Fewer kernels to compile.
//   };
//
//   cpu::accumulate(items, output, shape, algorithm)           accumulate_cpu.h
//   cuda::accumulate(items, output, shape, algorithm, device)  accumulate_cuda.cuh
//
// Both add into `output`. `sorted` keeps ordering rule 1 (docs/ordering.md) with the items of a destination in item
// order, the old content added last; `exact` keeps rule 5, the true sum rounded once. Both give the same bits on every
// device and with any number of threads. `atomic` adds in the order threads arrive, rounding halves at every addition
// to the output.
#pragma once

#include <cstdint>
#include <initializer_list>

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/kernels/math/wrapping.h>

namespace ordo::kernels {

/// The output is [outer, destinations, inner], row-major; a destination's row has D = outer * inner columns.
struct AccumulateShape {
  int64_t destinations = 0, outer = 1, inner = 1;
  ORDO_HD int64_t columns() const { return outer * inner; }
  ORDO_HD int64_t offset(int64_t destination, int64_t o, int64_t i) const {
    return (o * destinations + destination) * inner + i;
  }
};

/// M items and N destinations. `flat`: the output has one dimension. One of more dimensions is not flat even if all but
/// one have size 1: they may be those of a batch, whose rows must not depend on their number.
struct AccumulateSize {
  int64_t items = 0, destinations = 0;
  bool flat = false;
};

/// The algorithm of an accumulating operation: a function of what was asked for, the determinism level in force, the
/// element type and the size, never of the machine. `automatic` is `atomic` at not_guaranteed and for integers (whose
/// addition has no order); else `exact` for a flat output with no more destinations than items, up to 2^31, unless
/// the dtype is float64; else the first of `allowed` that is not `atomic` (docs/accumulate.md says why). For integers
/// `exact` is `atomic`: all their sums are.
/// Throws: ValueError when `requested` is not in `allowed` or cannot take the dtype or size; NondeterministicError when
/// it cannot meet the level in force.
Algorithm choose_accumulate(const char* op, Algorithm requested, DType dtype, const AccumulateSize& size,
                            std::initializer_list<Algorithm> allowed = {Algorithm::atomic, Algorithm::sorted,
                                                                        Algorithm::exact});
/// Of `allowed` without `exact`, which needs no size.
inline Algorithm choose_accumulate(const char* op, Algorithm requested, DType dtype,
                                   std::initializer_list<Algorithm> allowed) {
  return choose_accumulate(op, requested, dtype, AccumulateSize{}, allowed);
}

/// For rows of the registry: the engine's algorithms, `exact` among them where it takes any dtypes.
AlgorithmLevels accumulate_levels(DTypeSet exact = {});

/// Whether items say that they are always of one column, which spares the code for wider ones.
template <class Items>
inline constexpr bool kSingleColumn = requires {
  Items::kSingleColumn;
};

/// The value of `item` at column outer * shape.inner + inner.
template <class Items>
ORDO_HD auto item_value(const Items& items, const AccumulateShape& shape, int64_t item, int64_t outer, int64_t inner) {
  if constexpr (requires { items.value(item, outer, inner); })
    return items.value(item, outer, inner);
  else
    return items.value(item, outer * shape.inner + inner);
}

/// Columns `inner` and on of row `item`, in part `outer`, as a function of how many further. Items whose values take
/// more than a read have row(), which finds once what all columns share. On the CPU only.
template <class Items>
auto item_row(const Items& items, const AccumulateShape& shape, int64_t item, int64_t outer, int64_t inner) {
  if constexpr (requires { items.row(item, outer, inner); })
    return items.row(item, outer, inner);
  else
    return [&items, &shape, item, outer, inner](int64_t further) {
      return item_value(items, shape, item, outer, inner + further);
    };
}

/// Where `item` goes, all destinations having been checked. On the CPU only.
template <class Items>
int64_t checked_destination(const Items& items, int64_t item) {
  if constexpr (requires { items.checked_destination(item); })
    return items.checked_destination(item);
  else
    return items.destination(item);
}

/// Items whose rows can be read several columns at a time.
template <class Items>
concept VectorItems = requires(const Items& items, typename Items::value_type read, int64_t n) {
  items.element(read, n);
  items.address(n, n, n);
  items.aligned(n);
};

/// Whether a row at `first`, and others `strides` elements from it, begin at multiples of `bytes`.
template <class T>
bool rows_aligned(const T* first, std::initializer_list<int64_t> strides, int64_t bytes) {
  bool aligned = int64_t(reinterpret_cast<uintptr_t>(first)) % bytes == 0;
  for (int64_t stride : strides) aligned &= stride * int64_t(sizeof(T)) % bytes == 0;
  return aligned;
}

}  // namespace ordo::kernels

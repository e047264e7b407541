// index_add as items of the accumulate engine, for both devices.
#pragma once

#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/index_add/index_add.h>

namespace ordo::kernels {

template <class T>
struct IndexAddItems {
  using value_type = T;
  using Acc = accumulate_t<T>;
  int64_t count;
  const T* source;
  int64_t outer_stride, item_stride;
  IndexView index;
  Acc alpha;

  ORDO_HD int64_t destination(int64_t item) const { return index[item]; }
  int64_t checked_destination(int64_t item) const { return index.raw(item); }
  int64_t unrecorded_destination(int64_t item) const { return index.unrecorded(index.raw(item)); }
  bool met_bad_index() const { return index.check.failed(); }
  ORDO_HD int64_t raw_destination(int64_t item) const { return index.raw(item); }
  ORDO_HD int64_t destination_from(int64_t item, int64_t raw) const { return index.checked(item, raw); }
  ORDO_HD Acc value(int64_t item, int64_t outer, int64_t inner) const {
    return element(*address(item, outer, inner), item);
  }
  static constexpr bool kEvenlySpaced = true;
  ORDO_HD Acc element(T read, int64_t) const { return wrapping_mul(Acc(read), alpha); }
  ORDO_HD const T* address(int64_t item, int64_t outer, int64_t inner) const {
    return source + outer * outer_stride + item * item_stride + inner;
  }
  bool aligned(int64_t bytes) const { return rows_aligned(source, {outer_stride, item_stride}, bytes); }
};

template <class T>
IndexAddItems<T> index_add_items(const IndexAddArgs& a) {
  using Acc = accumulate_t<T>;
  const Acc alpha = is_integral(a.dtype) ? Acc(a.alpha.to_int64()) : Acc(a.alpha.to_double());
  return {a.items, static_cast<const T*>(a.source), a.outer_stride, a.item_stride, a.index, alpha};
}

}  // namespace ordo::kernels

// scatter_add as items of the accumulate engine, for both devices: every element is an item of one column, and every
// element of the output a destination.
#pragma once

#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/scatter_add/scatter_add.h>

namespace ordo::kernels {

template <class T>
struct ScatterAddItems {
  using value_type = T;
  static constexpr bool kSingleColumn = true;
  int64_t count;
  const T* source;
  int64_t destinations, items, inner;
  IndexView index;

  ORDO_HD int64_t destination(int64_t element) const { return destination_from(element, raw_destination(element)); }
  int64_t checked_destination(int64_t element) const { return place(element, index.raw(element)); }
  int64_t unrecorded_destination(int64_t element) const {
    const int64_t d = index.unrecorded(index.raw(element));
    return d < 0 ? -1 : place(element, d);
  }
  bool met_bad_index() const { return index.check.failed(); }
  ORDO_HD int64_t raw_destination(int64_t element) const { return index.raw(element); }
  ORDO_HD int64_t destination_from(int64_t element, int64_t raw) const {
    const int64_t d = index.checked(element, raw);
    return d < 0 ? -1 : place(element, d);
  }
  ORDO_HD int64_t place(int64_t element, int64_t d) const {
    if (inner == 1) return items == count ? d : element / items * destinations + d;
    const int64_t row = element / inner;
    return (row / items * destinations + d) * inner + element % inner;
  }
  ORDO_HD accumulate_t<T> value(int64_t element, int64_t) const { return accumulate_t<T>(source[element]); }
};

template <class T>
ScatterAddItems<T> scatter_add_items(const ScatterAddArgs& a) {
  return {a.outer * a.items * a.inner, static_cast<const T*>(a.source), a.destinations, a.items, a.inner, a.index};
}

}  // namespace ordo::kernels

// KeyedItems as items of the accumulate engine, for both devices. Internal; included where the engine is compiled.
#pragma once

#include <type_traits>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/accumulate/factor.h>
#include <ordo/kernels/accumulate/keyed.h>

namespace ordo::kernels {

/// Then they are divided in half the time.
ORDO_HD bool fits_32(int64_t a, int64_t b) { return uint64_t(a | b) >> 32 == 0; }

/// Item i adds its row of the source, times a factor, to the row of the output that its key names.
/// T: element type of the output, S of the source: T or accumulate_t<T>.
template <class T, class S = T>
struct RowItems {
  using value_type = T;
  using Acc = accumulate_t<T>;
  int64_t count;
  IndexView index;
  bool known;
  int64_t skipped;
  const S* source;
  int64_t outer_stride, item_stride;
  const int64_t* row_of;
  int64_t per_row;
  const Acc* factors;
  Acc alpha;
  bool plain;  // every item has a row of its own, and alpha: one branch, which loops are rid of

  ORDO_HD int64_t destination(int64_t item) const { return destination_from(item, raw_destination(item)); }
  ORDO_HD int64_t raw_destination(int64_t item) const { return index.raw(item); }
  ORDO_HD int64_t destination_from(int64_t item, int64_t raw) const {
    return unless_skipped(known ? raw : index.checked(item, raw));
  }
  int64_t checked_destination(int64_t item) const { return unless_skipped(index.raw(item)); }
  int64_t unrecorded_destination(int64_t item) const { return unless_skipped(index.unrecorded(item)); }
  bool met_bad_index() const { return !known && index.check.failed(); }

  ORDO_HD const S* address(int64_t item, int64_t outer, int64_t inner) const {
    return source + outer * outer_stride + (plain ? item : source_row(item)) * item_stride + inner;
  }
  ORDO_HD Acc value(int64_t item, int64_t outer, int64_t inner) const {
    return scaled(*address(item, outer, inner), factor(item));
  }
  auto row(int64_t item, int64_t outer, int64_t inner) const {
    return [from = address(item, outer, inner), by = factor(item)](int64_t j) { return scaled(from[j], by); };
  }
  bool adjoining() const { return plain && item_stride == 1; }
  ORDO_HD Acc element(S read, int64_t item) const { return scaled(read, factor(item)); }
  bool aligned(int64_t bytes) const requires(std::is_same_v<S, T>) {
    return rows_aligned(source, {outer_stride, item_stride}, bytes);
  }

 private:
  ORDO_HD int64_t unless_skipped(int64_t row) const { return row != skipped ? row : -1; }
  ORDO_HD int64_t source_row(int64_t item) const {
    if (row_of != nullptr) return row_of[item];
    return per_row == 1 ? item : fits_32(item, per_row) ? uint32_t(item) / uint32_t(per_row) : item / per_row;
  }
  ORDO_HD Acc factor(int64_t item) const { return plain || factors == nullptr ? alpha : factors[item]; }
  static ORDO_HD Acc scaled(S read, Acc by) {
    if constexpr (std::is_arithmetic_v<Acc>)
      return wrapping_mul(Acc(read), by);
    else
      return Acc(read);
  }
};

/// Every element of the source is an item of one column, and every place of the output a destination.
template <class T>
struct ElementItems {
  using value_type = T;
  static constexpr bool kSingleColumn = true;
  int64_t count;
  const T* source;
  int64_t destinations, items, inner;
  IndexView index;
  bool known;

  ORDO_HD int64_t destination(int64_t element) const { return destination_from(element, raw_destination(element)); }
  ORDO_HD int64_t raw_destination(int64_t element) const { return index.raw(element); }
  ORDO_HD int64_t destination_from(int64_t element, int64_t raw) const {
    return place(element, known ? raw : index.checked(element, raw));
  }
  int64_t checked_destination(int64_t element) const { return place(element, index.raw(element)); }
  int64_t unrecorded_destination(int64_t element) const { return place(element, index.unrecorded(element)); }
  bool met_bad_index() const { return !known && index.check.failed(); }
  ORDO_HD accumulate_t<T> value(int64_t element, int64_t) const { return accumulate_t<T>(source[element]); }

 private:
  ORDO_HD int64_t place(int64_t element, int64_t d) const {
    if (d < 0) return -1;
    const bool one_line = items * inner == count;
    if (inner == 1) return one_line ? d : element / items * destinations + d;
    if (one_line) return d * inner + (fits_32(element, inner) ? uint32_t(element) % uint32_t(inner) : element % inner);
    const int64_t row = element / inner;
    return (row / items * destinations + d) * inner + (element - row * inner);
  }
};

template <class T, class S = T>
RowItems<T, S> row_items(const KeyedItems& a) {
  using Acc = accumulate_t<T>;
  Acc alpha{};
  if constexpr (std::is_integral_v<Acc>) alpha = a.alpha.to_int64();
  if constexpr (std::is_floating_point_v<Acc>) alpha = Acc(a.alpha.to_double());
  const KeyedShape& s = a.shape;
  const Acc* const factors = static_cast<const Acc*>(a.factors);
  return {.count = s.items,
          .index = a.index,
          .known = a.known,
          .skipped = a.skipped,
          .source = static_cast<const S*>(a.source),
          .outer_stride = s.outer_stride,
          .item_stride = s.item_stride,
          .row_of = a.row_of,
          .per_row = a.per_row,
          .factors = factors,
          .alpha = alpha,
          .plain = a.row_of == nullptr && a.per_row == 1 && factors == nullptr};
}

template <class T>
ElementItems<T> element_items(const KeyedItems& a) {
  const KeyedShape& s = a.shape;
  return {s.elements(), static_cast<const T*>(a.source), s.destinations, s.items, s.inner, a.index, a.known};
}

/// Calls f(items, output, shape) with the arguments of a sum.
template <class F>
void with_summands(const KeyedItems& a, const F& f) {
  dispatch_numeric("index_add", a.dtype, [&]<class T>() {
    T* const output = static_cast<T*>(a.output);
    if (!a.shape.rows) return f(element_items<T>(a), output, a.shape.accumulated());
    if constexpr (!std::is_integral_v<T> && sizeof(T) == 2)
      if (a.wide_source) return f(row_items<T, accumulate_t<T>>(a), output, a.shape.accumulated());
    f(row_items<T>(a), output, a.shape.accumulated());
  });
}

/// Calls f with the items as factors of a product.
template <class F>
void with_factors(const KeyedItems& a, const F& f) {
  dispatch_product(a.dtype, [&]<class T>() {
    Factor<T>* const output = static_cast<Factor<T>*>(a.output);
    if (a.shape.rows)
      f(row_items<Factor<T>>(a), output, a.shape.accumulated());
    else
      f(element_items<Factor<T>>(a), output, a.shape.accumulated());
  });
}

}  // namespace ordo::kernels

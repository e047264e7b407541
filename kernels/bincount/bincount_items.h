// bincount as items of the accumulate engine, for both devices.
#pragma once

#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/index_view.h>
#include <ordo/kernels/bincount/bincount.h>

namespace ordo::kernels {

/// T: element type of the weights and the result. The input has been checked.
template <class T>
struct BincountItems {
  using value_type = T;
  static constexpr bool kSingleColumn = true;
  int64_t count;
  IndexView input;
  const T* weights;
  ORDO_HD int64_t destination(int64_t item) const { return input.raw(item); }
  ORDO_HD T value(int64_t item, int64_t) const { return weights ? weights[item] : T(1); }
};

/// Calls f(items) with the items of these arguments.
template <class F>
void with_bincount_items(const BincountArgs& a, F&& f) {
  const auto call = [&]<class T>() {
    f(BincountItems<T>{a.count, {a.input, a.input_dtype == int64}, static_cast<const T*>(a.weights)});
  };
  if (a.output_dtype == int64) return call.template operator()<int64_t>();
  if (a.output_dtype == float32) return call.template operator()<float>();
  call.template operator()<double>();
}

}  // namespace ordo::kernels

// bincount as items of the accumulate engine, for both devices.
#pragma once

#include <ordo/engine/dispatch.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/bincount/bincount.h>

namespace ordo::kernels {

/// I: element type of the input. T: of the weights and the result.
template <class I, class T>
struct BincountItems {
  using value_type = T;
  static constexpr bool kSingleColumn = true;
  static constexpr bool kSkippedHaveValues = true;
  int64_t count;
  const I* input;
  const T* weights;
  ORDO_HD int64_t destination(int64_t item) const { return int64_t(input[item]); }
  ORDO_HD T value(int64_t item, int64_t) const { return weights ? weights[item] : T(1); }
};

/// Calls f(items) with the items of these arguments.
template <class F>
void with_bincount_items(const BincountArgs& a, F&& f) {
  dispatch_index("bincount", a.input_dtype, [&]<class I>() {
    const auto call = [&]<class T>() {
      f(BincountItems<I, T>{a.count, static_cast<const I*>(a.input), static_cast<const T*>(a.weights)});
    };
    if (a.output_dtype == int64) return call.template operator()<int64_t>();
    if (a.output_dtype == float32) return call.template operator()<float>();
    call.template operator()<double>();
  });
}

}  // namespace ordo::kernels

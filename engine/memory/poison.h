// Memory that nobody has written yet, filled so that reading or leaving it shows. For tests. Internal.
#pragma once

#include <limits>
#include <type_traits>

namespace ordo::detail {

enum class Poison : unsigned char {
  none,     ///< memory is as it comes
  pattern,  ///< results hold NaN, the maximum for integers and true for bool; scratch memory holds bytes of ones
  zeros,    ///< zero bytes: a result that is another one than under `pattern` has an element that nobody wrote
};

/// For all memory allocated from now on; not while other threads allocate. It starts as `pattern` in builds with
/// ORDO_POISON_RESULTS, else as `none`.
void set_poison(Poison);
Poison poison();

/// What elements hold that nobody has written: NaN, the maximum for integers, true for bool.
template <class T>
T pattern_of() {
  if constexpr (std::is_integral_v<T>)
    return std::numeric_limits<T>::max();
  else
    return T(std::numeric_limits<float>::quiet_NaN());
}

}  // namespace ordo::detail

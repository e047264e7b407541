// Memory that nobody has written yet, filled so that reading or leaving it shows. For tests. Internal.
#pragma once

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

}  // namespace ordo::detail

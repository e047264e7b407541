// What a caller casts to an enumeration need not be one of its values. Internal.
#pragma once

#include <ordo/engine/calls/check.h>

namespace ordo::detail {

/// ValueError unless `value` is one of the enumeration's, which begins with 0 and ends with `last`. `what` completes
/// "number 9 is not ...".
template <class E>
void expect_enumerator(const char* op, E value, E last, const char* what) {
  ORDO_CHECK(int(value) >= 0 && value <= last, ValueError, op, "number {} is not {}", int(value), what);
}

}  // namespace ordo::detail

// Scalar formulas of comparison.def, by the names of its rows. Internal.
#pragma once

#include <ordo/kernels/elementwise/convert.h>

namespace ordo::kernels::functors {

#define ORDO_COMPARISON(name, group, formula, reference) \
  struct name {                                          \
    template <class T>                                   \
    ORDO_HD bool operator()(T a, T b) const {            \
      return formula;                                    \
    }                                                    \
  };
#define ORDO_LOGICAL(name, group, formula, reference)                 \
  struct name {                                                       \
    ORDO_HD bool operator()(bool a, bool b) const { return formula; } \
  };
#include <ordo/kernels/elementwise/comparison.def>

}  // namespace ordo::kernels::functors

// Scalar formulas of the comparisons. lt and le also serve gt and ge, with the operands exchanged. Internal.
#pragma once

#include <ordo/kernels/elementwise/convert.h>

namespace ordo::kernels {

struct Equal {
  template <class T>
  ORDO_HD bool operator()(T a, T b) const {
    return a == b;
  }
};

struct NotEqual {
  template <class T>
  ORDO_HD bool operator()(T a, T b) const {
    return a != b;
  }
};

struct Less {
  template <class T>
  ORDO_HD bool operator()(T a, T b) const {
    return a < b;
  }
};

struct LessEqual {
  template <class T>
  ORDO_HD bool operator()(T a, T b) const {
    return a <= b;
  }
};

struct And {
  ORDO_HD bool operator()(bool a, bool b) const { return a && b; }
};

struct Or {
  ORDO_HD bool operator()(bool a, bool b) const { return a || b; }
};

}  // namespace ordo::kernels

// What search and find_bins do with an element; shared by both devices. Internal.
#pragma once

#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/sort/search.h>

namespace ordo::kernels {

template <class T>
struct SearchElement {
  SearchArgs a;
  ORDO_HD void operator()(int64_t i) const {
    using V = compare_t<T>;
    const T* line = static_cast<const T*>(a.sorted) + (a.per_line ? i / a.per_line * a.length : 0);
    const V v(static_cast<const T*>(a.values)[i]);
    int64_t low = 0, high = a.length;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      const V at(line[middle]);
      if (a.right ? at > v : at >= v)
        high = middle;
      else
        low = middle + 1;
    }
    a.out[i] = low;
  }
};

template <class T>
struct BinElement {
  BinArgs a;
  ORDO_HD void operator()(int64_t i) const {
    using A = accumulate_t<T>;
    const A v(static_cast<const T*>(a.x)[i]), least(a.least), greatest(a.greatest);
    if (!(v >= least && v <= greatest)) {
      a.out[i] = a.bins;
      return;
    }
    const A bin = (v - least) / (greatest - least) * A(a.bins);
    a.out[i] = bin < A(a.bins) && int64_t(bin) < a.bins ? int64_t(bin) : a.bins - 1;
  }
};

}  // namespace ordo::kernels

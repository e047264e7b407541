// Searches in sorted lines and in bins.
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
    // Halves what is left, without branches, which would be mispredicted half of the time.
    int64_t low = 0;
    for (int64_t left = a.length, half; left > 0;) {
      half = left / 2;
      const V at(line[low + half]);
      const int64_t below = !(a.right ? at > v : at >= v);
      low += -below & (half + 1);
      left = half - (below & ~left & 1);
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

namespace ORDO_LOOPS_DEVICE {

void search(const SearchArgs& a) {
  dispatch_all("searchsorted", a.dtype, [&]<class T>() { each(a.count, SearchElement<T>{a}, a.device); });
}
void find_bins(const BinArgs& a) {
  dispatch_floating("histc", a.dtype, [&]<class T>() { each(a.count, BinElement<T>{a}, a.device); });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels

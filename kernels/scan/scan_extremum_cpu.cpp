#include <algorithm>

#include <ordo/kernels/scan/scan_cpu.h>

namespace ordo::kernels::cpu {

namespace {

/// Along memory a state mostly stays as it is for a while.
template <class T>
struct Extremum : ExtremumScan<T> {
  using State = typename ExtremumScan<T>::State;
  static constexpr int kAtOnce = 32;
  /// Whether none of so many values changes `s`.
  bool stays(int64_t offset, State s) const {
    const T* const x = this->x + offset;
    using V = compare_t<T>;
    const V bound = V(s.value);
    int changes = 0;
    if (this->max)
      for (int k = 0; k < kAtOnce; ++k) changes |= int(!(V(x[k]) < bound));
    else
      for (int k = 0; k < kAtOnce; ++k) changes |= int(!(V(x[k]) > bound));
    return changes == 0;
  }
  void store_all(int64_t offset, State s) const {
    std::fill_n(this->values + offset, kAtOnce, T(s.value));
    std::fill_n(this->indices + offset, kAtOnce, s.index());
  }
};

}  // namespace

void scan_extremum(bool max, const ScanShape& s, const Tensor& t, const Tensor& values, const Tensor& indices) {
  with_extremum_scan(max, t, values, indices,
                     [&]<class T>(const ExtremumScan<T>& op) { scan_lines(Extremum<T>{op}, s); });
}

}  // namespace ordo::kernels::cpu

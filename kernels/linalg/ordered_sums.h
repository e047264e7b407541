// What the ordered algorithms for matrices are made of. Internal.
#pragma once

#include <cstdint>

namespace ordo::kernels {

constexpr int64_t kLanes = 16;

/// Lane k adds lane k + 8, then 4, 2, 1.
template <class T>
T fold_lanes(T* lanes) {
  for (int64_t half = kLanes / 2; half > 0; half /= 2)
    for (int64_t v = 0; v < half; ++v) lanes[v] += lanes[v + half];
  return lanes[0];
}

/// Value i belongs to lane i mod 16; lanes are folded left to right, then halved; what is left over is added at the
/// end.
template <class T>
T dot(const T* a, const T* b, int64_t n) {
  T lanes[kLanes] = {}, sum = 0;
  int64_t k = 0;
  for (; k + kLanes <= n; k += kLanes)
    for (int64_t v = 0; v < kLanes; ++v) lanes[v] += a[k + v] * b[k + v];
  if (k) sum = fold_lanes(lanes);
  for (; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

/// y -= f x
template <class T>
void subtract(T* y, T f, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] -= f * x[i];
}

}  // namespace ordo::kernels

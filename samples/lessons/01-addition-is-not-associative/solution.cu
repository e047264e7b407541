#include "exercise.h"

// At 2^24 floats are 2 apart. -2^24 + 1 is a float; adding it to 2^24 leaves 1. So b and c must meet where 1 is lost:
// with b = -2^25, b + c = -2^25 + 1 lies between floats and becomes -2^25.
Three three_numbers() { return {33554432.f, -33554432.f, 1.f}; }

// The small numbers first: their sum is large enough to count beside v[0].
float sum(const float* v, int n) {
  float small = 0;
  for (int i = 1; i < n; ++i) small += v[i];
  return v[0] + small;
}

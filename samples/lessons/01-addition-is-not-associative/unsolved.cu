// Lesson 1: addition is not associative. No kernel yet: everything here runs on the host.
#include "exercise.h"

// Three numbers for which (a + b) + c is 1 and a + (b + c) is 0.
Three three_numbers() {
  return {1.f, 2.f, 3.f};  // change these
}

// The sum of v[0], ..., v[n - 1], where v[0] is large and all others are small and positive.
// You may add in any order, in float only.
float sum(const float* v, int n) {
  float total = v[0];
  for (int i = 1; i < n; ++i) total += v[i];  // each small number meets the large one: change the order
  return total;
}

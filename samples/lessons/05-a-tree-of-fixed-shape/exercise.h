#pragma once

#include "lesson.h"

inline constexpr int kThreads = 64;  ///< of a block

// *total = x[0] + ... + x[n - 1]; arrays of the device, *total is 0 before.
void sum(const float* x, int n, float* total);

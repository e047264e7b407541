#pragma once

#include "lesson.h"

// sums[bin[i]] += weight[i] for all i < n; arrays of the device, sums of zeros.
void histogram(const int* bin, const float* weight, int n, float* sums);
// counts[bin[i]] += 1 for all i < n.
void count(const int* bin, int n, unsigned* counts);

// What you expect: whether all schedules give the same bits.
bool counts_are_always_the_same();
bool sums_are_always_the_same();

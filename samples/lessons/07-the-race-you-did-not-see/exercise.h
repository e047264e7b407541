#pragma once

#include "lesson.h"

inline constexpr int kThreads = 128;  ///< of a block, and elements of a row

// maximum[r] = the largest of the kThreads elements of row r; sum[r] = the sum of exp(x - maximum[r]) over the row.
void row_statistics(const float* x, int rows, float* maximum, float* sum);

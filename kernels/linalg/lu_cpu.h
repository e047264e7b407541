// LU in the order of rule 10 (docs/ordering.md). Internal.
#pragma once

#include <cstdint>

namespace ordo::kernels::cpu {

/// a [n][n], row-major, becomes L and U of its rows in the order `rows`, which is written; returns the sign of that
/// order. A pivot of 0 stays. Threads share a matrix that is worth it.
int lu(float* a, int64_t* rows, int64_t n);
int lu(double* a, int64_t* rows, int64_t n);

}  // namespace ordo::kernels::cpu

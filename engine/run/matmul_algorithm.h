// The algorithm of matrix products, where not their own choice.
#pragma once

#include <ordo/engine/calls/op_registry.h>

namespace ordo {

/// How the process's products of two matrices add: `automatic`, or `exact`, by which an element is the true sum of its
/// products, rounded once. Holds for matmul, mm, bmm, linear, convolutions, the products of which other operations are made,
/// and their gradients, in float32 and half types; other dtypes go on as they did. Recurrent networks, attention and
/// decompositions do not follow it. Starts as ORDO_MATMUL (`exact` or `automatic`), or as automatic.
/// Throws: ValueError when the algorithm is another one; every product does when the variable is.
void set_matmul_algorithm(Algorithm algorithm);
/// What is in force for the calling thread: the innermost guard's, else the process's.
Algorithm matmul_algorithm();

/// Overrides it for this thread until the end of the scope, as DeterminismGuard does the level.
/// Throws: ValueError, as set_matmul_algorithm.
class MatmulAlgorithmGuard {
 public:
  explicit MatmulAlgorithmGuard(Algorithm algorithm);
  ~MatmulAlgorithmGuard();
  MatmulAlgorithmGuard(const MatmulAlgorithmGuard&) = delete;
  MatmulAlgorithmGuard& operator=(const MatmulAlgorithmGuard&) = delete;
};

}  // namespace ordo

// Decompositions of matrices [..., m, n] and what follows from them. Plain: no autograd. Computed on the CPU; tensors
// of another device are brought there, and the results back.
#pragma once

#include <utility>
#include <vector>

#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/linalg/matrix.h>

namespace ordo::kernels {

using matrix::Triangle;

// autograd/ops/linalg/linalg.h has the rules.
Tensor cholesky(const Tensor& a);

/// L and U of square matrices, on the CPU: what an operation keeps for its backward pass.
struct LuFactors {
  Tensor lu;                  // [..., n, n]
  std::vector<int64_t> rows;  // n of each matrix: the order of its rows
  std::vector<int> signs;     // of these orders
  Device device;              // of the matrices
};
/// `op` names errors.
LuFactors lu(const char* op, const Tensor& a);

struct Solution {
  Tensor x;
  LuFactors factors;
};
/// a [..., n, n], b [..., n, k], batches broadcast.
Solution solve(const Tensor& a, const Tensor& b);
/// a^-T b, for b of the solution's sizes.
Tensor solve_transposed(const LuFactors& a, const Tensor& b);
Tensor inverse(const char* op, const LuFactors& a);
Tensor det(const LuFactors& a);
/// The transpose of the derivative of det(a): det(a) a^-1, and its limit where a is singular, to rounding.
Tensor adjugate(const LuFactors& a);
/// The sign of det(a), and log |det(a)|.
std::pair<Tensor, Tensor> slogdet(const LuFactors& a);
/// q [..., m, n] and r [..., n, n], for m >= n.
std::pair<Tensor, Tensor> qr(const Tensor& a);
/// r^-1 x of triangles r; x is overwritten where it is contiguous and lies on the CPU.
Tensor solve_triangle(const char* op, Triangle triangle, const Tensor& r, const Tensor& x);

/// ValueError, with the number of the matrix, where an element of the diagonal of r [..., n, n] is at most `roundings`
/// of its largest.
void expect_full_rank(const char* op, const Tensor& r, int64_t roundings);
/// a^-1 b of triangles a [..., n, n] and b [..., n, k]; batches broadcast.
Tensor solve_triangular(const char* op, const Tensor& a, const Tensor& b, bool upper, bool unitriangular);
/// The eigenvalues [..., n], and the eigenvectors [..., n, n].
std::pair<Tensor, Tensor> eigh(const Tensor& a);

struct SvdTensors {
  Tensor u, s, vh;
};
SvdTensors svd(const char* op, const Tensor& a);

}  // namespace ordo::kernels

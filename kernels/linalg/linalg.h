// Decompositions of matrices [..., m, n] and what follows from them. Plain: no autograd. Computed on the CPU; tensors
// of another device are brought there, and the results back.
#pragma once

#include <utility>

#include <ordo/engine/tensor.h>

namespace ordo::kernels {

// autograd/ops/linalg.h has the rules.
Tensor cholesky(const Tensor& a);
/// a [..., n, n], b [..., n, k], batches broadcast.
Tensor solve(const Tensor& a, const Tensor& b);
Tensor inverse(const Tensor& a);
Tensor det(const Tensor& a);
/// The derivative of det(a): det(a) a^-T, and its limit where a is singular, to rounding.
Tensor cofactors(const Tensor& a);
/// The sign of det(a), and log |det(a)|.
std::pair<Tensor, Tensor> slogdet(const Tensor& a);
/// q [..., m, n] and r [..., n, n], for m >= n.
std::pair<Tensor, Tensor> qr(const Tensor& a);

struct SvdTensors {
  Tensor u, s, vh;
};
SvdTensors svd(const Tensor& a);

}  // namespace ordo::kernels

// Random tensors. Plain: no autograd.
//
// Which number an element gets depends only on its position i in row-major order, the dtype, and the generator's state
// before the call, never on device, threads or launch shape. A call reserves Philox blocks of four 32-bit numbers:
//   float32, float16, bfloat16, bernoulli, dropout, randint of a range up to 2^20: element i takes lane i % 4 of block
//   i / 4 float64, randperm and randint of larger ranges: element i takes lanes 2 (i % 2) and the next of block i / 2
//   normal: by Box and Muller, elements 2 k and 2 k + 1 are made of the numbers of both.
// A uniform number has as many random bits as the significand of its dtype (24, 53, 11, 8), and never reaches `high`.
#pragma once

#include <ordo/engine/run/generator.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

// A null generator is default_generator().

/// t[i] uniform in [low, high). Floating dtypes.
const Tensor& uniform_(const Tensor& t, double low, double high, Generator* generator);
/// t[i] = mean + std z, z standard normal. Floating dtypes.
const Tensor& normal_(const Tensor& t, double mean, double std, Generator* generator);
/// t[i] uniform in {low, ..., high - 1}, converted to t's dtype. Probabilities differ by at most one part in 2^12.
const Tensor& randint_(const Tensor& t, int64_t low, int64_t high, Generator* generator);
/// t[i] = 1 with probability p, else 0.
const Tensor& bernoulli_(const Tensor& t, double p, Generator* generator);

/// 1 with probability p[i], else 0: a tensor like p.
Tensor bernoulli(const Tensor& p, Generator* generator);
/// A permutation of 0 .. n - 1, made on the CPU by sorting random keys.
Tensor randperm(int64_t n, DType dtype, Device device, Generator* generator);

/// x[i] / (1 - p) with probability 1 - p, else 0, drawn from `state`: the same state drops the same elements again.
/// At p = 1 all zero.
Tensor dropout(const Tensor& x, double p, const GeneratorState& state);
/// Reserves what dropout draws for that many elements.
GeneratorState dropout_state(int64_t numel, Generator* generator);

}  // namespace ordo::kernels

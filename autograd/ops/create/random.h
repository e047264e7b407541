// Random tensors and dropout. They draw from `generator`, or from default_generator() (seeded by manual_seed) when it
// is null. Element i of a tensor depends on the generator's state, the dtype and i only: the CPU and CUDA draw the same
// numbers with any thread count. kernels/random/random.h says which number is whose.
//
// Errors: DTypeError for dtypes that a distribution does not have, ValueError for parameters outside their domain.
#pragma once

#include <ordo/engine/run/generator.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// Uniform in [0, 1); floating dtypes.
Tensor rand(const Dims& sizes, TensorOptions options = {}, Generator* generator = nullptr);
Tensor rand_like(const Tensor& like, Generator* generator = nullptr);
/// Standard normal (Box and Muller); floating dtypes.
Tensor randn(const Dims& sizes, TensorOptions options = {}, Generator* generator = nullptr);
Tensor randn_like(const Tensor& like, Generator* generator = nullptr);
/// Uniform in {low, ..., high - 1}; any dtype, int64 by default.
Tensor randint(int64_t low, int64_t high, const Dims& sizes, TensorOptions options = {int64},
               Generator* generator = nullptr);
Tensor randint(int64_t high, const Dims& sizes, TensorOptions options = {int64}, Generator* generator = nullptr);
/// A permutation of 0 .. n - 1 (int64 by default).
Tensor randperm(int64_t n, TensorOptions options = {int64}, Generator* generator = nullptr);
/// 1 with probability p[i], else 0; the result has p's dtype. Below 0 never, above 1 always. No gradient.
Tensor bernoulli(const Tensor& p, Generator* generator = nullptr);
/// 1 with probability p, else 0, for every element of a new tensor.
Tensor bernoulli(const Dims& sizes, double p, TensorOptions options = {}, Generator* generator = nullptr);

// The same with a dtype or a device alone.
template <OptionsPart P>
Tensor rand(const Dims& sizes, P part, Generator* generator = nullptr) {
  return rand(sizes, detail::options_from(part), generator);
}
template <OptionsPart P>
Tensor randn(const Dims& sizes, P part, Generator* generator = nullptr) {
  return randn(sizes, detail::options_from(part), generator);
}
template <OptionsPart P>
Tensor randint(int64_t low, int64_t high, const Dims& sizes, P part, Generator* generator = nullptr) {
  return randint(low, high, sizes, detail::options_from(part, int64), generator);
}
template <OptionsPart P>
Tensor randint(int64_t high, const Dims& sizes, P part, Generator* generator = nullptr) {
  return randint(high, sizes, detail::options_from(part, int64), generator);
}
template <OptionsPart P>
Tensor randperm(int64_t n, P part, Generator* generator = nullptr) {
  return randperm(n, detail::options_from(part, int64), generator);
}
template <OptionsPart P>
Tensor bernoulli(const Dims& sizes, double p, P part, Generator* generator = nullptr) {
  return bernoulli(sizes, p, detail::options_from(part), generator);
}

/// Overwrites t with numbers uniform in [low, high). Returns t.
Tensor uniform_(Tensor t, double low = 0, double high = 1, Generator* generator = nullptr);
/// Overwrites t with mean + std z, z standard normal. Returns t.
Tensor normal_(Tensor t, double mean = 0, double std = 1, Generator* generator = nullptr);

/// In training, each element is 0 with probability p, else x / (1 - p); otherwise x itself. Differentiable: the
/// backward pass draws the same mask again instead of keeping it. Floating dtypes; p in [0, 1]. Source: Srivastava et
/// al., "Dropout: a simple way to prevent neural networks from overfitting", 2014.
Tensor dropout(const Tensor& x, double p = 0.5, bool training = true, Generator* generator = nullptr);

/// num_samples numbers of categories, each drawn with a probability in proportion to its weight in probs. As
/// torch.multinomial, with numbers of its own.
///
/// probs: floating, [categories] or [rows, categories] (ShapeError); finite, not negative, and more than zero in each
/// row (ValueError). The result is int64, [num_samples] or [rows, num_samples]. Without replacement no category is
/// drawn twice: as many must have a weight as are drawn (ValueError). num_samples > 0 (ValueError). On CUDA the call
/// waits.
///
/// Determinism: the same numbers on every device, from the generator's state, probs and the shapes. With replacement a
/// sample is the place of u * total in the running sums (cumsum), u as rand draws it; without, samples are the
/// categories with the greatest weight / -log(1 - u), in descending order. Half types are drawn from in float32. No
/// gradient. Source: P. S. Efraimidis, P. G. Spirakis, "Weighted random sampling with a reservoir", 2006.
Tensor multinomial(const Tensor& probs, int64_t num_samples, bool replacement = false, Generator* generator = nullptr);

}  // namespace ordo

// Random tensors and dropout. They draw from `generator`, or from default_generator() (seeded by manual_seed) when it
// is null. Element i of a tensor depends on the generator's state, the dtype and i only: the CPU and CUDA draw the same
// numbers with any thread count. kernels/random/random.h says which number is whose.
//
// ValueError for an undefined tensor. With options.requires_grad the results are leaves: DTypeError when their dtype is
// not floating.
#pragma once

#include <vector>

#include <ordo/engine/run/generator.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// Numbers uniform in [0, 1).
///
/// Shapes: `sizes`, or those of `like`.
/// Dtypes: floating.
/// Throws: DTypeError when the dtype is not floating; ShapeError when a size is negative.
/// Determinism: the same bits on every device at every level.
/// Gradient: none.
/// PyTorch: torch.rand, torch.rand_like; the numbers are others.
Tensor rand(const Dims& sizes, TensorOptions options = {}, Generator* generator = nullptr);
Tensor rand_like(const Tensor& like, Generator* generator = nullptr);
/// Standard normal numbers, by Box and Muller.
///
/// Shapes, Dtypes, Throws, Determinism, Gradient: as rand.
/// PyTorch: torch.randn, torch.randn_like; the numbers are others.
Tensor randn(const Dims& sizes, TensorOptions options = {}, Generator* generator = nullptr);
Tensor randn_like(const Tensor& like, Generator* generator = nullptr);
/// Numbers uniform in {low, ..., high - 1}; low is 0 where it is not given.
///
/// Shapes: `sizes`.
/// Dtypes: any, int64 by default.
/// Throws: ValueError unless low < high, or when the dtype does not hold them all; ShapeError when a size is negative.
/// Determinism, Gradient: as rand.
/// PyTorch: torch.randint; the numbers are others.
Tensor randint(int64_t low, int64_t high, const Dims& sizes, TensorOptions options = {int64},
               Generator* generator = nullptr);
Tensor randint(int64_t high, const Dims& sizes, TensorOptions options = {int64}, Generator* generator = nullptr);
/// A permutation of 0 .. n - 1.
///
/// Shapes: [n].
/// Dtypes: any but bool, int64 by default.
/// Throws: ValueError when n is negative, or the dtype does not hold every number; DTypeError when it is bool.
/// Determinism, Gradient: as rand.
/// PyTorch: torch.randperm; the order is another.
Tensor randperm(int64_t n, TensorOptions options = {int64}, Generator* generator = nullptr);
/// 1 with probability p[i], else 0. Below 0 never, above 1 always.
///
/// Shapes: any; the result has p's.
/// Dtypes: floating, kept.
/// Throws: DTypeError when p is not floating.
/// Determinism, Gradient: as rand.
/// PyTorch: torch.bernoulli; the numbers are others.
Tensor bernoulli(const Tensor& p, Generator* generator = nullptr);
/// 1 with probability p, else 0, for every element of a new tensor of any dtype. ValueError unless p is in [0, 1].
Tensor bernoulli(const Dims& sizes, double p, TensorOptions options = {}, Generator* generator = nullptr);

// Factories with a dtype or a device in place of options.
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
///
/// Shapes: any.
/// Dtypes: floating.
/// Throws: DTypeError when t is not floating; ValueError unless low <= high, both finite and held by the dtype;
/// AutogradError when t is a leaf that requires a gradient.
/// Determinism: as rand.
/// Gradient: 0 to what t was.
/// PyTorch: Tensor.uniform_; the numbers are others.
Tensor uniform_(Tensor t, double low = 0, double high = 1, Generator* generator = nullptr);
/// Overwrites t with mean + std z, z standard normal. Returns t.
///
/// Shapes, Dtypes: as uniform_.
/// Throws: as uniform_; ValueError when std is negative, or a number does not fit the dtype.
/// Determinism, Gradient: as uniform_.
/// PyTorch: Tensor.normal_; the numbers are others.
Tensor normal_(Tensor t, double mean = 0, double std = 1, Generator* generator = nullptr);

/// In training, each element is 0 with probability p, else input / (1 - p); otherwise input itself.
///
/// Shapes: any; the result has x's.
/// Dtypes: floating, kept.
/// Throws: DTypeError when input is not floating; ValueError unless p is in [0, 1].
/// Determinism: as rand.
/// Gradient: dropout of grad with the same mask, which is drawn again instead of kept.
/// PyTorch: torch.nn.functional.dropout; the mask is another.
/// Source: N. Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting", 2014.
Tensor dropout(const Tensor& input, double p = 0.5, bool training = true, Generator* generator = nullptr);

/// While it lives, dropout of this thread draws each row of dimension 0 from a stream of its own, unless it is given a
/// generator. A row's numbers then depend neither on the rows beside it nor on its place:
///
///   const RowStreams guard(numbers_of_samples, step);
///   loss = criterion(model(x), y);   // row i of x is sample numbers_of_samples[i]
///
/// The stream follows from the generator's seed, the sample's number and the step; the numbers in it, from what rows
/// drew since the guard began. Guards end in the reverse order of their beginnings. Dropout throws ShapeError where
/// dimension 0 does not have a row for each sample.
class RowStreams {
 public:
  explicit RowStreams(std::vector<int64_t> samples, int64_t step = 0, const Generator& generator = default_generator());
  ~RowStreams();
  RowStreams(RowStreams&&) = delete;

 private:
  friend Tensor dropout(const Tensor&, double, bool, Generator*);
  std::vector<GeneratorState> take(const Tensor& input);
  std::vector<GeneratorState> states_;
  RowStreams* outer_;
};

/// num_samples numbers of categories, each drawn with a probability in proportion to its weight in probs. Without
/// replacement no category is drawn twice. On CUDA the call waits.
///
/// Shapes: probs [categories] or [rows, categories] -> [num_samples] or [rows, num_samples].
/// Dtypes: floating -> int64. Half types are drawn from in float32.
/// Throws: DTypeError when probs is not floating; ShapeError when it has other dimensions; ValueError when num_samples
/// is not positive, when a weight is negative or not finite, when a row has no weight or, without replacement, less
/// than num_samples of them.
/// Determinism: the same numbers on every device, from the generator's state, probs and the shapes. With replacement a
/// sample is the place of u * total in the running sums (cumsum, ordering rule 6), u as rand draws it; without, samples
/// are the categories with the greatest weight / -log(1 - u), in descending order.
/// Gradient: none.
/// PyTorch: torch.multinomial; the numbers are others.
/// Source: P. S. Efraimidis, P. G. Spirakis, "Weighted random sampling with a reservoir", 2006.
Tensor multinomial(const Tensor& probs, int64_t num_samples, bool replacement = false, Generator* generator = nullptr);

}  // namespace ordo

// Drawing numbers with given probabilities.
#pragma once

#include <ordo/engine/generator.h>
#include <ordo/engine/tensor.h>

namespace ordo {

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

// Sums of products by Einstein's notation.
#pragma once

#include <string_view>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// einsum("bik,kj->bij", {a, b}): a letter for each dimension of each operand; the result has the letters behind "->",
/// and the products of elements are added over all others. As torch.einsum:
///   - without "->" the result has the letters that appear once, in alphabetical order, capitals first;
///   - a letter twice in one operand means its diagonal;
///   - "..." stands for any number of dimensions, which broadcast; without "->" they come first in the result;
///   - sizes of one letter agree, or are 1 and broadcast (ShapeError).
///
/// Operands are multiplied from left to right, two at a time, each letter being added over as soon as no later operand
/// and no result has it: by matmul where both operands have it, with its order and determinism, else by sum, before the
/// product. ValueError for an equation that is none, or of which the operands are not as many; DTypeError unless they
/// have one dtype.
Tensor einsum(std::string_view equation, const TensorList& operands);

}  // namespace ordo

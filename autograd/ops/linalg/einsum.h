// Sums of products by Einstein's notation. ValueError for an undefined tensor.
#pragma once

#include <string_view>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// einsum("bik,kj->bij", {a, b}): a letter for each dimension of each operand; the result has the letters behind "->",
/// and the products of elements are added over all others.
///   - without "->" the result has the letters that appear once, in alphabetical order, capitals first;
///   - a letter twice in one operand means its diagonal;
///   - "..." stands for any number of dimensions, which broadcast; without "->" they come first in the result.
///
/// Shapes: sizes of one letter agree, or are 1 and broadcast.
/// Dtypes: numeric, one for all; integers wrap.
/// Throws: ShapeError when sizes of a letter differ, or an operand has not as many dimensions as letters; ValueError
/// when the equation is malformed, or names another number of operands; DTypeError when dtypes differ; DeviceError when
/// the operands are on different devices.
/// Determinism: operands are multiplied from left to right, two at a time, and each letter is added over as soon as no
/// later operand and no result has it: by matmul where both operands have it, with its determinism and ordering rule 3,
/// else by sum (rule 2), before the product.
/// Gradient: that of these products and sums.
/// PyTorch: torch.einsum.
Tensor einsum(std::string_view equation, const TensorList& operands);

}  // namespace ordo
